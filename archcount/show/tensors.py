"""Every tensor: a line for each pattern of names, or for each name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..dim import formula
from ..matching import matching
from ..rows import NamedTensor, Row
from .document import identity
from .page import Column, Line, Page, Table
from .words import shape, title, uncounted

if TYPE_CHECKING:
    from ..model import Model

NAME, SHAPE, ELEMENTS = Column("tensor", "tensor"), Column("shape", "shape"), Column("elements", "elements", "count")
STORAGE = Column("storage", "storage", aside=True)
BY_PATTERN = (NAME, SHAPE, Column("times", "×", "count"), ELEMENTS, STORAGE)
BY_NAME = (NAME, SHAPE, ELEMENTS, STORAGE)


def tensors_page(model: Model, wanted: str | None = None, *, each: bool = False) -> Page:
    """The tensors whose names are like `wanted`, all of them without it; `each` has one a line, in file order.

    Raises UsageError: no name is like it.
    """
    rows = matching(model.rows, wanted, model.name)
    if each:
        named = list(_named(model, rows))
        lines = (Line((one.name, shape(one.tensor), one.tensor.elements, uncounted([one.tensor]))) for one in named)
        return Page(title(model), (Table(BY_NAME, tuple(lines)),), lambda: _document(model, map(_one, named)))
    lines = (Line((row.pattern, shape(row.tensor), row.times, row.elements, uncounted([row.tensor]))) for row in rows)
    return Page(title(model), (Table(BY_PATTERN, tuple(lines)),), lambda: _document(model, map(_several, rows)))


def _named(model: Model, rows: Iterable[Row]) -> Iterator[NamedTensor]:
    wanted = {name for row in rows for name in row.names()}
    return (one for one in model.tensors() if one.name in wanted)


def _document(model: Model, tensors: Iterable[dict[str, object]]) -> dict[str, object]:
    return {**identity(model), "tensors": list(tensors)}


def _one(named: NamedTensor) -> dict[str, object]:
    return {"name": named.name, **_facts(named)}


def _several(row: Row) -> dict[str, object]:
    return {"pattern": row.pattern, "times": row.times, **_facts(row)}


def _facts(found: NamedTensor | Row) -> dict[str, object]:
    tensor = found.tensor
    return {
        "shape": list(tensor.shape),
        "formula": formula(tensor.size),
        "elements": found.elements if isinstance(found, Row) else tensor.elements,
        "storage": tensor.storage.value,
        "same_as": tensor.same_as or None,
        "dtype": tensor.dtype,
        "role": found.role.value,
        "section": found.section or "main",
    }
