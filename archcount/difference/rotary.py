"""One spelling for what configs of several ages say of rotary positions."""

from __future__ import annotations

from collections.abc import Mapping

from .setting import Setting

THETA, SCALING, PARAMETERS = "rope_theta", "rope_scaling", "rope_parameters"
ROTARY = frozenset({THETA, SCALING, PARAMETERS})
PARTIAL = "partial_rotary_factor"
UNSCALED = Setting("default", f"{SCALING}.rope_type", (SCALING, "rope_type"), is_given=False, is_read=False)


def rotary(level: dict[str, Setting], *, has_positions: bool) -> dict[str, Setting]:
    """The keys with `rope_parameters` (transformers 5) as `rope_theta` and `rope_scaling` (before it), `type` in it as
    `rope_type`.

    A table with an entry for each kind of layer has no older spelling, and is left as it is.
    """
    holder = next((level[key] for key in (SCALING, PARAMETERS) if key in level and level[key].value is not None), None)
    if not has_positions and holder is None and THETA not in level:
        return level
    inner = _table(holder)
    if inner is None:
        return level
    found = {key: setting for key, setting in level.items() if key not in (SCALING, PARAMETERS)}
    found |= {key: inner.pop(key) for key in (THETA, PARTIAL) if key in inner}
    kind = inner.pop("type", UNSCALED)
    inner.setdefault("rope_type", kind)
    return found | {f"{SCALING}.{name}": setting for name, setting in inner.items()}


def _table(holder: Setting | None) -> dict[str, Setting] | None:
    """What stands in the table; None where it is no plain table."""
    if holder is None:
        return {}
    if not isinstance(holder.value, Mapping) or any(isinstance(value, Mapping) for value in holder.value.values()):
        return None
    given = ((str(name), value) for name, value in holder.value.items() if value is not None)
    return {
        name: Setting(value, f"{holder.spelled}.{name}", (*holder.place, name), holder.is_given, is_read=False)
        for name, value in given
    }
