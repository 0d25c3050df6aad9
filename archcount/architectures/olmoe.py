"""OLMoE and FlexOlmo: OLMo with experts, and a norm over the whole query and the whole key."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import post_norm_layer, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .olmo2 import OlmoAttentionKeys, olmo_attention


class OlmoeConfig(OlmoAttentionKeys):
    vocab_size: Size = 50304
    hidden_size: Size = 2048
    intermediate_size: Size = 2048
    num_hidden_layers: Count = 16
    num_attention_heads: Count = 16
    hidden_act: str = "silu"
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
    hidden = config.hidden_size
    mlp = sparse_mlp(
        hidden,
        config.intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
    )
    around = post_norm_layer if isinstance(config, FlexOlmoConfig) else pre_norm_layer
    layer = around(olmo_attention(config), mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
