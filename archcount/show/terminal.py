"""A page on a screen: columns fitted to the width, long formulas on a dim line of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from .page import Line, Note, Page, Rank, Table, shown

GAP = 2
INDENT = 2  # a level
NARROWEST = 12  # of a text column that is made to wrap
STYLE: dict[Rank, str] = {"plain": "", "group": "bold", "heading": "bold cyan", "total": "bold"}
BREAKS = re.compile(r"(?<=[ ])")  # where a text may go on in the next line
NAME_BREAKS = re.compile(r"(?<=[._/,])")  # and where a name may that is longer than a line


def print_page(page: Page, console: Console | None = None) -> None:
    """Write a page to the terminal, or without colour to a pipe; `NO_COLOR` and `COLUMNS` are kept."""
    console = console or Console(highlight=False, emoji=False, markup=False)
    text = Text("\n").join(lines_of(page, console.width))
    console.print(text, soft_wrap=True)


def lines_of(page: Page, width: int) -> Iterator[Text]:
    """The page line by line, none wider than `width` unless a number is."""
    if page.title:
        yield from (Text(line, "bold") for line in wrapped(page.title, width))
    after_note = False
    for block in page.blocks:
        is_note = isinstance(block, Note)
        if not (is_note and after_note):
            yield Text()
        yield from _note(block, width) if isinstance(block, Note) else _table(block, width)
        after_note = is_note


def _note(note: Note, width: int) -> Iterator[Text]:
    style = "yellow" if note.is_warning else ""
    first, *rest = wrapped(note.text, width, later=INDENT)
    yield Text(first, style)
    yield from (Text(" " * INDENT + line, style) for line in rest)


def _table(table: Table, width: int) -> Iterator[Text]:
    if table.title:
        yield Text(table.title, "bold cyan")
    header = Line(tuple(column.title for column in table.columns))
    lines = (header, *table.lines) if table.with_header else table.lines
    natural = _natural_widths(table, lines)
    beside = [i for i, column in enumerate(table.columns) if natural[i]]
    if _total(natural, beside) > width:
        beside = [i for i in beside if not table.columns[i].aside]
    widths = _fitted(table, natural, beside, width)
    rule = Text("─" * min(_total(widths, beside), width), "dim")
    for line in lines:
        is_header = table.with_header and line is header
        if line.rank == "total" and table.with_header:
            yield rule
        yield from _row(table, line, beside, widths, "dim" if is_header else STYLE[line.rank])
        yield from [rule] if is_header else _asides(table, line, beside, width)


def _natural_widths(table: Table, lines: Sequence[Line]) -> list[int]:
    widths = [0] * len(table.columns)
    for line in lines:
        for i, text in enumerate(_texts(table, line)):
            if text:
                widths[i] = max(widths[i], cell_len(text) + (INDENT * line.depth if i == 0 else 0))
    return widths


def _texts(table: Table, line: Line) -> list[str]:
    return [shown(cell, column.form) for cell, column in zip(line.cells, table.columns, strict=True)]


def _total(widths: Sequence[int], columns: Sequence[int]) -> int:
    return sum(widths[i] for i in columns) + GAP * (len(columns) - 1)


def _fitted(table: Table, natural: Sequence[int], beside: Sequence[int], width: int) -> list[int]:
    """The widths with the excess taken from the widest text columns, which wrap."""
    widths = list(natural)
    texts = [i for i in beside if table.columns[i].form == "text"]
    while texts and _total(widths, beside) > width:
        widest = max(texts, key=lambda i: widths[i])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _row(table: Table, line: Line, beside: Sequence[int], widths: Sequence[int], style: str) -> Iterator[Text]:
    texts = _texts(table, line)
    columns = []
    for i in beside:
        indent = INDENT * line.depth if i == 0 else 0
        room = widths[i] - indent
        later = INDENT if i == 0 else 0
        pieces = wrapped(texts[i], room, later)
        columns.append([" " * (indent + (later if k else 0)) + piece for k, piece in enumerate(pieces)])
    for k in range(max(map(len, columns))):
        cells = ((i, column[k] if k < len(column) else "") for i, column in zip(beside, columns, strict=True))
        aligned = (_aligned(text, widths[i], table.columns[i].form == "text") for i, text in cells)
        yield Text((" " * GAP).join(aligned).rstrip(), style)


def _aligned(text: str, width: int, to_the_left: bool) -> str:
    blank = " " * (width - cell_len(text))
    return f"{text}{blank}" if to_the_left else f"{blank}{text}"


def _asides(table: Table, line: Line, beside: Sequence[int], width: int) -> Iterator[Text]:
    indent = INDENT * (line.depth + 1)
    for i, text in enumerate(_texts(table, line)):
        if text and i not in beside:
            yield from (Text(" " * indent + piece, "dim") for piece in wrapped(text, width - indent))


def wrapped(text: str, width: int, later: int = 0) -> list[str]:
    """`text` in lines of at most `width` cells, all but the first `later` narrower.

    Broken between words; within a name only where the name is longer than a line.
    """
    lines, current, room = [], "", max(width, 1)
    pieces = [piece for word in BREAKS.split(text) for piece in _pieces(word, max(width - later, 1))]
    for piece in pieces:
        if current and cell_len((current + piece).rstrip()) > room:
            lines.append(current.rstrip())
            current, room = "", max(width - later, 1)
        current += piece
    return [*lines, current.rstrip()]


def _pieces(word: str, room: int) -> list[str]:
    if cell_len(word.rstrip()) <= room:
        return [word]
    parts = NAME_BREAKS.split(word)
    return [part[i : i + room] for part in parts for i in range(0, len(part), room)]
