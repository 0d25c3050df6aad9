"""What is wrong with a config, in one line: the key as the config spells it, what was found, what it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from pydantic import BaseModel, ValidationError

LONGEST = 40  # characters of a value in an error
LONGEST_NAME = 100  # of a class's name there

Location = tuple[int | str, ...]


def fault(error: ValidationError, schema: type[BaseModel], raw: object, parent: str = "") -> str:
    """The first fault of `raw`, read as `schema`, and how many more keys have one; `parent` is where `raw` stands."""
    errors = error.errors(include_url=False)
    keys = [f"{parent}{_key(found['loc'], schema, raw)}".lstrip(".") for found in errors]
    first = keys[0]
    within = [first, *(key for key in keys if key.startswith((f"{first}.", f"{first}[")))]
    key = max(within, key=len)  # where a key takes one of several types, the one the value comes nearest to
    chosen, others = errors[keys.index(key)], len({*keys} - {*within})
    more = f" (and {others} more)" if others else ""
    if chosen["type"] == "missing":
        return f"{key} is missing, and its model_type has no default: give it in the config or with --set {key}=…{more}"
    if not key:
        return f"{chosen['msg'].removeprefix('Value error, ')}{more}"
    return f"{key} is {shown(chosen['input'])}: {_demand(chosen['msg'])}{more}"


def shown(value: object, longest: int = LONGEST) -> str:
    """A value in an error: shortened where it is long."""
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 10]}… ({type(value).__name__}, {len(text)} characters)"


def _demand(message: str) -> str:
    message = message.removeprefix("Value error, ").removeprefix("Input ")
    return message.replace("should be a valid integer", "should be a whole number")


def _key(location: Location, schema: type[BaseModel] | None, raw: object) -> str:
    """`.text_config.layers[3]`, as `raw` spells it, and without pydantic's names for members of a union."""
    key = ""
    for step in location:
        if isinstance(step, int):
            key += f"[{step}]"
            raw, schema = _item(raw, step), None
        elif isinstance(raw, Mapping) and (schema is not None or step in raw):
            given = _spelling(step, schema, raw)
            key += f".{given}"
            raw, schema = raw.get(given), _nested(schema, step)
    return key


def _spelling(name: str, schema: type[BaseModel] | None, raw: Mapping[str, object]) -> str:
    spellings: Mapping[str, str] = getattr(schema, "also_spelled", {})
    other = (key for key, spelled in spellings.items() if spelled == name and raw.get(key) is not None)
    return name if raw.get(name) is not None else next(other, name)


def _item(raw: object, index: int) -> object:
    return raw[index] if isinstance(raw, Sequence) and index < len(raw) else None


def _nested(schema: type[BaseModel] | None, name: str) -> type[BaseModel] | None:
    """The schema under a key, None where what stands there is none."""
    field = schema.model_fields.get(name) if schema else None
    candidates = (field.annotation, *get_args(field.annotation)) if field else ()
    return next((type_ for type_ in candidates if isinstance(type_, type) and issubclass(type_, BaseModel)), None)
