"""Attention as PyTorch's own module names it: query, key and value in one bare matrix."""

from __future__ import annotations

from ..dim import exact_div
from ..tree import Attends, Module, Role, Tensor, Use, module
from .attention import head_layout
from .linear import bias_of, linear


def torch_attention(width: int, *, heads: int) -> Module:
    """`in_proj_weight` [3 × width, width] and `in_proj_bias`, then `out_proj`; not causal, nothing is kept."""
    head_dim = exact_div(width, heads)
    return module(
        Role.ATTENTION,
        head_layout(heads, heads),
        in_proj_weight=Tensor((3 * width, width), Use.MATMUL),
        in_proj_bias=bias_of(3 * width),
        out_proj=linear(width, width, bias=True),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False))
