"""Nemotron, Jais 2 and Arcee: attention as in Llama, then a plain squared-ReLU MLP."""

from __future__ import annotations

from ..blocks import attention, layer_norm, mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class NemotronConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 6144
    intermediate_size: Size = 24576
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 48
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "relu2"


class Jais2Config(NemotronConfig):
    vocab_size: Size = 150272
    hidden_size: Size = 3328
    intermediate_size: Size = 26624
    num_attention_heads: Count = 26
    attention_bias: bool = True
    mlp_bias: bool = True


class ArceeConfig(NemotronConfig):
    vocab_size: Size = 32000
    hidden_size: Size = 2560
    intermediate_size: Size = 18432
    num_attention_heads: Count = 32


@architecture("nemotron", config=NemotronConfig)
@architecture("jais2", config=Jais2Config)
def nemotron(config: NemotronConfig) -> Module:
    return plain_decoder(config, layer_norm(config.hidden_size))


@architecture("arcee", config=ArceeConfig)
def arcee(config: ArceeConfig) -> Module:
    return plain_decoder(config, rms_norm(config.hidden_size))


def plain_decoder(config: NemotronConfig, norm: Module) -> Module:
    """A decoder with `norm` before attention, before the MLP and after the last layer."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    feed_forward = mlp(
        hidden,
        config.intermediate_size,
        bias=config.mlp_bias,
        activation=config.hidden_act,
        names=("up_proj", "down_proj"),
    )
    layer = pre_norm_layer(self_attn, feed_forward, norm)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)
