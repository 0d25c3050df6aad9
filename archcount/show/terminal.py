"""A page on a screen: columns fitted to the width, long formulas on a dim line of their own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence

from .page import Line, Note, Page, Rank, Table, shown
from .wrapping import cells, printable, wrapped

GAP = 2
INDENT = 2  # a level
NARROWEST = 12  # of a text column that is made to wrap
USUAL_WIDTH = 80  # where there is no terminal
STYLE: dict[Rank, str] = {"plain": "", "group": "bold", "heading": "bold cyan", "total": "bold"}
TITLE_PARTS = re.compile(r"[^_ ]+_?")
Styled = tuple[str, str]
"""One line, and the rich style of all of it."""


def print_page(page: Page) -> None:
    """Write a page to the terminal in rich's colours, or plainly to a pipe; `NO_COLOR` and `COLUMNS` are kept."""
    lines = lines_of(page, _width())
    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        sys.stdout.writelines(f"{text}\n" for text, _ in lines)
        return
    from rich.console import Console  # a pipe need not wait for it
    from rich.text import Text

    text = Text("\n").join(Text(text, style) for text, style in lines)
    Console(highlight=False, emoji=False, markup=False).print(text, soft_wrap=True)


def _width() -> int:
    """Columns of the terminal, though stdout may go elsewhere (`| less`)."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated):
        return int(stated)
    for descriptor in (1, 2, 0):
        try:
            return os.get_terminal_size(descriptor).columns or USUAL_WIDTH
        except OSError:
            continue  # not a terminal, or closed
    return USUAL_WIDTH


def lines_of(page: Page, width: int) -> Iterator[Styled]:
    """The page line by line, none wider than `width` unless its figures are."""
    if page.title:
        yield from ((line, "bold") for line in wrapped(printable(page.title), width))
    is_first, after_note = not page.title, False
    for block in page.blocks:
        is_note = isinstance(block, Note)
        if not (is_first or (is_note and after_note)):
            yield "", ""
        yield from _note(block, width) if isinstance(block, Note) else _table(block, width)
        is_first, after_note = False, is_note


def _note(note: Note, width: int) -> Iterator[Styled]:
    style = "yellow" if note.is_warning else ""
    first, *rest = wrapped(printable(note.text), width, later=INDENT)
    yield first, style
    yield from ((" " * INDENT + line, style) for line in rest)


def _table(table: Table, width: int) -> Iterator[Styled]:
    if table.title:
        yield table.title, "bold cyan"
    header = Line(tuple(column.title for column in table.columns))
    lines = (header, *table.lines) if table.with_header else table.lines
    natural = _natural_widths(table, lines)
    beside = [i for i, column in enumerate(table.columns) if natural[i]]
    if _total(natural, beside) > width:
        beside = [i for i in beside if not table.columns[i].aside]
    widths = _fitted(table, natural, beside, width)
    rule = "─" * min(_total(widths, beside), width), "dim"
    for line in lines:
        is_header = table.with_header and line is header
        if line.rank == "total" and table.with_header:
            yield rule
        yield from _row(table, line, beside, widths, "dim" if is_header else STYLE[line.rank])
        yield from [rule] if is_header else _asides(table, line, beside, width)


def _natural_widths(table: Table, lines: Sequence[Line]) -> list[int]:
    """How wide each column would like to be; 0 where it has nothing to say."""
    widths = [0] * len(table.columns)
    for line in lines:
        for i, text in enumerate(_texts(table, line)):
            if text and not (line is lines[0] and table.with_header and table.columns[i].aside):
                widths[i] = max(widths[i], cells(text) + (INDENT * line.depth if i == 0 else 0))
    return widths


def _texts(table: Table, line: Line) -> list[str]:
    return [printable(shown(cell, column.form)) for cell, column in zip(line.cells, table.columns, strict=True)]


def _total(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[i] for i in columns) + GAP * (len(columns) - 1)


def _fitted(table: Table, natural: Sequence[int], beside: Sequence[int], width: int) -> list[int]:
    """The widths with the excess taken from the widest text columns, which wrap, then from titles over figures."""
    widths = list(natural)
    texts = [i for i in beside if table.columns[i].is_text]
    while texts and _total(widths, beside) > width:
        widest = max(texts, key=lambda i: widths[i])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    narrow = [_narrowest(table, i) for i in range(len(widths))]
    while _total(widths, beside) > width:
        loosest = max(beside, key=lambda i: widths[i] - narrow[i])
        if widths[loosest] <= narrow[loosest]:
            break
        widths[loosest] -= 1
    return widths


def _narrowest(table: Table, i: int) -> int:
    """The least a column of figures can do with: they stay whole, their title wraps. A column of text has its share."""
    column = table.columns[i]
    if column.is_text or not table.with_header:
        return USUAL_WIDTH
    figures = (cells(shown(line.cells[i], column.form)) for line in table.lines)
    return max(*map(cells, TITLE_PARTS.findall(column.title)), *figures, 0)


def _row(table: Table, line: Line, beside: Sequence[int], widths: Sequence[int], style: str) -> Iterator[Styled]:
    texts, columns = _texts(table, line), []
    for i in beside:
        indent, later = (0, 0) if i else (INDENT * line.depth, INDENT * table.columns[i].is_text)
        pieces = wrapped(texts[i], widths[i] - indent, later)
        columns.append([" " * (indent + (later if k else 0)) + piece for k, piece in enumerate(pieces)])
    for k in range(max(map(len, columns))):
        parts = ((i, column[k] if k < len(column) else "") for i, column in zip(beside, columns, strict=True))
        aligned = (_aligned(text, widths[i], table.columns[i].is_text) for i, text in parts)
        yield (" " * GAP).join(aligned).rstrip(), style


def _aligned(text: str, width: int, to_the_left: bool) -> str:
    blank = " " * (width - cells(text))
    return f"{text}{blank}" if to_the_left else f"{blank}{text}"


def _asides(table: Table, line: Line, beside: Sequence[int], width: int) -> Iterator[Styled]:
    indent = INDENT * (line.depth + 1)
    for i, text in enumerate(_texts(table, line)):
        if text and i not in beside:
            yield from ((" " * indent + piece, "dim") for piece in wrapped(text, width - indent))
