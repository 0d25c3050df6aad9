"""Cohere Compass's language model: Command R7B's layers, without a window unless the config lists one."""

from __future__ import annotations

from ..config import Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import FULL, layer_kinds, stack_of, windows
from ..tree import Module
from .cohere import CohereConfig, norm, parallel_layer


class CohereCompassTextConfig(CohereConfig):
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None


@architecture("cohere_compass_text", config=CohereCompassTextConfig)
def cohere_compass_text(config: CohereCompassTextConfig) -> Module:
    head_dim = exact_div(config.hidden_size, config.num_attention_heads)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda _: FULL)

    def layer(window: int | None) -> Module:
        return parallel_layer(config, head_dim, window=window)

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), norm(config))
