"""Phi-3.5-MoE: layer norms with a bias, and experts named as Mixtral's."""

from __future__ import annotations

from ..blocks import attention, layer_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class PhimoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32064
    hidden_size: Size = 4096
    intermediate_size: Size = 6400
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    hidden_act: str = "silu"
    sliding_window: Size | None = None
    num_local_experts: Count = 16
    num_experts_per_tok: Count = 2
    attention_bias: bool = False
    lm_head_bias: bool = False


@architecture("phimoe", config=PhimoeConfig)
def phimoe(config: PhimoeConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = module(
        None,
        "pre-norm",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            window=config.sliding_window,
            positions=config.rope,
        ),
        block_sparse_moe=sparse_mlp(
            hidden,
            config.intermediate_size,
            experts=config.num_local_experts,
            active=config.num_experts_per_tok,
            activation=config.hidden_act,
            expert_names=("w1", "w3", "w2"),
        ),
        input_layernorm=layer_norm(hidden),
        post_attention_layernorm=layer_norm(hidden),
    )
    layers = repeat(config.num_hidden_layers, layer)
    return decoder_lm(config, layers, layer_norm(hidden), head_bias=config.lm_head_bias)
