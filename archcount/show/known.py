"""The catalogue: what each known model is called and what is published of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from .page import Column, Line, Note, Page, Table

if TYPE_CHECKING:
    from ..sources.catalog import Known

COLUMNS = (
    Column("name", "name"),
    Column("parameters", "parameters", "count"),
    Column("active", "active", "count"),
    Column("repository", "repository"),
)
REMARK = (
    "parameters as published; names are matched in any case, also as repository ids and aliases (--json lists them)"
)


def known_page(models: Sequence[Known]) -> Page:
    """Every known model with its published figures."""
    table = Table(COLUMNS, tuple(_line(known) for known in models))
    return Page("", (table, Note(REMARK)), lambda: {"models": [asdict(known) for known in models]})


def _line(known: Known) -> Line:
    where = known.repository or ("written from its paper" if known.written_from_paper else None)
    return Line((known.name, known.parameters or known.published, known.active, where))
