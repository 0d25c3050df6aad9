"""Configs inside a config: each is read by the schema of its own model_type, and built by its own rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field, model_validator

from . import registry
from .config import ModelConfig, read_nested
from .errors import ConfigValueError, UnknownArchitectureError
from .faults import shown
from .tree import Module


@dataclass(frozen=True, slots=True)
class Nested:
    """What a nested config is where it is absent, and the model_type it has where it names none.

    Where they are `kept`, one that is given takes from `values` what it lacks.
    """

    model_type: str
    values: Mapping[str, object]
    kept: bool = False

    def read(self, raw: Mapping[str, object], where: str) -> ModelConfig:
        """The config as the schema of its own model_type types it.

        Raises ConfigValueError: a key missing or wrong. UnknownArchitectureError: a model_type without a rule.
        """
        named = raw.get("model_type") or self.model_type
        if not isinstance(named, str):
            raise ConfigValueError(f"{where}.model_type is {shown(named)}: should be a string")
        known = registry.look_up(named)
        if known is None:
            mend = "its parts cannot be counted by another's rule"
            raise UnknownArchitectureError(f"{where}: no rule for model_type {shown(named)}; {mend}")
        below = self.values if self.kept else {}
        config = read_nested(known.schema, {**below, **raw, "model_type": named}, where)
        config.model_fields_set.difference_update(below.keys() - raw.keys())
        return config

    def __call__(self) -> ModelConfig:
        """The config of a model that gives none: nothing in it counts as given."""
        config = self.read(self.values, self.model_type)
        return type(config).model_construct(set(), **config.__dict__)


def nested(model_type: str, **values: object) -> Any:  # noqa: ANN401 - the default of a field of any schema
    """A field of a `CompositeConfig`: a nested config, of `model_type` unless it names another.

    `values` are those of the outer class where it is absent altogether; one that is given takes its own class's.
    """
    return Field(default_factory=Nested(model_type, values))


def nested_over(model_type: str, **values: object) -> Any:  # noqa: ANN401 - as above
    """As `nested`, but one that is given takes from `values` too what it lacks, before its own class's."""
    return Field(default_factory=Nested(model_type, values, kept=True))


class CompositeConfig(ModelConfig):
    """The config of a model made of several: a field made by `nested` holds a config of any known model_type."""

    @model_validator(mode="before")
    @classmethod
    def _read_nested(cls, raw: object) -> object:
        if not isinstance(raw, Mapping):
            return raw
        return {key: cls._read_one(key, value) for key, value in raw.items()}

    @classmethod
    def _read_one(cls, key: str, value: object) -> object:
        field = cls.model_fields.get(cls.also_spelled.get(key, key))
        default = field and field.default_factory
        return default.read(value, key) if isinstance(default, Nested) and isinstance(value, Mapping) else value


def size_of(config: ModelConfig, key: str) -> int:
    """A size that every part has under one key or another: `hidden_size`, which GPT-2 spells `n_embd`.

    Raises ConfigValueError: this model_type has none.
    """
    size = getattr(config, config.also_spelled.get(key, key), None)
    if not isinstance(size, int):
        raise ConfigValueError(f"model_type {config.model_type!r} has no {key}: it cannot be a part of this model")
    return size


def ties(config: ModelConfig) -> bool:
    """Does a config of whatever family say that its head is the embedding table? Not every family has the key."""
    return bool(getattr(config, "tie_word_embeddings", False))


def built(config: ModelConfig, **changed: object) -> Module:
    """What the rule of a nested config's own model_type makes of it, whatever class it names; `changed` lays keys over.

    Raises ConfigValueError: sizes that cannot go together.
    """
    plain = config.model_copy(update={"architectures": None, "auto_map": None, **changed})
    return registry.find(config.model_type).rule(plain)
