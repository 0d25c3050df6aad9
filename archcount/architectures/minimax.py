"""MiniMax-Text-01: lightning (linear) attention in every other layer, full attention in the rest, experts in all."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, lightning_attention, rms_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, stack_of
from ..tree import Module, module


class MiniMaxConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    hidden_act: str = "silu"
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2
    layer_types: list[str] | None = None
    block_size: Size = 256
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}

    @property
    def stored_block(self) -> int | None:
        """Tokens that the decay tables in the file span, None where it holds none."""
        return self.block_size


@architecture("minimax", config=MiniMaxConfig)
def minimax(config: MiniMaxConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    mixers = {
        LINEAR: lightning_attention(hidden, heads=heads, head_dim=head_dim, block=config.stored_block),
        FULL: attention(
            hidden, heads=heads, kv_heads=config.num_key_value_heads, head_dim=head_dim, positions=config.rope
        ),
    }
    experts = sparse_mlp(
        hidden,
        config.intermediate_size,
        experts=config.num_local_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        expert_names=("w1", "w3", "w2"),
    )

    def layer(kind: str) -> Module:
        norms = {"input_layernorm": rms_norm(hidden), "post_attention_layernorm": rms_norm(hidden)}
        return module(None, "pre-norm", self_attn=mixers[kind], block_sparse_moe=experts, **norms)

    kinds = layer_kinds(
        config.num_hidden_layers,
        config.layer_types,
        lambda index: LINEAR if index % 2 else FULL,
        known=(LINEAR, FULL),
    )
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))
