"""Models side by side, a line for each design choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import eyes
from .choices import LINES, language
from .page import Column, Line, Note, Page, Table

if TYPE_CHECKING:
    from ..model import Model

REMARK = "cache per token: elements in all layers, while every window is open"


def compare_page(models: Sequence[Model]) -> Page:
    """A column for each model."""
    found = [language(model) for model in models]
    lines = [Line((label, *(choice(each) for each in found))) for label, choice in LINES]
    remarks = [Note(REMARK)]
    if any(map(eyes.has_eyes, models)):
        seeing = [eyes.eyes(model) for model in models]
        lines += [Line((label, *(choice(each) for each in seeing))) for label, choice in eyes.LINES]
        remarks.append(Note(eyes.REMARK))
    columns = (Column("choice", ""), *(Column(model.name, model.name, "mixed") for model in models))
    table = Table(columns, tuple(lines))
    return Page(
        "",
        (table, *remarks),
        lambda: {"models": [_document(model.name, i, lines) for i, model in enumerate(models, 1)]},
    )


def _document(name: str, column: int, lines: Sequence[Line]) -> dict[str, object]:
    return {"name": name, **{str(line.cells[0]).replace(" ", "_"): line.cells[column] for line in lines}}
