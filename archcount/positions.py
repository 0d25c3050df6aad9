"""Where a config says how positions reach attention, and the words for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .config import Schema


class Rotary(Schema):
    """The keys of rotary positions (RoPE): no tensor depends on them, the comparison table names them."""

    rope_theta: float | None = None
    rope_parameters: dict[str, Any] | None = None
    rope_scaling: dict[str, Any] | None = None
    max_position_embeddings: int | None = None

    @property
    def rope(self) -> str:
        """`RoPE 500,000`: the base the config gives, or `RoPE` where it is the class's own."""
        bases = dict.fromkeys(f"{base:,.0f}" for base in _bases(self.rope_theta, self.rope_parameters or {}))
        return f"RoPE {' and '.join(bases)}" if bases else "RoPE"


def _bases(theta: float | None, parameters: Mapping[str, Any]) -> Iterator[float]:
    if theta is not None:
        yield theta
    for key, value in parameters.items():
        if key == "rope_theta" and isinstance(value, (int, float)):
            yield value
        elif isinstance(value, Mapping):
            yield from _bases(None, value)
