"""Normalisation: a gain per position, and in a layer norm a bias."""

from __future__ import annotations

from ..tree import Module, Role, Storage, Tensor, Use, module
from .linear import bias_of


def rms_norm(width: int, *, weight: bool = True, bias: bool = False) -> Module:
    """`weight` [width] (Zhang and Sennrich 2019): no mean, and where asked a bias, or no gain either."""
    gain = Tensor((width,), Use.SCALE) if weight else None
    return module(Role.NORM, "RMSNorm", weight=gain, bias=bias_of(width) if bias else None)


def layer_norm(width: int, *, bias: bool = True, weight: bool = True) -> Module:
    """`weight` [width] and `bias` [width]; either may be absent."""
    gain = Tensor((width,), Use.SCALE) if weight else None
    return module(Role.NORM, "LayerNorm", weight=gain, bias=bias_of(width) if bias else None)


def batch_norm(width: int) -> Module:
    """`weight` and `bias` [width], and the statistics of training, which the file holds and are no parameters."""
    statistics = {name: Tensor((width,), storage=Storage.BUFFER) for name in ("running_mean", "running_var")}
    return module(
        Role.NORM,
        "BatchNorm",
        weight=Tensor((width,), Use.SCALE),
        bias=bias_of(width),
        **statistics,
        num_batches_tracked=Tensor((), storage=Storage.BUFFER, dtype="int64"),
    )
