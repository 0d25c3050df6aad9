"""OLMo 3: OLMo 2 with a window on three layers of four."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, post_norm_layer, rms_norm
from ..config import Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module
from .olmo2 import Olmo2Config


class Olmo3Config(Olmo2Config):
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None


@architecture("olmo3", config=Olmo3Config)
def olmo3(config: Olmo3Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    kv_heads, head_dim = config.num_key_value_heads or heads, config.head_dim or exact_div(hidden, heads)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(4))

    def layer(window: int | None) -> Module:
        self_attn = attention(
            hidden,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            bias=config.attention_bias,
            query_norm=rms_norm(heads * head_dim),
            key_norm=rms_norm(kv_heads * head_dim),
            window=window,
            positions=config.rope,
        )
        mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
        return post_norm_layer(self_attn, mlp, rms_norm(hidden))

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), rms_norm(hidden))
