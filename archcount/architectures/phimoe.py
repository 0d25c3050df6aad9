"""Phi-3.5-MoE: Mixtral with layer norms, which have a bias."""

from __future__ import annotations

from ..blocks import layer_norm
from ..config import Count, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .mixtral import MixtralKeys, mixtral_layer


class PhimoeConfig(MixtralKeys):
    vocab_size: Size = 32064
    hidden_size: Size = 4096
    intermediate_size: Size = 6400
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_local_experts: Count = 16
    attention_bias: bool = False
    lm_head_bias: bool = False


@architecture("phimoe", config=PhimoeConfig)
def phimoe(config: PhimoeConfig) -> Module:
    norm = layer_norm(config.hidden_size)
    layer = mixtral_layer(config, norm, bias=config.attention_bias)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm, head_bias=config.lm_head_bias)
