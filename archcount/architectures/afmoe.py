"""Arcee's Trinity (AFMoE): gated attention, most of it through a window, and a norm on either side of each part."""

from __future__ import annotations

from ..blocks import attention, bias_of, gated_mlp, linear, mixture, rms_norm, routed_experts, router
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import SLIDING, full_every, layer_kinds, stack_of
from ..tree import Module, module


class AfmoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 200192
    hidden_size: Size = 2048
    intermediate_size: Size = 6144
    moe_intermediate_size: Size = 1408
    num_hidden_layers: Count = 32
    num_dense_layers: CountOrZero = 1
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = None
    head_dim: Size | None = 128
    hidden_act: str = "silu"
    attention_bias: bool = False
    num_experts: Count = 64
    num_experts_per_tok: Count = 6
    num_shared_experts: CountOrZero = 2
    global_attn_every_n_layers: Count = 4
    sliding_window: Size | None = 1024
    layer_types: list[str] | None = None


@architecture("afmoe", config=AfmoeConfig)
def afmoe(config: AfmoeConfig) -> Module:
    hidden, layers, norm = config.hidden_size, config.num_hidden_layers, rms_norm(config.hidden_size)
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)

    def layer(kind: tuple[str, bool]) -> Module:
        attends, is_dense = kind
        return module(
            None,
            "pre- and post-norm",
            self_attn=_attention(config, attends),
            mlp=dense if is_dense else _experts(config),
            input_layernorm=norm,
            post_attention_layernorm=norm,
            pre_mlp_layernorm=norm,
            post_mlp_layernorm=norm,
        )

    kinds = layer_kinds(layers, config.layer_types, full_every(config.global_attn_every_n_layers))
    is_dense = [index < config.num_dense_layers for index in range(layers)]
    return decoder_lm(config, stack_of(zip(kinds, is_dense, strict=True), layer), norm)


def _attention(config: AfmoeConfig, kind: str) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    ).extend(gate_proj=linear(hidden, heads * head_dim))


def _experts(config: AfmoeConfig) -> Module:
    hidden, inner, experts = config.hidden_size, config.moe_intermediate_size, config.num_experts
    active, activation, shared = config.num_experts_per_tok, config.hidden_act, config.num_shared_experts * inner
    return mixture(
        experts,
        active,
        router=module(gate=router(hidden, experts)),
        expert_bias=bias_of(experts),
        experts=routed_experts(hidden, inner, experts=experts, active=active, activation=activation),
        shared_experts=gated_mlp(hidden, shared, activation=activation) if shared else None,
    )
