"""Phi-3 and Phi-4: Llama with query, key and value in one matrix, and gate and up in another."""

from __future__ import annotations

from ..blocks import fused_attention, fused_gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Stack, repeat


class Phi3Config(DecoderConfig, Rotary):
    vocab_size: Size = 32064
    hidden_size: Size = 3072
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    sliding_window: Size | None = None
    hidden_act: str = "silu"


@architecture("phi3", config=Phi3Config)
def phi3(config: Phi3Config) -> Module:
    return decoder_lm(config, phi3_layers(config), rms_norm(config.hidden_size))


def phi3_layers(config: Phi3Config) -> Stack:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = fused_attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads or heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        window=config.sliding_window,
        positions=config.rope,
    )
    mlp = fused_gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    return repeat(config.num_hidden_layers, pre_norm_layer(self_attn, mlp, rms_norm(hidden)))
