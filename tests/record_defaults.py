"""Record the defaults of keys that no tensor depends on: `archcount/difference/defaults.json`.

    python tests/record_defaults.py

Needs transformers. `archcount diff` reads the file, so that a key spelled out at its default is no difference. Sizes
are not in it: a schema states their defaults itself.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from archcount import registry
from archcount.config import looks_like_a_size

FILE = Path(__file__).parent.parent / "archcount" / "difference" / "defaults.json"
LONGEST_LIST = 8
NOT_A_SETTING = frozenset({"architectures", "dtype", "model_type", "transformers_version"})


def plain(value: object) -> bool:
    if isinstance(value, list | tuple):
        return len(value) <= LONGEST_LIST and all(isinstance(each, bool | int | float | str) for each in value)
    return isinstance(value, bool | int | float | str)


def stated(kind: type[transformers.PreTrainedConfig]) -> dict[str, object]:
    """The literal defaults of a config class, and its rotary base where it has one."""
    found = {field.name: default(field) for field in dataclasses.fields(kind)}
    if "rope_parameters" in found:
        found["rope_theta"] = getattr(kind, "default_theta", None)
    kept = {key: list(value) if isinstance(value, tuple) else value for key, value in found.items() if plain(value)}
    return {key: value for key, value in kept.items() if key not in NOT_A_SETTING}


def default(field: dataclasses.Field[object]) -> object:
    if field.default is not dataclasses.MISSING:
        return field.default
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def unstated_by_schema(model_type: str, found: dict[str, object]) -> dict[str, object]:
    """Without the keys whose default archcount's own schema states, or derives."""
    schema = registry.find(model_type).schema
    fields = schema.model_fields

    def is_stated(key: str) -> bool:
        field = fields.get(schema.also_spelled.get(key, key))
        if field is None:
            return False
        stated = field.is_required() or field.get_default(call_default_factory=True) is not None
        return stated or looks_like_a_size(key)

    return {key: value for key, value in found.items() if not is_stated(key)}


def recorded() -> dict[str, list[list[object]]]:
    """For each key its defaults, each with the types that have it."""
    found: dict[str, dict[str, list[str]]] = {}
    for model_type in registry.model_types():
        if model_type in CONFIG_MAPPING:
            for key, value in unstated_by_schema(model_type, stated(CONFIG_MAPPING[model_type])).items():
                found.setdefault(key, {}).setdefault(json.dumps(value), []).append(model_type)
    return {key: [[json.loads(text), *types] for text, types in sorted(found[key].items())] for key in sorted(found)}


if __name__ == "__main__":
    table = recorded()
    lines = (f"{json.dumps(key)}: {json.dumps(values)}" for key, values in table.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(table)} keys, {FILE.stat().st_size:,} bytes, transformers {transformers.__version__}")
