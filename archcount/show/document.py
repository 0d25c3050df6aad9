"""A model as the object that `--json` prints; docs/json.md says what each key means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..dim import arithmetic, formula
from .outline import Entry, Section

if TYPE_CHECKING:
    from ..model import Model


def document(model: Model, sections: Iterable[Section], before: Model | None = None) -> dict[str, object]:
    """Totals, sections with their parts, and what was defaulted, assumed or not read."""
    return {
        **identity(model),
        **asdict(model.totals),
        "bytes": model.stored_bytes,
        "parameters_before_set": before.totals.parameters if before is not None else None,
        "sections": [_section(section) for section in sections],
        **reading(model),
    }


def identity(model: Model) -> dict[str, object]:
    """Which model it is, and by which rule it was counted."""
    return {
        "name": model.name,
        "model_type": model.model_type,
        "class": model.config.class_name or None,
        "counted_as": model.counted_as,
        "dtype": model.dtype,
    }


def reading(model: Model) -> dict[str, object]:
    """What the config did not say, and what of it was not used."""
    return {
        "defaulted": model.config.defaulted(),
        "assumed": model.config.assumed(),
        "unread": model.config.unread(),
    }


def _section(section: Section) -> dict[str, object]:
    return {
        "section": section.name or "main",
        "parameters": section.parameters,
        "parts": [part(entry) for entry in section.entries],
    }


def part(entry: Entry) -> dict[str, object]:
    """One part with the parts in it; a matrix has its formula, its arithmetic and its tensors."""
    found: dict[str, object] = {
        "part": entry.label,
        "kind": entry.kind or None,
        "name": entry.name,
        "each": entry.each,
        "times": entry.times,
        "parameters": entry.parameters,
    }
    if not entry.rows:
        return {**found, "parts": [part(inner) for inner in entry.within]}
    return {**found, "formula": formula(entry.size), "arithmetic": arithmetic(entry.size), "tensors": [
        {"pattern": row.pattern, "shape": row.tensor.shape, "storage": row.tensor.storage.value,
         "same_as": row.tensor.same_as or None} for row in entry.rows]}  # fmt: skip
