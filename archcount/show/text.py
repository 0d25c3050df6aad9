"""A page as Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping

from .page import Column, Line, Note, Page, Table, shown
from .wrapping import printable


def markdown(page: Page) -> str:
    """The page as GitHub-flavoured Markdown."""
    parts = [f"## {_escaped(page.title)}"] if page.title else []
    for block in page.blocks:
        parts.append(f"- {_escaped(block.text)}" if isinstance(block, Note) else "\n".join(_markdown_table(block)))
    return "\n\n".join(parts).replace("\n\n- ", "\n- ").replace("|\n- ", "|\n\n- ")


def _markdown_table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"### {_escaped(table.title)}\n"
    yield _markdown_row(column.title for column in table.columns)
    yield _markdown_row("---" if column.is_text else "---:" for column in table.columns)
    for line in table.lines:
        cells = [_escaped(shown(cell, column.form)) for cell, column in zip(line.cells, table.columns, strict=True)]
        cells[0] = "&emsp;" * line.depth + (cells[0] if line.rank == "plain" else f"**{cells[0]}**")
        yield _markdown_row(cells)


def _markdown_row(cells: Iterator[str] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """On one line: GitHub obeys lines that begin with `::`, in whatever a build prints."""
    return printable(text).replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")


def comma_separated(page: Page) -> str:
    """The first table as CSV, bare numbers in it, with the level of indentation where there is one."""
    table = next(page.tables())
    nested = any(line.depth for line in table.lines)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*(["level"] if nested else []), *(column.key for column in table.columns)])
    for line in table.lines:
        writer.writerow([*([line.depth] if nested else []), *("" if cell is None else cell for cell in line.cells)])
    return written.getvalue().rstrip("\n")


def records(table: Table) -> list[dict[str, object]]:
    """The rows as dicts by column key, for a document."""
    return [_record(table.columns, line) for line in table.lines]


def _record(columns: tuple[Column, ...], line: Line) -> dict[str, object]:
    return {column.key: cell for column, cell in zip(columns, line.cells, strict=True)}


def json_page(page: Page, encoding: str = "utf-8") -> str:
    """The page's document, with `{"__float__": "Infinity"}` for what JSON cannot write.

    All but ASCII is escaped where `encoding` has not every letter of it: a formula must not lose its ×.
    """
    document = _finite(page.document())
    written = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        written.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(document, indent=2, allow_nan=False)
    return written


def _finite(value: object) -> object:
    match value:
        case float() if not math.isfinite(value):
            return {"__float__": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
        case Mapping():
            return {str(key): _finite(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_finite(inner) for inner in value]
        case int() if not isinstance(value, bool):
            return int(value)  # a size with a formula writes itself as its number
    return value
