"""Attention of every token or patch to every other, as encoders and towers have it: with biases, keeping nothing."""

from __future__ import annotations

from ..dim import exact_div
from ..tree import Module
from .attention import attention, fused_attention


def bidirectional_attention(
    width: int,
    *,
    heads: int,
    bias: bool = True,
    norm: Module | None = None,
    positions: str = "learned",
    names: tuple[str, str, str, str] = ("q_proj", "k_proj", "v_proj", "out_proj"),
) -> Module:
    """Four matrices [width, width]; `bias` is that of query, key and value, `norm` that of queries and of keys.

    Raises ConfigValueError: a width that the heads do not share out evenly.
    """
    head_dim = exact_div(width, heads)
    return attention(
        width, heads=heads, head_dim=head_dim, bias=bias, out_bias=True, query_norm=norm, key_norm=norm,
        causal=False, positions=positions, names=names,
    )  # fmt: skip


def fused_bidirectional_attention(
    width: int,
    *,
    heads: int,
    bias: bool = True,
    norm: Module | None = None,
    positions: str = "learned",
    names: tuple[str, str] = ("qkv", "proj"),
) -> Module:
    """Query, key and value in one matrix [3 × width, width], with `bias` or not; output [width, width] with one.

    Raises ConfigValueError: a width that the heads do not share out evenly.
    """
    head_dim = exact_div(width, heads)
    return fused_attention(
        width, heads=heads, head_dim=head_dim, bias=bias, out_bias=True, query_norm=norm, key_norm=norm,
        causal=False, positions=positions, names=names,
    )  # fmt: skip
