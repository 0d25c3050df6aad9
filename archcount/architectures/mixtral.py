"""Mixtral: Mistral's attention, and in every layer a router that sends a token to 2 of 8 experts."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, rms_norm, sparse_mlp
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class MixtralConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    sliding_window: Size | None = None
    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2
    hidden_act: str = "silu"
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}


@architecture("mixtral", config=MixtralConfig)
def mixtral(config: MixtralConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = module(
        None,
        "pre-norm",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            window=config.sliding_window,
            positions=config.rope,
        ),
        block_sparse_moe=sparse_mlp(
            hidden,
            config.intermediate_size,
            experts=config.num_local_experts,
            active=config.num_experts_per_tok,
            activation=config.hidden_act,
            expert_names=("w1", "w3", "w2"),
        ),
        input_layernorm=rms_norm(hidden),
        post_attention_layernorm=rms_norm(hidden),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))
