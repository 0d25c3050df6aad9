"""OLMoE and FlexOlmo: OLMo with experts, and a norm over the whole query and the whole key."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, post_norm_layer, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class OlmoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 50304
    hidden_size: Size = 2048
    intermediate_size: Size = 2048
    num_hidden_layers: Count = 16
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    num_experts_per_tok: Count = 8
    num_experts: Count = 64
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}


class FlexOlmoConfig(OlmoeConfig):
    vocab_size: Size = 100352
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_experts_per_tok: Count = 5
    num_experts: Count = 7


@architecture("olmoe", config=OlmoeConfig)
@architecture("flex_olmo", config=FlexOlmoConfig)
def olmoe(config: OlmoeConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    kv_heads, head_dim = config.num_key_value_heads or heads, config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(heads * head_dim),
        key_norm=rms_norm(kv_heads * head_dim),
        positions=config.rope,
    )
    mlp = sparse_mlp(
        hidden,
        config.intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
    )
    around = post_norm_layer if isinstance(config, FlexOlmoConfig) else pre_norm_layer
    layer = around(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
