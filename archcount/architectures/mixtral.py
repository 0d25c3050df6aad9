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


class BlockExpertKeys(DecoderConfig):
    """What Mixtral's experts need."""

    num_local_experts: Count = 8
    num_experts_per_tok: Count = 2
    hidden_act: str = "silu"


class MixtralKeys(BlockExpertKeys, Rotary):
    """What Mixtral's layer needs."""

    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    sliding_window: Size | None = None


class MixtralConfig(MixtralKeys):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "num_local_experts"}


@architecture("mixtral", config=MixtralConfig)
def mixtral(config: MixtralConfig) -> Module:
    norm = rms_norm(config.hidden_size)
    return decoder_lm(config, repeat(config.num_hidden_layers, mixtral_layer(config, norm)), norm)


def mixtral_layer(config: MixtralKeys, norm: Module, *, bias: bool = False) -> Module:
    """Attention, then experts, `norm` before each; `bias` is the attention's."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=bias,
        window=config.sliding_window,
        positions=config.rope,
    )
    return module(
        None,
        "pre-norm",
        self_attn=self_attn,
        block_sparse_moe=block_experts(config),
        input_layernorm=norm,
        post_attention_layernorm=norm,
    )


def block_experts(config: BlockExpertKeys) -> Module:
    """Experts of `w1` (the gate), `w3` and `w2`."""
    return sparse_mlp(
        config.hidden_size,
        config.intermediate_size,
        experts=config.num_local_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        expert_names=("w1", "w3", "w2"),
    )
