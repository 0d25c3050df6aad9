"""Mistral 4: latent attention and packed experts beside a shared one."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import gated_mlp, mixture, packed_experts, pre_norm_layer, rms_norm, router
from ..config import Count, CountOrZero, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import DENSE, stack_of
from ..tree import Module
from .deepseek_v2 import latent
from .deepseek_v32 import LatentMoeConfig, mlp_kinds


class Mistral4Config(LatentMoeConfig):
    vocab_size: Size = 131072
    hidden_size: Size = 4096
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 32
    n_routed_experts: Count = 128
    num_experts_per_tok: Count = 4
    first_k_dense_replace: CountOrZero = 0
    kv_lora_rank: Size = 256
    q_lora_rank: Size | None = 1024
    qk_nope_head_dim: Size = 64
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


@architecture("mistral4", config=Mistral4Config)
def mistral4(config: Mistral4Config) -> Module:
    hidden = config.hidden_size
    layers = stack_of(
        mlp_kinds(config, config.first_k_dense_replace),
        lambda kind: pre_norm_layer(latent(config), _mlp(config, kind), rms_norm(hidden)),
    )
    return decoder_lm(config, layers, rms_norm(hidden))


def _mlp(config: Mistral4Config, kind: str) -> Module:
    hidden, inner, activation = config.hidden_size, config.moe_intermediate_size, config.hidden_act
    if kind == DENSE:
        return gated_mlp(hidden, config.intermediate_size, activation=activation)
    experts, active = config.n_routed_experts, config.num_experts_per_tok
    return mixture(
        experts,
        active,
        gate=router(hidden, experts),
        experts=packed_experts(hidden, inner, experts=experts, active=active, activation=activation),
        shared_experts=gated_mlp(hidden, config.n_shared_experts * inner, activation=activation),
    )
