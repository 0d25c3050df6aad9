"""BitNet b1.58: a squared-ReLU gated MLP, and a further norm before each output projection."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class BitNetConfig(DecoderConfig, Rotary):
    vocab_size: Size = 128256
    hidden_size: Size = 2560
    intermediate_size: Size = 6912
    num_hidden_layers: Count = 30
    num_attention_heads: Count = 20
    num_key_value_heads: Count | None = 5
    head_dim: Size | None = None
    attention_bias: bool = False
    hidden_act: str = "relu2"


@architecture("bitnet", config=BitNetConfig)
def bitnet(config: BitNetConfig) -> Module:
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    ).extend(attn_sub_norm=rms_norm(hidden))
    mlp = gated_mlp(hidden, inner, activation=config.hidden_act).extend(ffn_sub_norm=rms_norm(inner))
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
