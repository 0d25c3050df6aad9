"""Attention to another sequence with key and value in one matrix: SwissArmyTransformer's, and Flamingo's."""

from __future__ import annotations

from ..tree import Attends, Grouped, Module, Per, Role, module
from .attention import head_layout, kv_cache
from .linear import linear


def paired_attention(
    width: int,
    *,
    heads: int,
    head_dim: int,
    source_width: int,
    bias: bool = False,
    kept: bool = False,
    names: tuple[str, str, str] = ("to_q", "to_kv", "to_out"),
) -> Module:
    """Query [heads × head_dim, width], key and value [2 × heads × head_dim, source_width], output [width, heads × …].

    `kept`: a decoder's, which keeps what it read of the other side for the tokens to come.
    """
    query, pair, out = names
    inner = heads * head_dim
    children = {
        query: linear(width, inner, bias=bias),
        pair: linear(source_width, 2 * inner, bias=bias).marked(per=Per.SOURCE, grouped=Grouped(heads, 2 * inner)),
        out: linear(inner, width, bias=bias),
    }
    attends = Attends(heads, head_dim, head_dim, causal=False, cross=True, kv_heads=heads)
    return module(Role.ATTENTION, head_layout(heads, heads), **children).marked(
        cache=kv_cache(heads, head_dim, head_dim, None, cross=True) if kept else None, attends=attends
    )
