"""Selective state spaces: Mamba (Gu and Dao 2023) and Mamba-2 (Dao and Gu 2024)."""

from __future__ import annotations

from ..tree import Module, Role, Tensor, module
from .linear import bias_of, linear
from .norms import rms_norm
from .state import causal_convolution, recurrent_state


def mamba(
    width: int,
    *,
    inner: int,
    state: int,
    rank: int,
    kernel: int,
    bias: bool = False,
    conv_bias: bool = True,
    inner_norms: bool = False,
) -> Module:
    """A state of `state` numbers for each of `inner` channels; time steps pass through `rank`.

    `bias` is that of the projections in and out. `inner_norms` are Jamba's, on the time step and on B and C.
    """
    return module(
        Role.SSM,
        "Mamba",
        A_log=Tensor((inner, state)),
        D=Tensor((inner,)),
        conv1d=causal_convolution(inner, kernel, bias=conv_bias),
        in_proj=linear(width, 2 * inner, bias=bias),
        x_proj=linear(inner, rank + 2 * state),
        dt_proj=linear(rank, inner, bias=True),
        out_proj=linear(inner, width, bias=bias),
        dt_layernorm=rms_norm(rank) if inner_norms else None,
        b_layernorm=rms_norm(state) if inner_norms else None,
        c_layernorm=rms_norm(state) if inner_norms else None,
    ).marked(cache=recurrent_state(inner * state, "SSM state"))


def mamba2(
    width: int,
    *,
    inner: int,
    heads: int,
    state: int,
    groups: int,
    kernel: int,
    bias: bool = False,
    out_bias: bool | None = None,
    conv_bias: bool = True,
    norm: bool = True,
) -> Module:
    """`heads` recurrences share `inner` channels; `groups` of B and C, each of `state`, pass through the convolution.

    `bias` is that of the projections in and out (`out_bias` where it differs).
    """
    mixed = inner + 2 * groups * state
    return module(
        Role.SSM,
        "Mamba-2",
        dt_bias=bias_of(heads),
        A_log=Tensor((heads,)),
        D=Tensor((heads,)),
        conv1d=causal_convolution(mixed, kernel, bias=conv_bias),
        in_proj=linear(width, inner + mixed + heads, bias=bias),
        norm=rms_norm(inner) if norm else None,
        out_proj=linear(inner, width, bias=bias if out_bias is None else out_bias),
    ).marked(cache=recurrent_state(inner * state, "SSM state"))
