"""From a model_type to its schema and rule; imports one architecture file, and only when asked."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from .config import ModelConfig
from .errors import ConfigValueError, UnknownArchitectureError, UsageError
from .faults import shown
from .tree import Module

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .images.seen import ImageRule

AnyRule = TypeVar("AnyRule", bound=Callable[..., Module])  # takes the schema, or one above it that several share


@dataclass(frozen=True, slots=True)
class Architecture:
    """A schema, the rule that reads it, and the other spellings published files use for its tensor names.

    `spellings` maps a prefix as met in files to the prefix of the rule; `renamed` a last part (`gamma` → `weight`), or
    some parts in a row wherever they stand (`mlp.gate` → `mlp.router`).
    `images` is how the family cuts an image, None where that is not known.
    """

    model_type: str
    schema: type[ModelConfig]
    rule: Callable[[Any], Module]
    spellings: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    images: ImageRule | None = None


_known: dict[str, Architecture] = {}


def architecture(
    *model_types: str,
    config: type[ModelConfig],
    spellings: Mapping[str, str] | None = None,
    renamed: Mapping[str, str] | None = None,
    images: ImageRule | None = None,
) -> Callable[[AnyRule], AnyRule]:
    """Register the decorated function as the rule of these model_types; several schemas may be stacked on one rule.

    Raises UsageError: a model_type that already has an owner.
    """

    def add(rule: AnyRule) -> AnyRule:
        for model_type in model_types:
            owner = _owner(model_type)
            if owner not in (None, rule.__module__):
                raise UsageError(f"model_type {model_type!r} has two owners: {owner}, {rule.__module__}")
            _known[model_type] = Architecture(model_type, config, rule, spellings or {}, renamed or {}, images)
        return rule

    return add


def find(model_type: str) -> Architecture:
    """The architecture of a model_type.

    Raises UnknownArchitectureError: nobody has written a rule for it; the message names the nearest.
    """
    known = look_up(model_type)
    if known is None:
        raise UnknownArchitectureError(_unknown(model_type))
    return known


def look_up(model_type: str) -> Architecture | None:
    """The architecture of a model_type, None where nobody has written a rule for it."""
    if model_type not in _known and (file := _file_of(model_type)):
        importlib.import_module(f"{__package__}.architectures.{file}")
    if model_type not in _known:
        _load_entry_point(model_type)
    return _known.get(model_type)


def model_type_of(raw: Mapping[str, object], where: str) -> str:
    """The model_type a config is counted by: its own, or that of Meta's and Mistral's params.json.

    Raises ConfigValueError: none is named.
    """
    model_type = raw.get("model_type")
    if isinstance(model_type, str) and model_type:
        return model_type
    if model_type not in (None, ""):
        raise ConfigValueError(f"{where}: model_type is {shown(model_type)}: should be a string")
    if "dim" in raw and "n_layers" in raw:
        return "params.json"
    if "peft_type" in raw:
        base = raw.get("base_model_name_or_path") or "the model it was made for"
        mend = f"count its base, {base}, and see what it holds itself with archcount weights"
        raise ConfigValueError(f"{where}: is the config of an adapter, not of a model: {mend}")
    if isinstance(raw.get("_class_name"), str):
        mend = "which has no rule here; archcount weights adds up its files"
        raise ConfigValueError(f"{where}: is the config of a class of diffusers, {shown(raw['_class_name'])}, {mend}")
    mend = "add it to the config, or name one with --as (llama, qwen3 …)"
    raise ConfigValueError(f"{where}: model_type is missing: {mend}")


def model_types() -> list[str]:
    """Every model_type there is a rule for, sorted: archcount's own, those of --rules and of installed packages."""
    return sorted({*at_hand(), *(entry_point.name for entry_point in _entry_points())})


def at_hand() -> set[str]:
    """The model_types known without a search for installed packages, which takes milliseconds."""
    from .architectures.aliases import FILE_OF  # noqa: PLC0415 - only listings need it

    return {*FILE_OF, *_known}


def _owner(model_type: str) -> str | None:
    """The module that holds the rule of a model_type."""
    if model_type in _known:
        return _known[model_type].rule.__module__
    file = _file_of(model_type)
    return f"{__package__}.architectures.{file}" if file else None


def _file_of(model_type: str) -> str | None:
    from .architectures.aliases import FILE_OF  # noqa: PLC0415 - not needed to register a rule

    return FILE_OF.get(model_type)


def _load_entry_point(model_type: str) -> None:
    for entry_point in _entry_points():
        if entry_point.name == model_type:
            entry_point.load()


def _entry_points() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and only an unknown type or a list needs it

    return entry_points(group="archcount.architectures")


def _unknown(model_type: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only an error needs it

    nearest = get_close_matches(model_type.lower(), model_types(), n=3, cutoff=0.5)
    hint = f"nearest: {', '.join(nearest)}; " if nearest else ""
    mend = "count it by another's rule with --as TYPE (archcount architectures), its files with archcount weights"
    return f"no rule for model_type {shown(model_type)}: {hint}{mend}"
