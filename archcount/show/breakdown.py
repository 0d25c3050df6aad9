"""The breakdown of a model: part, formula, each, how often, parameters, share; then the totals and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from ..dim import formula
from .document import document
from .outline import Entry, Section, outline
from .page import Column, Line, Note, Page, Table
from .remarks import remarks
from .totals import totals_table
from .words import title, uncounted

if TYPE_CHECKING:
    from ..model import Model

FORMULA = Column("formula", "formula", aside=True)
EACH = (Column("each", "each", "count"), Column("times", "×", "count"))
COUNTED = (Column("parameters", "parameters", "count"), Column("share", "share", "share"))


class By(StrEnum):
    """What a line of the breakdown stands for."""

    PART = "part"
    ROLE = "role"
    LAYER = "layer"
    TENSOR = "tensor"


def breakdown_page(model: Model, by: By = By.PART) -> Page:
    """The page of `archcount MODEL`, with the difference that --set makes where something was set."""
    sections, before = outline(model), model.before_set()
    table = _table(model, sections, by)
    blocks: tuple[Table | Note, ...] = (table, totals_table(model), *remarks(model, before))
    return Page(title(model), blocks, lambda: document(model, sections, before))


def _table(model: Model, sections: tuple[Section, ...], by: By) -> Table:
    if by is By.ROLE:
        return _by_role(model)
    if by is By.TENSOR:
        return _by_tensor(model)
    in_full = by is By.PART
    lines = list(_sections(sections, model.totals.parameters, in_full=in_full))
    columns = (Column("part", "part"), FORMULA, *EACH, *COUNTED)
    return Table(columns, tuple(lines)) if in_full else Table(columns, tuple(lines)).without("formula")


def _sections(sections: tuple[Section, ...], whole: int, *, in_full: bool) -> Iterator[Line]:
    counted = [section for section in sections if section.is_counted]
    for section in counted:
        yield from _section(section, whole, in_full=in_full, is_headed=len(counted) > 1)
    yield Line(("total", None, None, None, whole, 1.0), rank="total")
    for section in sections:
        if not section.is_counted:
            yield from _section(section, None, in_full=in_full, is_headed=True)


def _section(section: Section, whole: int | None, *, in_full: bool, is_headed: bool) -> Iterator[Line]:
    if is_headed:
        name = section.title if section.is_counted else f"{section.title}, not in the total"
        yield Line((name, None, None, None, section.parameters, _share(section.parameters, whole)), rank="heading")
    for entry in section.entries:
        yield from _entry(entry, int(is_headed), whole, in_full=in_full)


def _entry(entry: Entry, depth: int, whole: int | None, *, in_full: bool) -> Iterator[Line]:
    figures = (entry.each, entry.times, entry.parameters, _share(entry.parameters, whole))
    yield Line((entry.title, words(entry), *figures), depth, "group" if entry.within else "plain")
    for inner in entry.within if in_full and not entry.is_all_elsewhere else ():
        yield from _entry(inner, depth + 1, whole, in_full=in_full)


def words(entry: Entry) -> str | None:
    """The formula of a matrix in the config's own words, or why a part is not counted; None for what is a sum."""
    if entry.is_all_elsewhere:
        return uncounted([leaf.rows[0].tensor for leaf in entry.leaves])
    return formula(entry.size) if entry.rows else None


def _share(parameters: int, whole: int | None) -> float | None:
    return parameters / whole if whole else None


def _by_role(model: Model) -> Table:
    whole = model.totals.parameters
    roles = sorted(model.totals.by_role.items(), key=lambda item: -item[1])
    lines = [Line((role, count, _share(count, whole))) for role, count in roles]
    total = Line(("total", whole, _share(whole, whole)), rank="total")
    return Table((Column("role", "role"), *COUNTED), (*lines, total))


def _by_tensor(model: Model) -> Table:
    whole = model.totals.parameters
    lines: Iterable[Line] = (
        Line((row.pattern, uncounted([row.tensor]) or formula(row.tensor.size), row.tensor.elements, row.times,
              row.elements, _share(row.elements, whole)))
        for row in model.rows if row.tensor.storage.is_parameter
    )  # fmt: skip
    total = Line(("total", None, None, None, whole, _share(whole, whole)), rank="total")
    return Table((Column("tensor", "tensor"), FORMULA, *EACH, *COUNTED), (*lines, total))
