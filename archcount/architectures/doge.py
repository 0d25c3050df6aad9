"""Doge: attention under a learned mask, weighed residuals, and where asked a retrieval of tiny experts."""

from __future__ import annotations

import math
from typing import ClassVar

from ..blocks import attention, gated_mlp, linear, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Routed, Tensor, Use, module, repeat


class DogeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32768
    hidden_size: Size = 1024
    intermediate_size: Size = 2048
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 8
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    mlp_bias: bool = False
    sliding_window: Size | None = None
    is_moe: bool = False
    num_experts: Count = 16384
    num_experts_per_tok: Count = 64
    hidden_act: str = "silu"
    ignored: ClassVar[frozenset[str]] = frozenset({"keep_window_size"})  # how many tokens the mask keeps


@architecture("doge", config=DogeConfig)
def doge(config: DogeConfig) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    if config.is_moe:
        mlp = retrieving(mlp, hidden, config.num_experts, config.num_experts_per_tok)
    weigh = Tensor((hidden,), Use.SCALE)
    layer = pre_norm_layer(masked_attention(config), mlp, rms_norm(hidden))
    layer = layer.prepend(input_residual=weigh, post_attention_residual=weigh)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


def masked_attention(config: DogeConfig) -> Module:
    """Attention with QK-norm whose mask comes from the values: `A` [kv_heads] and `dt_proj` [kv_heads, values]."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    kv_heads, head_dim = config.num_key_value_heads or heads, config.head_dim or exact_div(hidden, heads)
    bias = config.attention_bias
    return attention(
        hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window,
        positions=config.rope,
    ).extend(A=Tensor((kv_heads,)), dt_proj=linear(kv_heads * head_dim, kv_heads, bias=bias))


def retrieving(mlp: Module, hidden: int, experts: int, active: int) -> Module:
    """`mlp` for every token, and `active` of `experts` pairs of vectors found by a product key of 2 × ⌊√experts⌋."""
    table = module(Role.EXPERTS, weight=Tensor((experts, hidden), Use.MATMUL)).marked(routed=Routed(active, experts))
    keys = linear(hidden, 2 * math.isqrt(experts), role=Role.ROUTER)
    return mlp.extend(router_gate=keys, down_embed=table, up_embed=table)
