"""Hunyuan 3: QK-norm attention, then experts chosen by a corrected score beside an MLP that every token visits."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    followed_by,
    gated_mlp,
    mixture,
    pre_norm_layer,
    rms_norm,
    routed_experts,
    router,
    sharing_look_ahead_layer,
)
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import SPARSE, dense_first, mlp_layer_kinds, stack_of
from ..tree import Module, module


class HyV3Config(DecoderConfig, Rotary):
    vocab_size: Size = 120832
    hidden_size: Size = 4096
    intermediate_size: Size = 13312
    num_hidden_layers: Count = 80
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    hidden_act: str = "silu"
    attention_bias: bool = False
    mlp_bias: bool = False
    num_experts: Count = 192
    num_experts_per_tok: Count = 8
    num_shared_experts: CountOrZero = 1
    moe_intermediate_size: Size = 1536
    mlp_layer_types: list[str] | None = None
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}


@architecture("hy_v3", config=HyV3Config)
def hy_v3(config: HyV3Config) -> Module:
    hidden = config.hidden_size
    self_attn = attention(
        hidden,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(config.head_dim),
        key_norm=rms_norm(config.head_dim),
        positions=config.rope,
    )
    dense = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)

    def layer(kind: str) -> Module:
        return pre_norm_layer(self_attn, _experts(config) if kind == SPARSE else dense, rms_norm(hidden))

    kinds = mlp_layer_kinds(config.num_hidden_layers, config.mlp_layer_types, dense_first(1))
    layers, further = stack_of(kinds, layer), sharing_look_ahead_layer(layer(SPARSE), hidden)
    stacked = followed_by(layers, further, len(kinds), config.num_nextn_predict_layers)
    return decoder_lm(config, stacked, rms_norm(hidden))


def _experts(config: HyV3Config) -> Module:
    hidden, inner, experts = config.hidden_size, config.moe_intermediate_size, config.num_experts
    active, activation, shared = config.num_experts_per_tok, config.hidden_act, config.num_shared_experts * inner
    return mixture(
        experts,
        active,
        router=module(gate=router(hidden, experts)),
        expert_bias=bias_of(experts),
        experts=routed_experts(hidden, inner, experts=experts, active=active, activation=activation),
        shared_mlp=gated_mlp(hidden, shared, bias=config.mlp_bias, activation=activation) if shared else None,
    )
