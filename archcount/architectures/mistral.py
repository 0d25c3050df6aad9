"""Mistral: Llama's layer, where a token attends to no more than `sliding_window` tokens."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class MistralConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    sliding_window: Size | None = 4096
    hidden_act: str = "silu"


@architecture("mistral", config=MistralConfig)
def mistral(config: MistralConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = pre_norm_layer(
        attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            window=config.sliding_window,
            positions=config.rope,
        ),
        gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
