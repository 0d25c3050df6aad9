"""The figures of a model that a project may pin or limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..difference.figures import cache_per_token, flops_per_token
from ..model import Model

FIGURES: Mapping[str, Callable[[Model], int | None]] = MappingProxyType(
    {
        "parameters": lambda model: model.totals.parameters,
        "active": lambda model: model.totals.active,
        "active_without_input_embedding": lambda model: model.totals.active_without_input_embedding,
        "active_without_embeddings": lambda model: model.totals.active_without_embeddings,
        "stored": lambda model: model.totals.stored,
        "bytes": lambda model: model.stored_bytes,
        "cache_per_token": cache_per_token,
        "flops_per_token": lambda model: flops_per_token(model, None),
    }
)
