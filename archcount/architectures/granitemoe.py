"""Granite-MoE: experts packed into two tensors and, if the config gives it a width, an MLP that every token visits."""

from __future__ import annotations

from ..blocks import attention, fused_gated_mlp, mixture, packed_experts, rms_norm, router, stacked_mlp
from ..config import Count, DecoderConfig, Size, SizeOrZero
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of
from ..tree import Module, Tensor, module, repeat


class GraniteMoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2


class GraniteMoeSharedConfig(GraniteMoeConfig):
    shared_intermediate_size: SizeOrZero = 0


class GraniteMoeSwaConfig(GraniteMoeSharedConfig):
    sliding_window: Size | None = 128
    layer_types: list[str] | None = None


@architecture("granitemoe", config=GraniteMoeConfig)
@architecture("granitemoeshared", config=GraniteMoeSharedConfig)
def granitemoe(config: GraniteMoeConfig) -> Module:
    experts, active = config.num_local_experts, config.num_experts_per_tok
    packed = stacked_mlp(
        config.hidden_size, config.intermediate_size, experts=experts, active=active, activation=config.hidden_act
    )
    each = layer(config, grouped_query(config), packed)
    return decoder_lm(config, repeat(config.num_hidden_layers, each), rms_norm(config.hidden_size))


@architecture("granitemoe_swa", config=GraniteMoeSwaConfig)
def granitemoe_swa(config: GraniteMoeSwaConfig) -> Module:
    hidden, experts, active = config.hidden_size, config.num_local_experts, config.num_experts_per_tok
    packed = packed_experts(
        hidden, config.intermediate_size, experts=experts, active=active, activation=config.hidden_act
    )
    sparse = mixture(experts, active, router=router(hidden, experts), experts=packed)

    def build(kind: str) -> Module:
        window = config.sliding_window if kind == SLIDING else None
        sinks = Tensor((config.num_attention_heads,))
        return layer(config, grouped_query(config, window).extend(sinks=sinks), sparse)

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda index: SLIDING if index % 4 else FULL)
    return decoder_lm(config, stack_of(kinds, build), rms_norm(hidden))


def layer(config: GraniteMoeConfig, self_attn: Module, sparse: Module) -> Module:
    """Attention, then the experts and, where it has a width, the shared MLP."""
    hidden = config.hidden_size
    shared = config.shared_intermediate_size if isinstance(config, GraniteMoeSharedConfig) else 0
    names, act = ("input_linear", "output_linear"), config.hidden_act
    return module(
        None,
        "pre-norm",
        self_attn=self_attn,
        block_sparse_moe=sparse,
        shared_mlp=fused_gated_mlp(hidden, shared, activation=act, names=names) if shared else None,
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )


def grouped_query(config: GraniteMoeConfig, window: int | None = None) -> Module:
    """Grouped-query attention, through a window where one is given."""
    heads = config.num_attention_heads
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(config.hidden_size, heads),
        bias=config.attention_bias,
        window=window,
        positions=config.rope,
    )
