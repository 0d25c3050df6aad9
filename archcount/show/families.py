"""The model types that can be counted, the file of each, and what its default config holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import ConfigError
from ..tree import Role
from .page import Column, Line, Page, Table

if TYPE_CHECKING:
    from ..model import Model

COLUMNS = (Column("model_type", "model_type"), Column("file", "file"), Column("holds", "holds"))
NO_DEFAULTS = "(some sizes have no default)"
HOLDERS = (Role.ATTENTION, Role.SSM, Role.MLP, Role.EXPERTS, Role.NORM)


def families_page(model_types: Iterable[str]) -> Page:
    """A line for each model_type."""
    found = [(model_type, *_facts(model_type)) for model_type in model_types]
    table = Table(COLUMNS, tuple(Line((name, file, ", ".join(holds) or NO_DEFAULTS)) for name, file, holds in found))
    keys = ("model_type", "file", "holds")
    return Page("", (table,), lambda: {"architectures": [dict(zip(keys, each, strict=True)) for each in found]})


def _facts(model_type: str) -> tuple[str, list[str]]:
    from ..model import load
    from ..registry import find

    file = find(model_type).rule.__module__.rpartition(".")[2]
    try:
        return file, _kinds(load({"model_type": model_type}))
    except ConfigError:  # a type without defaults of its own: its sizes must be given
        return file, []


def _kinds(model: Model) -> list[str]:
    """What the parts call themselves, without their numbers: `GQA`, `SwiGLU`, `RMSNorm`."""
    parts = (part for role in HOLDERS for part in model.parts if part.role is role and part.kind)
    kinds = (" ".join(word for word in (part.kind or "").split() if not word[0].isdigit()) for part in parts)
    return [kind for kind in dict.fromkeys(kinds) if kind]
