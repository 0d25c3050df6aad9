"""What a verb answers, before it is known how it will be shown: tables of typed cells, and remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Cell = str | int | float | None
Form = Literal["text", "mixed", "count", "share", "change"]
Rank = Literal["plain", "group", "heading", "total"]


@dataclass(frozen=True, slots=True)
class Column:
    """`key` names it in CSV, `title` on the screen. A share is a fraction of 1, shown in percent; `mixed` is text that
    may be a count, a change a count with its sign.

    `aside`: a text that moves to a line of its own, under the row, where the screen is too narrow for it.
    """

    key: str
    title: str
    form: Form = "text"
    aside: bool = False

    @property
    def is_text(self) -> bool:
        """Aligned to the left, and wrapped where room is short."""
        return self.form in ("text", "mixed")


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a cell a column, None where there is nothing to say. `depth` indents the first."""

    cells: tuple[Cell, ...]
    depth: int = 0
    rank: Rank = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    title: str = ""
    with_header: bool = True

    def without(self, key: str) -> Table:
        """The same table less one column."""
        kept = [i for i, column in enumerate(self.columns) if column.key != key]
        lines = (replace(line, cells=tuple(line.cells[i] for i in kept)) for line in self.lines)
        return replace(self, columns=tuple(self.columns[i] for i in kept), lines=tuple(lines))


@dataclass(frozen=True, slots=True)
class Note:
    """A remark under the tables; a warning is one the reader should act on."""

    text: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A whole answer. `document` makes the object that `--json` prints; only then is it called."""

    title: str
    blocks: tuple[Table | Note, ...]
    document: Callable[[], Mapping[str, object]] = field(repr=False)

    def tables(self) -> Iterator[Table]:
        """The tables alone, the first of which is what `--format csv` prints."""
        return (block for block in self.blocks if isinstance(block, Table))


def shown(cell: Cell, form: Form) -> str:
    """A cell as a person reads it: `1,376,256`, `6.5%`; "" for nothing."""
    if cell is None:
        return ""
    if form == "share" and not isinstance(cell, str):
        return percent(cell)
    if form == "change" and not isinstance(cell, str):
        return f"{cell:+,}" if cell else "0"
    return f"{cell:,}" if form in ("count", "mixed") and not isinstance(cell, str) else f"{cell}"


def percent(share: float) -> str:
    """A fraction of 1 in percent: `19.2%`, `<0.1%` for what would read as nothing."""
    if 0 < share < 0.0005:
        return "<0.1%"
    return f"{100 * share:.1f}%" if 0 < share < 1 else f"{100 * share:.0f}%"
