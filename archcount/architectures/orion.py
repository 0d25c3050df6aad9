"""Orion: Llama's layer with LayerNorms."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm, pre_norm_layer
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class OrionConfig(DecoderConfig, Rotary):
    vocab_size: Size = 84608
    hidden_size: Size = 4096
    intermediate_size: Size = 15360
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 40
    num_key_value_heads: Count | None = 40
    attention_bias: bool = False
    hidden_act: str = "silu"


@architecture("orion", config=OrionConfig)
def orion(config: OrionConfig) -> Module:
    hidden, heads, norm = config.hidden_size, config.num_attention_heads, layer_norm(config.hidden_size)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    return decoder_lm(config, repeat(config.num_hidden_layers, pre_norm_layer(self_attn, mlp, norm)), norm)
