"""Qwen2-VL and Qwen2.5-VL: Qwen2's decoder under its own names, beside it a tower that merges patches in squares."""

from __future__ import annotations

from ..config import Count, CountOrZero, ModelConfig, Size
from ..flat import FlatTextConfig
from ..multimodal import with_language_on_top
from ..nested import nested, ties
from ..registry import architecture
from ..tree import Module
from .qwen2 import Qwen2Config, qwen2
from .towers.pictures import QWEN_IMAGES, QWEN_WINDOWED
from .towers.qwen2_vl import Qwen2VisionConfig, Qwen25VisionConfig, qwen2_5_vision, qwen2_vision

NESTED = {"model.language_model.": "model.", "model.visual.": "visual."}
"""How files written by transformers 4.52 to 4.57 spell the prefixes."""


class Qwen2VLTextConfig(Qwen2Config):
    vocab_size: Size = 152064
    hidden_size: Size = 8192
    intermediate_size: Size = 29568
    num_hidden_layers: Count = 80
    num_attention_heads: Count = 64
    num_key_value_heads: Count | None = 8
    max_window_layers: CountOrZero = 80


class _SeeingConfig(FlatTextConfig):
    text_config: ModelConfig
    tie_word_embeddings: bool = False

    @property
    def is_tied(self) -> bool:
        """Is the head the embedding table? Either level may say so."""
        return self.tie_word_embeddings or ties(self.text_config)


class Qwen2VLConfig(_SeeingConfig):
    text_config: ModelConfig = nested("qwen2_vl_text")
    vision_config: Qwen2VisionConfig = Qwen2VisionConfig()


class Qwen25VLConfig(_SeeingConfig):
    text_config: ModelConfig = nested("qwen2_5_vl_text")
    vision_config: Qwen25VisionConfig = Qwen25VisionConfig()


@architecture("qwen2_vl_text", "qwen2_5_vl_text", config=Qwen2VLTextConfig)
def qwen2_vl_text(config: Qwen2VLTextConfig) -> Module:
    return qwen2(config)


@architecture("qwen2_vl", config=Qwen2VLConfig, spellings=NESTED, images=QWEN_IMAGES)
def qwen2_vl(config: Qwen2VLConfig) -> Module:
    parts = {"visual": qwen2_vision(config.vision_config)}
    return with_language_on_top(config, config.text_config, parts, tie=config.is_tied)


@architecture("qwen2_5_vl", config=Qwen25VLConfig, spellings=NESTED, images=QWEN_WINDOWED)
def qwen2_5_vl(config: Qwen25VLConfig) -> Module:
    parts = {"visual": qwen2_5_vision(config.vision_config)}
    return with_language_on_top(config, config.text_config, parts, tie=config.is_tied)
