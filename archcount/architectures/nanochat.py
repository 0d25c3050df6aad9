"""NanoChat: norms without a gain, so that only matrices are stored; squared ReLU."""

from __future__ import annotations

from ..blocks import attention, mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class NanoChatConfig(DecoderConfig, Rotary):
    vocab_size: Size = 50304
    hidden_size: Size = 768
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 6
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    hidden_act: str = "relu2"


@architecture("nanochat", config=NanoChatConfig)
def nanochat(config: NanoChatConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    norm, head_norm = rms_norm(hidden, weight=False), rms_norm(head_dim, weight=False)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=head_norm,
        key_norm=head_norm,
        positions=config.rope,
    )
    feed_forward = mlp(hidden, config.intermediate_size, bias=False, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, feed_forward, norm)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)
