"""Every key of a config with the value it has, given or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

from ..config import Schema
from .rotary import ROTARY, rotary
from .setting import Place, Setting

WHOLE = frozenset({"id2label", "label2id", "quantization_config.tensor_storage"})
"""Tables that are one value: of labels, and of all tensors of an EXL3 file."""
Found = Iterator[tuple[str, Setting]]


def settings(config: Schema, raw: Mapping[str, object]) -> dict[str, Setting]:
    """The keys of a config and of the configs in it (`text_config.hidden_size`), each under the schema's own name."""
    return dict(_of_schema(config, raw))


def _of_schema(config: Schema, raw: Mapping[str, object]) -> Found:
    """The keys of one config, and after them those of the configs in it."""
    plain: dict[str, Setting] = {}
    nested: list[tuple[str, Setting]] = []
    for key in type(config).model_fields:
        value, spelled = getattr(config, key), _spelling(type(config), key, raw)
        if _holds_schemas(value):
            nested.extend(_within(value, raw.get(spelled), key, (spelled,)))
        else:
            is_given = key in config.model_fields_set and spelled in raw
            plain[key] = Setting(value, spelled, (spelled,), is_given, is_read=key not in ROTARY)
    for key, value in (config.model_extra or {}).items():
        if value is not None:
            plain[key] = Setting(value, key, (key,), is_given=True, is_read=False)
    level = rotary(plain, has_positions="rope_parameters" in type(config).model_fields)
    yield from _with_defaults(level, getattr(config, "model_type", ""))
    yield from nested


def _spelling(schema: type[Schema], key: str, raw: Mapping[str, object]) -> str:
    """The key as `raw` has it: the field's own name goes before other spellings of it."""
    others = (other for other, name in schema.also_spelled.items() if name == key)
    return next((each for each in (key, *others) if raw.get(each) is not None), key)


def _holds_schemas(value: object) -> bool:
    match value:
        case Schema():
            return True
        case Mapping():
            return any(isinstance(each, Schema) for each in value.values())
        case list() | tuple():
            return any(isinstance(each, Schema) for each in value)
    return False


def _within(value: object, raw: object, key: str, place: Place) -> Found:
    """The keys of the configs in a field: of one, or of those in a list or table, whose place is the field's."""
    match value:
        case Schema():
            for name, setting in _of_schema(value, raw if isinstance(raw, Mapping) else {}):
                yield f"{key}.{name}", setting.under(f"{key}.", place)
        case Mapping():
            for name, each in value.items():
                yield from _one_of(each, raw.get(name) if isinstance(raw, Mapping) else None, f"{key}.{name}", place)
        case list() | tuple():
            for i, each in enumerate(value):
                inner = raw[i] if isinstance(raw, list) and i < len(raw) else None
                yield from _one_of(each, inner, f"{key}[{i}]", place)


def _one_of(value: object, raw: object, key: str, place: Place) -> Found:
    for name, setting in _within(value, raw, key, ()):
        yield name, replace(setting, place=place)


def _with_defaults(level: Mapping[str, Setting], model_type: str) -> Found:
    """The settings of one config, a table in them key by key; what is not given has its class's own default."""
    defaults = dict(recorded_defaults(model_type))
    for key, setting in level.items():
        default = defaults.pop(key, None)
        if setting.value is None and default is not None:
            yield key, replace(setting, value=default, is_given=False)
        else:
            yield from _flat(key, setting)
    for key, default in defaults.items():
        yield key, Setting(default, key, (key,), is_given=False, is_read=False)


def _flat(key: str, setting: Setting) -> Found:
    if not isinstance(setting.value, Mapping) or key in WHOLE:
        yield key, setting
        return
    for name, value in setting.value.items():
        if value is not None:
            spelled, place = f"{setting.spelled}.{name}", (*setting.place, str(name))
            yield from _flat(f"{key}.{name}", replace(setting, value=value, spelled=spelled, place=place))


def recorded_defaults(model_type: str) -> Mapping[str, object]:
    """Defaults of a published config class for keys that its schema here does not hold (tests/record_defaults.py)."""
    return _recorded().get(model_type, {})


@cache
def _recorded() -> dict[str, dict[str, object]]:
    text = (Path(__file__).parent / "defaults.json").read_text(encoding="utf-8")
    table = cast(dict[str, list[list[object]]], json.loads(text))
    found: dict[str, dict[str, object]] = {}
    for key, values in table.items():
        for value, *model_types in values:
            for model_type in model_types:
                found.setdefault(str(model_type), {})[key] = value
    return found
