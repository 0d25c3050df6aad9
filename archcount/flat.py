"""Configs that once were flat: the language model's keys at the top level, from when the model was that and a tower."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import model_validator

from . import registry
from .config import ModelConfig
from .nested import CompositeConfig, Nested

OUTER = frozenset({*ModelConfig.model_fields, *ModelConfig.also_spelled, *ModelConfig.ignored, "tie_word_embeddings"})
"""Keys that say something of the whole model, wherever the language model's stand."""


class FlatTextConfig(CompositeConfig):
    """A composite whose `text_config`, where the config gives none, is what the top level says of a language model.

    Hugging Face's own class reads these files so. No other part of a model is ever read from the top level.
    """

    @model_validator(mode="before")
    @classmethod
    def _gather_text(cls, raw: object) -> object:
        return cls.unfolded(raw) if isinstance(raw, Mapping) else raw

    @classmethod
    def unfolded(cls, raw: Mapping[str, object]) -> Mapping[str, object]:
        """The keys of the language model in a `text_config`, where there is none yet."""
        model_type = None if raw.get("text_config") is not None else cls.text_type(raw)
        if model_type is None:
            return raw
        schema = registry.find(model_type).schema
        known = {*schema.model_fields, *schema.also_spelled, *schema.ignored} - OUTER
        text = {key: value for key, value in raw.items() if key in known}
        rest = {key: value for key, value in raw.items() if key not in known}
        return {**rest, "text_config": {**text, "model_type": model_type}} if text else raw

    @classmethod
    def text_type(cls, raw: Mapping[str, object]) -> str | None:
        """The language model's model_type: that of `text_config`, unless a family says it in another way."""
        default = cls.model_fields["text_config"].default_factory
        return default.model_type if isinstance(default, Nested) else None
