"""Linear attention that corrects its memory by the delta rule: gated DeltaNet (2024), Kimi Delta Attention (2025)."""

from __future__ import annotations

from ..tree import Module, Role, Tensor, module
from .linear import bias_of, linear
from .norms import rms_norm
from .state import causal_convolution, recurrent_state


def gated_delta_net(
    width: int,
    *,
    key_heads: int,
    value_heads: int,
    key_dim: int,
    value_dim: int,
    kernel: int,
    fused: bool = False,
) -> Module:
    """Qwen3-Next's form: one convolution over query, key and value; a decay and a rate for each of `value_heads`.

    `fused` joins query, key, value and gate in one matrix [2 × keys + 2 × values, width], rate and decay in another.
    """
    keys, values = key_heads * key_dim, value_heads * value_dim
    return module(
        Role.SSM,
        f"gated DeltaNet {value_heads}/{key_heads}",
        A_log=Tensor((value_heads,)),
        dt_bias=bias_of(value_heads),
        conv1d=causal_convolution(2 * keys + values, kernel),
        **_inward(width, keys, values, value_heads, fused=fused),
        norm=rms_norm(value_dim),
        out_proj=linear(values, width),
    ).marked(cache=recurrent_state(value_heads * key_dim * value_dim))


def _inward(width: int, keys: int, values: int, heads: int, *, fused: bool) -> dict[str, Module]:
    if fused:
        return {
            "in_proj_qkvz": linear(width, 2 * keys + 2 * values),
            "in_proj_ba": linear(width, 2 * heads),
        }
    return {
        "in_proj_qkv": linear(width, 2 * keys + values),
        "in_proj_z": linear(width, values),
        "in_proj_b": linear(width, heads),
        "in_proj_a": linear(width, heads),
    }


def separate_delta_net(
    width: int,
    *,
    key_heads: int,
    value_heads: int,
    key_dim: int,
    value_dim: int,
    kernel: int,
    filters: tuple[int, int, int] | None = None,
) -> Module:
    """OLMo-Hybrid's form of the gated DeltaNet: a matrix and a convolution each for query, key and value.

    `filters` are the channels of the three convolutions where a file parts their sum in another way.
    """
    keys, values = key_heads * key_dim, value_heads * value_dim
    return module(
        Role.SSM,
        f"gated DeltaNet {value_heads}/{key_heads}",
        A_log=Tensor((value_heads,)),
        dt_bias=bias_of(value_heads),
        **_convolved(width, (keys, keys, values), filters or (keys, keys, values), kernel),
        a_proj=linear(width, value_heads),
        b_proj=linear(width, value_heads),
        g_proj=linear(width, values),
        o_norm=rms_norm(value_dim),
        o_proj=linear(values, width),
    ).marked(cache=recurrent_state(value_heads * key_dim * value_dim))


def delta_attention(
    width: int,
    *,
    heads: int,
    head_dim: int,
    kernel: int,
    low_rank_decay: bool = True,
    low_rank_gate: bool = True,
    decay_shape: tuple[int, ...] | None = None,
    out_name: str = "o_proj",
) -> Module:
    """Kimi Delta Attention: a decay for each channel of each head.

    The decay and the output gate are matrices [heads × head_dim, width], or pass through a rank of head_dim.
    `decay_shape` is that of `A_log`, where it is stored with further dimensions of 1.
    """
    inner = heads * head_dim
    return module(
        Role.SSM,
        f"KDA {heads}",
        **_convolved(width, (inner, inner, inner), (inner, inner, inner), kernel),
        A_log=Tensor(decay_shape or (heads,)),
        dt_bias=bias_of(inner),
        **_through(width, inner, head_dim if low_rank_decay else None, "f"),
        b_proj=linear(width, heads),
        **_through(width, inner, head_dim if low_rank_gate else None, "g"),
        o_norm=rms_norm(head_dim),
        **{out_name: linear(inner, width)},
    ).marked(cache=recurrent_state(heads * head_dim * head_dim))


def _convolved(
    width: int, outputs: tuple[int, int, int], filters: tuple[int, int, int], kernel: int
) -> dict[str, Module]:
    matrices = zip(("q_proj", "k_proj", "v_proj"), outputs, strict=True)
    convolutions = zip(("q_conv1d", "k_conv1d", "v_conv1d"), filters, strict=True)
    return {
        **{name: linear(width, each) for name, each in matrices},
        **{name: causal_convolution(each, kernel) for name, each in convolutions},
    }


def _through(width: int, outputs: int, rank: int | None, letter: str) -> dict[str, Module]:
    if rank is None:
        return {f"{letter}_proj": linear(width, outputs)}
    return {f"{letter}_a_proj": linear(width, rank), f"{letter}_b_proj": linear(rank, outputs)}
