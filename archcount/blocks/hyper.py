"""Hyper-connections: several residual streams, mixed before and after each part of a layer (Zhu et al. 2024)."""

from __future__ import annotations

from ..tree import Tensor, Use


def hyper_connection(
    width: int, streams: int, outputs: int, scales: int, names: tuple[str, str, str]
) -> dict[str, Tensor]:
    """A map [outputs, streams × width], its constants [outputs] and its `scales` gains, under three names."""
    function, base, scale = names
    dtype = "float32"
    return {
        function: Tensor((outputs, streams * width), Use.MATMUL, dtype=dtype),
        base: Tensor((outputs,), Use.BIAS, dtype=dtype),
        scale: Tensor((scales,), Use.SCALE, dtype=dtype),
    }
