"""Cohere Compass: Command R7B's layers, without a window unless the config lists one, beside Qwen3-VL's tower."""

from __future__ import annotations

from ..config import ModelConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..schedules import FULL, layer_kinds, stack_of, windows
from ..tree import Module
from .cohere import CohereConfig, norm, parallel_layer
from .towers.qwen3_vl import DeepstackVisionConfig, qwen3_vision


class CohereCompassTextConfig(CohereConfig):
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None


class CohereCompassVisionConfig(DeepstackVisionConfig):
    model_type: str = "cohere_compass_vision"


class CohereCompassConfig(CompositeConfig):
    text_config: ModelConfig = nested("cohere_compass_text")
    vision_config: CohereCompassVisionConfig = CohereCompassVisionConfig()
    tie_word_embeddings: bool = False


@architecture("cohere_compass_text", config=CohereCompassTextConfig)
def cohere_compass_text(config: CohereCompassTextConfig) -> Module:
    head_dim = config.head_dim or exact_div(config.hidden_size, config.num_attention_heads)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda _: FULL)

    def layer(window: int | None) -> Module:
        return parallel_layer(config, head_dim, window=window)

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), norm(config))


@architecture("cohere_compass", config=CohereCompassConfig)
def cohere_compass(config: CohereCompassConfig) -> Module:
    parts = {"visual": qwen3_vision(config.vision_config)}
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)
