"""Laguna: a head count of its own for every layer, gated heads, a dense layer and then small experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..blocks import attention, bias_of, gated_mlp, linear, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SPARSE, checked_length, dense_first, layer_kinds, mlp_layer_kinds, stack_of, windows
from ..tree import Module


@dataclass(frozen=True, slots=True)
class Layout:
    """What tells one layer from another."""

    window: int | None
    heads: int
    mlp: str


class LagunaConfig(DecoderConfig, Rotary):
    vocab_size: Size = 100352
    hidden_size: Size = 2048
    intermediate_size: Size = 8192
    moe_intermediate_size: Size = 512
    shared_expert_intermediate_size: Size = 512
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 48
    num_attention_heads_per_layer: list[Count] | None = None
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    attention_bias: bool = False
    gating: bool | Literal["per-head", "per-element"] = True
    num_experts: Count = 256
    num_experts_per_tok: Count = 8
    sliding_window: Size = 512
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    hidden_act: str = "silu"

    def layouts(self) -> list[Layout]:
        """One for each layer: the window of sliding layers, its heads, and its MLP: the first is dense."""
        layers, key = self.num_hidden_layers, "num_attention_heads_per_layer"
        heads = self.num_attention_heads_per_layer or [self.num_attention_heads] * layers
        kinds = layer_kinds(layers, self.layer_types, lambda _: FULL)
        mlps = mlp_layer_kinds(layers, self.mlp_layer_types, dense_first(1))
        each = windows(kinds, self.sliding_window), checked_length(heads, layers, key), mlps
        return list(map(Layout, *each))


@architecture("laguna", config=LagunaConfig)
def laguna(config: LagunaConfig) -> Module:
    norm = rms_norm(config.hidden_size)

    def layer(layout: Layout) -> Module:
        mlp = laguna_experts(config) if layout.mlp == SPARSE else dense
        return pre_norm_layer(laguna_attention(config, layout), mlp, norm)

    dense = gated_mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)
    return decoder_lm(config, stack_of(config.layouts(), layer), norm)


def laguna_attention(config: LagunaConfig, layout: Layout) -> Module:
    """Attention whose output passes a gate: one number a head, or with `gating: per-element` one for each output."""
    hidden, heads, head_dim = config.hidden_size, layout.heads, config.head_dim
    per_head = config.gating is True or config.gating == "per-head"
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=layout.window,
        positions=config.rope,
    ).extend(g_proj=linear(hidden, heads if per_head else heads * head_dim))


def laguna_experts(config: LagunaConfig) -> Module:
    experts = config.num_experts
    return sparse_mlp(
        config.hidden_size,
        config.moe_intermediate_size,
        experts=experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.shared_expert_intermediate_size,
        names=("gate", "shared_expert"),
    ).extend(**{"experts.e_score_correction_bias": bias_of(experts)})  # stands among the numbered experts
