"""GLM-4: biases on query, key and value, gate and up in one matrix; the 0414 series adds a norm after each part."""

from __future__ import annotations

from ..blocks import attention, fused_gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class GlmConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151552
    hidden_size: Size = 4096
    intermediate_size: Size = 13696
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 2
    head_dim: Size | None = 128
    attention_bias: bool = True
    hidden_act: str = "silu"


class Glm4Config(GlmConfig):
    pass


@architecture("glm", config=GlmConfig)
def glm(config: GlmConfig) -> Module:
    return decoder_lm(config, repeat(config.num_hidden_layers, glm_layer(config)), rms_norm(config.hidden_size))


@architecture("glm4", config=Glm4Config)
def glm4(config: GlmConfig) -> Module:
    return decoder_lm(config, repeat(config.num_hidden_layers, glm4_layer(config)), rms_norm(config.hidden_size))


def glm4_layer(config: GlmConfig) -> Module:
    """GLM's layer with a norm after each part as well."""
    norm = rms_norm(config.hidden_size)
    layer = glm_layer(config).extend(post_self_attn_layernorm=norm, post_mlp_layernorm=norm)
    return layer.marked(kind="pre- and post-norm")


def glm_layer(config: GlmConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        out_bias=False,
        positions=config.rope,
    )
    mlp = fused_gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    return pre_norm_layer(self_attn, mlp, rms_norm(hidden))
