"""Fuyu: image patches go straight into a Persimmon decoder through one matrix, without a vision tower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import model_validator

from ..blocks import embedding, layer_norm, linear, lm_head
from ..config import ModelConfig, Size
from ..heads import refuse_other_heads
from ..registry import architecture
from ..tree import Module, Role, module
from .persimmon import PersimmonConfig, persimmon_layers


class FuyuTextConfig(PersimmonConfig):
    model_type: str = "persimmon"


TEXT_KEYS = FuyuTextConfig.model_fields.keys() - ModelConfig.model_fields.keys() - {"tie_word_embeddings"}


class FuyuConfig(ModelConfig):
    text_config: FuyuTextConfig = FuyuTextConfig()
    patch_size: Size = 30
    num_channels: Size = 3
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"image_size"})

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, raw: object) -> object:
        """Older configs hold the language model's keys at the top level."""
        if not isinstance(raw, Mapping) or raw.get("text_config") is not None:
            return raw
        text = {key: value for key, value in raw.items() if key in TEXT_KEYS}
        rest = {key: value for key, value in raw.items() if key not in TEXT_KEYS}
        return {**rest, "text_config": text} if text else rest


@architecture("fuyu", config=FuyuConfig)
def fuyu(config: FuyuConfig) -> Module:
    bare = config.class_name == "FuyuModel"
    if not bare:
        refuse_other_heads(config)
    text, patch = config.text_config, config.patch_size * config.patch_size * config.num_channels
    hidden, vocab = text.hidden_size, text.vocab_size
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=persimmon_layers(text),
        final_layernorm=layer_norm(hidden),
    )
    patches = linear(patch, hidden, bias=True, role=Role.EMBEDDING)
    tied_to = "language_model.model.embed_tokens.weight" if config.tie_word_embeddings else None
    return module(
        language_model=module(model=model, lm_head=None if bare else lm_head(hidden, vocab, tied_to=tied_to)),
        vision_embed_tokens=patches.marked(kind="patch embedding", section="vision"),
    )
