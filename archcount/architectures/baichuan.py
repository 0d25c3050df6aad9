"""Baichuan and Baichuan 2: Llama's layer with query, key and value in one matrix; the 13B with ALiBi for positions."""

from __future__ import annotations

from ..blocks import fused_attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class BaichuanConfig(DecoderConfig, Rotary):
    vocab_size: Size = 125696
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    hidden_act: str = "silu"


@architecture("baichuan", config=BaichuanConfig)
def baichuan(config: BaichuanConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = pre_norm_layer(
        fused_attention(
            hidden,
            heads=heads,
            head_dim=exact_div(hidden, heads),
            positions="ALiBi" if heads == 40 else config.rope,  # the same class name stands for both
            names=("W_pack", "o_proj"),
        ),
        gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
