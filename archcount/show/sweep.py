"""A line for each combination of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..sources.files import literal
from .document import identity
from .page import Cell, Column, Line, Note, Page, Table
from .words import title

if TYPE_CHECKING:
    from ..model import Model
    from ..sweep import Point


def sweep_page(model: Model, points: Sequence[Point], context: int) -> Page:
    """Parameters, active where experts are not all visited, the cache of a sequence, FLOPs of its last token."""
    is_sparse = any(point.active != point.parameters for point in points)
    keys = list(points[0].values) if points else []
    columns = (
        *(Column(key, key, "mixed") for key in keys),
        Column("parameters", "parameters", "count"),
        *((Column("active", "active", "count"),) if is_sparse else ()),
        Column("cache_bytes", "cache, bytes", "count"),
        Column("forward_per_token", "FLOPs a token", "count"),
    )
    lines = tuple(Line(_cells(point, is_sparse)) for point in points)
    note = Note("cache and states of one sequence; FLOPs of its last token, forward")
    document = {**identity(model), "context": context, "points": [asdict(point) for point in points]}
    return Page(f"{title(model)}, {context:,} tokens", (Table(columns, lines), note), lambda: document)


def _cells(point: Point, is_sparse: bool) -> tuple[Cell, ...]:
    values = [value if isinstance(value, int) and not isinstance(value, bool) else literal(value)
              for value in point.values.values()]  # fmt: skip
    active = (point.active,) if is_sparse else ()
    return (*values, point.parameters, *active, point.cache_bytes, point.forward_per_token)
