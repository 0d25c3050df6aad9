"""Sparse attention's indexer: a small scorer that says which earlier tokens a query may see (DeepSeek-V3.2, 2025)."""

from __future__ import annotations

from ..tree import Attends, Cache, Module, Role, module
from .linear import linear
from .norms import layer_norm


def sparse_indexer(width: int, *, query_rank: int, heads: int, head_dim: int) -> Module:
    """Queries from the query's latent row, one key of `head_dim` a token, a weight for each head.

    It keeps that key for every token, and scores every pair of tokens with every head.
    """
    return module(
        Role.ATTENTION,
        f"indexer {heads}",
        wq_b=linear(query_rank, heads * head_dim),
        wk=linear(width, head_dim),
        k_norm=layer_norm(head_dim),
        weights_proj=linear(width, heads),
    ).marked(cache=Cache("indexer", per_token=head_dim), attends=Attends(heads, head_dim, 0))
