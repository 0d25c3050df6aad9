"""Granite 4: Mamba-2 or attention in a layer, then experts beside a shared MLP, or the shared MLP alone."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, fused_gated_mlp, rms_norm, stacked_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, renewed, stack_of
from ..tree import Module, module
from .bamba import Mamba2Keys, state_space


class GraniteMoeHybridConfig(Mamba2Keys, DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    shared_intermediate_size: Size = 1024
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    position_embedding_type: str | None = None
    num_local_experts: CountOrZero = 8
    num_experts_per_tok: CountOrZero = 2
    layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"layers_block_type": "layer_types"}


@architecture("granitemoehybrid", config=GraniteMoeHybridConfig)
def granitemoehybrid(config: GraniteMoeHybridConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    mixers = {
        LINEAR: {"mamba": state_space(config, hidden)},
        FULL: {
            "self_attn": attention(
                hidden,
                heads=heads,
                kv_heads=config.num_key_value_heads,
                head_dim=config.head_dim or exact_div(hidden, heads),
                bias=config.attention_bias,
                positions=config.rope if config.position_embedding_type == "rope" else None,
            )
        },
    }
    names, act = ("input_linear", "output_linear"), config.hidden_act
    shared_mlp = fused_gated_mlp(hidden, config.shared_intermediate_size, activation=act, names=names)
    experts = _experts(config) if config.num_local_experts else None

    def layer(kind: str) -> Module:
        norms = {"input_layernorm": rms_norm(hidden), "post_attention_layernorm": rms_norm(hidden)}
        return module(None, "pre-norm", block_sparse_moe=experts, shared_mlp=shared_mlp, **norms, **mixers[kind])

    kinds = layer_kinds(config.num_hidden_layers, renewed(config.layer_types), lambda _: LINEAR, known=(LINEAR, FULL))
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def _experts(config: GraniteMoeHybridConfig) -> Module:
    return stacked_mlp(
        config.hidden_size,
        config.intermediate_size,
        experts=config.num_local_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
    )
