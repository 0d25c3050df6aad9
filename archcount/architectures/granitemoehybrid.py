"""Granite 4: Mamba-2 or attention in a layer, then experts beside a shared MLP, or the shared MLP alone."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import fused_gated_mlp, rms_norm, stacked_mlp
from ..config import Count, CountOrZero, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, renewed, stack_of
from ..tree import Module, module
from .bamba import HybridKeys, mixers_of


class GraniteMoeHybridConfig(HybridKeys):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    shared_intermediate_size: Size = 1024
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    hidden_act: str = "silu"
    position_embedding_type: str | None = None
    num_local_experts: CountOrZero = 8
    num_experts_per_tok: CountOrZero = 2
    layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"layers_block_type": "layer_types"}


@architecture("granitemoehybrid", config=GraniteMoeHybridConfig)
def granitemoehybrid(config: GraniteMoeHybridConfig) -> Module:
    hidden = config.hidden_size
    mixers = mixers_of(config, config.rope if config.position_embedding_type == "rope" else None)
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
