"""Qwen2-MoE: many small experts beside a gated expert that every token visits."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, linear, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size, SizeOrZero
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of
from ..tree import Module


class Qwen2MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 2048
    intermediate_size: Size = 5632
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 16
    head_dim: Size | None = None
    hidden_act: str = "silu"
    qkv_bias: bool = True
    use_sliding_window: bool = False
    sliding_window: SizeOrZero | None = 4096
    max_window_layers: CountOrZero = 28
    layer_types: list[str] | None = None
    decoder_sparse_step: Count = 1
    mlp_only_layers: list[CountOrZero] | None = None
    moe_intermediate_size: Size = 1408
    shared_expert_intermediate_size: Size = 5632
    num_experts_per_tok: Count = 4
    num_experts: CountOrZero = 60


@architecture("qwen2_moe", config=Qwen2MoeConfig)
def qwen2_moe(config: Qwen2MoeConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers

    def slides(index: int) -> str:
        every_other = index % 2 == 0 and index < config.max_window_layers
        return SLIDING if config.use_sliding_window and every_other else FULL

    def is_sparse(index: int) -> bool:
        due = config.num_experts > 0 and (index + 1) % config.decoder_sparse_step == 0
        return due and index not in (config.mlp_only_layers or ())

    def layer(kind: tuple[str, bool]) -> Module:
        attends, sparse = kind
        dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
        return pre_norm_layer(_attention(config, attends), _experts(config) if sparse else dense, rms_norm(hidden))

    kinds = layer_kinds(layers, config.layer_types, slides)
    return decoder_lm(config, stack_of(zip(kinds, map(is_sparse, range(layers)), strict=True), layer), rms_norm(hidden))


def _attention(config: Qwen2MoeConfig, kind: str) -> Module:
    heads = config.num_attention_heads
    slides = kind == SLIDING and config.use_sliding_window
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(config.hidden_size, heads),
        bias=config.qkv_bias,
        out_bias=False,
        window=config.sliding_window or None if slides else None,
        positions=config.rope,
    )


def _experts(config: Qwen2MoeConfig) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    return sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=activation,
        shared_expert=gated_mlp(hidden, config.shared_expert_intermediate_size, activation=activation),
        shared_expert_gate=linear(hidden, 1),
    )
