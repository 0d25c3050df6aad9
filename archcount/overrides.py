"""What if: `key=value` settings laid over a config, nested keys with dots."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping

from .config import Schema
from .errors import UsageError


def parse(settings: Iterable[str]) -> dict[str, object]:
    """`["text_config.num_hidden_layers=2", "mlp_bias=true"]` as a mapping; a value that is not JSON is a string.

    Raises UsageError: no `=`, an empty key, or a value nested too deep.
    """
    return dict(_setting(text) for text in settings)


def _setting(text: str) -> tuple[str, object]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UsageError(f"--set {text!r}: write key=value, as in --set num_hidden_layers=16")
    try:
        return key.strip(), json.loads(value)
    except ValueError:
        return key.strip(), value
    except RecursionError:
        raise UsageError(f"--set {key.strip()}: the value is nested too deep") from None


def apply(raw: Mapping[str, object], overrides: Mapping[str, object]) -> dict[str, object]:
    """A copy of the config with the overrides in it; a nested config that is absent is made.

    Raises UsageError: a dotted key that leads into something other than an object.
    """
    changed = copy.deepcopy(dict(raw))
    for dotted, value in overrides.items():
        *parents, key = dotted.split(".")
        inner = changed
        for parent in parents:
            below = inner.setdefault(parent, {})
            if below is None:
                below = inner[parent] = {}
            if not isinstance(below, dict):
                raise UsageError(f"--set {dotted}: {parent} is not an object in this config")
            inner = below
        inner[key] = value
    return changed


def check_names(config: Schema, overrides: Iterable[str]) -> None:
    """Refuse a key that the config's schema does not read, so that a slip of the pen is not a silent no-op.

    Raises UsageError, naming the nearest keys.
    """
    for dotted in overrides:
        current: object = config
        for step in dotted.split("."):
            if not isinstance(current, Schema):
                break
            current = _inner(current, step, dotted)


def _inner(config: Schema, key: str, dotted: str) -> object:
    fields, name = type(config).model_fields, config.also_spelled.get(key, key)
    if name in fields:
        return getattr(config, name)
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    within = ((field, getattr(config, field)) for field in fields)
    nested = [f"{field}.{key}" for field, each in within if isinstance(each, Schema) and key in type(each).model_fields]
    nearest = nested or get_close_matches(key.lower(), list(fields), n=3, cutoff=0.5)
    hint = f"nearest: {', '.join(nearest)}" if nearest else f"it reads {', '.join(fields)}"
    raise UsageError(f"--set {dotted}: no such key is read for this model; {hint}")
