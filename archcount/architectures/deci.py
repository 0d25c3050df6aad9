"""DeciLM: Llama with a number of key-value heads of its own in each layer."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import checked_length, stack_of
from ..tree import Module
from .llama import LlamaConfig


class DeciConfig(LlamaConfig):
    num_key_value_heads_per_layer: list[Count] | None = None


@architecture("deci", config=DeciConfig)
def deci(config: DeciConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    listed = config.num_key_value_heads_per_layer or [config.num_key_value_heads or heads] * config.num_hidden_layers
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)

    def layer(kv_heads: int) -> Module:
        self_attn = attention(
            hidden,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=exact_div(hidden, heads),
            bias=config.attention_bias,
            positions=config.rope,
        )
        return pre_norm_layer(self_attn, mlp, rms_norm(hidden))

    kinds = checked_length(listed, config.num_hidden_layers, "num_key_value_heads_per_layer")
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))
