"""Recurrences that are neither attention nor a state space of Mamba's kind: RG-LRU, RWKV, mLSTM, short convolutions."""

from __future__ import annotations

from ..dim import exact_div
from ..tree import Module, Role, Tensor, Use, module
from .linear import linear
from .norms import layer_norm
from .state import causal_convolution, recurrent_state


def short_convolution(width: int, kernel: int, *, bias: bool = False) -> Module:
    """LFM2's mixer: two gates and an input [3 × width, width], a filter over `kernel` tokens, and out again."""
    return module(
        Role.SSM,
        f"short convolution {kernel}",
        conv=causal_convolution(width, kernel, bias=bias),
        in_proj=linear(width, 3 * width, bias=bias),
        out_proj=linear(width, width, bias=bias),
    )


def gated_linear_recurrence(width: int, inner: int, *, heads: int, kernel: int) -> Module:
    """Griffin's recurrent block (De et al. 2024): two branches of `inner` channels, one through a filter and an RG-LRU.

    The gates of the RG-LRU are block-diagonal, a block for each of `heads`.
    """
    block = exact_div(inner, heads)
    gates = {
        "input_gate_weight": Tensor((heads, block, block), Use.MATMUL),
        "input_gate_bias": Tensor((heads, block), Use.BIAS),
        "recurrent_gate_weight": Tensor((heads, block, block), Use.MATMUL),
        "recurrent_gate_bias": Tensor((heads, block), Use.BIAS),
    }
    return module(
        Role.SSM,
        "RG-LRU",
        linear_y=linear(width, inner, bias=True),
        linear_x=linear(width, inner, bias=True),
        linear_out=linear(inner, width, bias=True),
        conv_1d=causal_convolution(inner, kernel, bias=True),
        rg_lru=module(recurrent_param=Tensor((inner,)), **gates).marked(cache=recurrent_state(inner)),
    )


def receptance_attention(width: int, inner: int) -> Module:
    """RWKV-4's time mixing (Peng et al. 2023): a decayed average of values; keeps the last token and three sums."""
    mixes = {f"time_mix_{name}": Tensor((1, 1, width)) for name in ("key", "value", "receptance")}
    return module(
        Role.SSM,
        "RWKV-4",
        time_decay=Tensor((inner,)),
        time_first=Tensor((inner,)),
        **mixes,
        key=linear(width, inner),
        value=linear(width, inner),
        receptance=linear(width, inner),
        output=linear(inner, width),
    ).marked(cache=recurrent_state(width + 3 * inner))


def receptance_mlp(width: int, inner: int) -> Module:
    """RWKV-4's channel mixing: a squared-ReLU MLP behind a gate; keeps the last token."""
    mixes = {f"time_mix_{name}": Tensor((1, 1, width)) for name in ("key", "receptance")}
    return module(
        Role.MLP,
        "gated ReLU² MLP",
        **mixes,
        key=linear(width, inner),
        receptance=linear(width, width),
        value=linear(inner, width),
    ).marked(cache=recurrent_state(width, "last token"))


def matrix_lstm(
    width: int, *, heads: int, key_width: int, value_width: int, bias: bool = False, fused: bool = False
) -> Module:
    """xLSTM's mLSTM (Beck et al. 2024): a matrix of memory for each head, behind input, forget and output gates."""
    key_dim, value_dim = key_width // heads, value_width // heads
    gates = (
        {
            "qkv_opreact": linear(width, 2 * key_width + 2 * value_width, bias=bias),
            "ifgate_preact": linear(width, 2 * heads, bias=True),
        }
        if fused
        else {
            "q": linear(width, key_width, bias=bias),
            "k": linear(width, key_width, bias=bias),
            "v": linear(width, value_width, bias=bias),
            "ogate_preact": linear(width, value_width, bias=bias),
            "igate_preact": linear(width, heads, bias=True),
            "fgate_preact": linear(width, heads, bias=True),
        }
    )
    return module(
        Role.SSM,
        f"mLSTM {heads}",
        **gates,
        multihead_norm=layer_norm(heads * value_dim, bias=bias),
        out_proj=linear(value_width, width, bias=bias),
    ).marked(cache=recurrent_state(heads * (key_dim * value_dim + key_dim + 1)))
