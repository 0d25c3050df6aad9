"""OLMo 3: OLMo 2 with a window on three layers of four."""

from __future__ import annotations

from ..blocks import gated_mlp, post_norm_layer, rms_norm
from ..config import Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module
from .olmo2 import Olmo2Config, olmo_attention


class Olmo3Config(Olmo2Config):
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None


@architecture("olmo3", config=Olmo3Config)
def olmo3(config: Olmo3Config) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(4))

    def layer(window: int | None) -> Module:
        return post_norm_layer(olmo_attention(config, window), mlp, rms_norm(hidden))

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), rms_norm(hidden))
