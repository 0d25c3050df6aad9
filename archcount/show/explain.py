"""The arithmetic, line by line: each matrix in the config's words and in numbers, each sum from what it sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..dim import arithmetic, formula
from ..matching import matching
from ..rows import Row
from ..sources.files import literal
from .document import document, identity
from .outline import Entry, Section, outline
from .page import Column, Line, Note, Page, Table
from .words import title, uncounted

if TYPE_CHECKING:
    from ..model import Model

WORDS, NUMBERS = Column("words", "words", aside=True), Column("numbers", "numbers", aside=True)
PARAMETERS = Column("parameters", "parameters", "count")
OF_A_LAYER = Column("share", "of a layer", "share")
COLUMNS = (Column("part", "part"), WORDS, NUMBERS, PARAMETERS, OF_A_LAYER)


def explain_page(model: Model, wanted: str | None = None) -> Page:
    """How every figure of the breakdown comes about; with `wanted`, how those of the tensors named like it do.

    Raises UsageError: no name is like it.
    """
    if wanted is not None:
        return _some(model, matching(model.rows, wanted, model.name))
    sections = outline(model)
    lines = [line for section in sections for line in _section(section, is_headed=len(sections) > 1)]
    counted = [section for section in sections if section.is_counted]
    terms = counted if len(counted) > 1 else counted[0].entries
    lines.append(_total("total", model.totals.parameters, terms))
    blocks = (Table(COLUMNS, tuple(lines)), *_readings(model))
    return Page(title(model), blocks, lambda: document(model, sections))


def _total(label: str, parameters: int, terms: Iterable[Entry | Section]) -> Line:
    return Line((label, None, _added(term.parameters for term in terms), parameters, None), rank="total")


def _section(section: Section, *, is_headed: bool) -> Iterator[Line]:
    name = section.title
    if is_headed:
        yield Line((name, None, None, None, None), rank="heading")
    for entry in section.entries:
        yield from _entry(entry)
    if is_headed:
        aside = "" if section.is_counted else ", not in the total"
        numbers = _added(entry.parameters for entry in section.entries)
        yield Line((f"sum of {name}{aside}", None, numbers, section.parameters, None), rank="group")


def _entry(entry: Entry) -> Iterator[Line]:
    """A matrix outside of the layers, or one layer and then all of its kind."""
    if not entry.within:
        yield from _matrix(entry, 0, None)
        return
    one = f"one of {entry.title}" if entry.times > 1 else entry.title
    yield Line((one, None, None, None, None), rank="group")
    for part in entry.within:
        yield from _part(part, entry)
    numbers = _added(part.parameters // entry.times for part in entry.within)
    sum_of = f"sum of one of {entry.label}" if entry.times > 1 else f"sum of {entry.label}"
    yield Line((sum_of, None, numbers, entry.each, 1.0), rank="group")
    if entry.times > 1:
        numbers = f"{entry.times:,} × {entry.each:,}"
        yield Line((entry.label, None, numbers, entry.parameters, None), rank="group")


def _part(part: Entry, layer: Entry) -> Iterator[Line]:
    """The matrices of one part of a layer, then their sum."""
    if not part.within or part.is_all_elsewhere:
        yield from _matrix(part, 1, layer)
        return
    yield Line((part.title, None, None, None, None), 1, "group")
    for matrix in part.within:
        yield from _matrix(matrix, 2, layer)
    sums = [matrix.parameters // layer.times for matrix in part.within]
    share = _share(sum(sums), layer.each)
    yield Line((f"sum of {part.label}", None, _added(sums), sum(sums), share), 1, "group")


def _matrix(matrix: Entry, depth: int, layer: Entry | None) -> Iterator[Line]:
    why_not = uncounted([leaf.rows[0].tensor for leaf in matrix.leaves]) if matrix.is_all_elsewhere else ""
    inside = matrix.times // layer.times if layer else matrix.times
    words, numbers = (why_not, None) if why_not else (formula(matrix.size), arithmetic(matrix.size))
    if numbers and inside > 1:
        numbers = f"{numbers} = {matrix.each:,}, {inside:,} times"
    share = _share(matrix.each * inside, layer.each) if layer else None
    yield Line((matrix.title, words, numbers, matrix.each * inside, share), depth)


def _share(parameters: int, whole: int) -> float | None:
    return parameters / whole if whole else None


def _added(terms: Iterable[int]) -> str:
    return " + ".join(f"{term:,}" for term in terms)


def _readings(model: Model) -> Iterator[Table | Note]:
    """Every key that was defaulted and every key that was not read, with its value whole."""
    columns = (Column("key", "key"), Column("value", "value"))
    keys = {"defaulted": model.config.defaulted(), "not read": model.config.unread()}
    for heading, values in keys.items():
        lines = tuple(Line((key, literal(value, None))) for key, value in values.items())
        if lines:
            yield Table(columns, lines, heading, with_header=False)
    if model.note:
        yield Note(model.note, is_warning=True)


def _some(model: Model, rows: list[Row]) -> Page:
    each, times = Column("each", "each", "count"), Column("times", "×", "count")
    columns = (Column("tensor", "tensor"), WORDS, NUMBERS, each, times, PARAMETERS)
    lines = [Line(_row(row)) for row in rows]
    whole = sum(row.elements for row in rows if row.tensor.storage.is_parameter)
    table = Table(columns, (*lines, Line(("total", None, None, None, None, whole), rank="total")))
    return Page(title(model), (table,), lambda: {**identity(model), "parameters": whole, "tensors": _records(rows)})


def _row(row: Row) -> tuple[str, str, str | None, int, int, int]:
    tensor, why_not = row.tensor, uncounted([row.tensor])
    each = 0 if why_not else tensor.elements
    numbers = None if why_not else arithmetic(tensor.size)
    return row.pattern, why_not or formula(tensor.size), numbers, each, row.times, each * row.times


def _records(rows: Iterable[Row]) -> list[dict[str, object]]:
    keys = ("pattern", "formula", "arithmetic", "each", "times", "parameters")
    return [dict(zip(keys, _row(row), strict=True)) for row in rows]
