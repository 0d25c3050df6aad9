"""Attention without a softmax, its keys and values summed into one matrix a head: lightning attention."""

from __future__ import annotations

from ..tree import Module, Role, Storage, Tensor, module
from .linear import linear
from .norms import rms_norm
from .state import recurrent_state


def lightning_attention(width: int, *, heads: int, head_dim: int, block: int | None = None) -> Module:
    """MiniMax-Text-01's (2025): the sum decays by a fixed rate a head; a `block` adds the decay's tables over it."""
    inner = heads * head_dim
    tables: dict[str, tuple[int, ...]] = {}
    if block is not None:
        tables = {
            "slope_rate": (heads, 1, 1),
            "query_decay": (heads, block, 1),
            "key_decay": (heads, block, 1),
            "diagonal_decay": (1, heads, block, block),
        }
    return module(
        Role.SSM,
        f"lightning attention {heads}",
        norm=rms_norm(inner),
        qkv_proj=linear(width, 3 * inner),
        out_proj=linear(inner, width),
        output_gate=linear(width, inner),
        **{name: Tensor(shape, storage=Storage.BUFFER) for name, shape in tables.items()},
    ).marked(cache=recurrent_state(heads * head_dim * head_dim))
