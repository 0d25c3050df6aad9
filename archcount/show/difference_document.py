"""A difference as the object that `--json` prints; docs/json.md says what each key means."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..marks import MAIN
from .document import identity

if TYPE_CHECKING:
    from ..difference import Difference, Figure, KeyChange, RoleFigure, RowChange, Side


def document(difference: Difference, wanted: Collection[str]) -> dict[str, object]:
    """What differs; `wanted` names the parts of it, as `--only` does."""
    found: dict[str, object] = {
        "before": identity(difference.before),
        "after": identity(difference.after),
        "identical": difference.is_empty,
        "one_family": difference.is_one_family,
    }
    if "keys" in wanted:
        found["keys"] = [_key(change) for change in difference.keys]
    if "parts" in wanted:
        found["tensors"] = [_row(row, difference) for row in difference.rows]
        found["roles"] = [_role(role) for role in difference.roles]
    if "totals" in wanted:
        found["context"] = difference.context
        found["totals"] = {figure.name.replace(" ", "_"): _figure(figure) for figure in difference.figures}
    return found


def _key(change: KeyChange) -> dict[str, object]:
    pair, alone = change.pair, change.alone
    effect = None
    if alone is not None and not alone.refused:
        effect = {"parameters": alone.parameters, "active": alone.active, "cache_per_token": alone.cache_per_token}
    return {
        "key": pair.key,
        "change": pair.kind.value,
        "before": pair.before.value,
        "after": pair.after.value,
        "given": [pair.before.is_given, pair.after.is_given],
        "read": pair.is_read,
        "alone": effect,
        "refused": (alone.refused or None) if alone else None,
    }


def _row(row: RowChange, difference: Difference) -> dict[str, object]:
    return {
        "change": row.kind.value,
        "section": row.section or MAIN,
        "before": _side(row.before),
        "after": _side(row.after),
        "parameters": row.delta,
        "active": row.active_delta,
        "keys": difference.keys_behind(row),
    }


def _side(side: Side | None) -> dict[str, object] | None:
    if side is None:
        return None
    return {
        "pattern": side.pattern,
        "times": side.times,
        "shape": list(side.shape),
        "formula": side.formula,
        "storage": side.row.tensor.storage.value,
        "parameters": side.parameters,
    }


def _role(role: RoleFigure) -> dict[str, object]:
    return {
        "section": role.section or MAIN,
        "role": role.role.value,
        "before": role.before,
        "after": role.after,
        "change": role.delta,
        "kinds_before": list(role.kinds_before),
        "kinds_after": list(role.kinds_after),
    }


def _figure(figure: Figure) -> dict[str, object]:
    return {"before": figure.before, "after": figure.after, "change": figure.delta}
