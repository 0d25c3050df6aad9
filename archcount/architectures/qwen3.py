"""Qwen3: no biases on query, key and value any more, but a norm on each head's query and key."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module
from .qwen2 import Qwen2Config


class Qwen3Config(Qwen2Config):
    head_dim: Size = 128
    attention_bias: bool = False


@architecture("qwen3", config=Qwen3Config)
def qwen3(config: Qwen3Config) -> Module:
    hidden, head_dim = config.hidden_size, config.head_dim

    def layer(window: int | None) -> Module:
        self_attn = attention(
            hidden,
            heads=config.num_attention_heads,
            kv_heads=config.num_key_value_heads,
            head_dim=head_dim,
            bias=config.attention_bias,
            query_norm=rms_norm(head_dim),
            key_norm=rms_norm(head_dim),
            window=window,
            positions=config.rope,
        )
        mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
        return pre_norm_layer(self_attn, mlp, rms_norm(hidden))

    return decoder_lm(config, stack_of(config.layer_windows(), layer), rms_norm(hidden))
