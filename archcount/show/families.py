"""The model types that can be counted, the file of each, and what its default config holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import ConfigError
from ..tree import Role
from .page import Column, Line, Page, Table

if TYPE_CHECKING:
    from ..model import Model

COLUMNS = tuple(Column(name, name) for name in ("model_type", "file", "attention", "mixer", "MLP", "experts"))
NO_DEFAULTS = "(some sizes have no default)"
HELD = (Role.ATTENTION, Role.SSM, Role.MLP, Role.EXPERTS)
"""What a column each tells of, in the order of the columns."""


def families_page(model_types: Iterable[str]) -> Page:
    """A line for each model_type."""
    found = [(model_type, *_facts(model_type)) for model_type in model_types]
    keys = tuple(column.key for column in COLUMNS)
    table = Table(COLUMNS, tuple(Line(each) for each in found))
    return Page("", (table,), lambda: {"architectures": [dict(zip(keys, each, strict=True)) for each in found]})


def _facts(model_type: str) -> tuple[str, ...]:
    from ..model import load
    from ..registry import find

    file = find(model_type).rule.__module__.rpartition(".")[2]
    try:
        model = load({"model_type": model_type})
    except ConfigError:  # a type without defaults of its own: its sizes must be given
        return file, NO_DEFAULTS, "", "", ""
    return file, *(_kinds(model, role) for role in HELD)


def _kinds(model: Model, role: Role) -> str:
    """What the parts of a role call themselves, without their numbers: `GQA`, `SwiGLU`."""
    parts = (part for part in model.parts if part.role is role and part.kind)
    kinds = (" ".join(word for word in (part.kind or "").split() if not word[0].isdigit()) for part in parts)
    return ", ".join(kind for kind in dict.fromkeys(kinds) if kind)
