"""Grok-1: eight experts, a norm on either side of attention and of the experts. Grok-2: a dense MLP beside them."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, expert_layout, gated_mlp, mixture, rms_norm, routed_experts, router
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module, repeat

NORMS = ("pre_attn_norm", "post_attn_norm", "pre_moe_norm", "post_moe_norm")


class Grok1Config(DecoderConfig):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 32768
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    num_experts: Count = 8
    num_experts_per_tok: Count = 2
    tie_word_embeddings: bool = True
    head_dim: Size | None = None
    residual_moe: bool = False
    moe_intermediate_size: Size | None = None
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}


@architecture("grok-1", config=Grok1Config)
def grok_1(config: Grok1Config) -> Module:
    hidden, experts = config.hidden_size, config.num_experts
    if config.residual_moe:
        return _grok_2(config)
    norm = module(Role.NORM, "RMSNorm", scale=Tensor((hidden,), Use.SCALE))
    moe_block = module(
        None,
        expert_layout(experts, config.num_experts_per_tok),
        gate=router(hidden, experts),
        experts=routed_experts(
            hidden,
            config.intermediate_size,
            experts=experts,
            active=config.num_experts_per_tok,
            activation="gelu",
            names=("linear", "linear_v", "linear_1"),
        ),
    )
    norms = dict.fromkeys(NORMS, norm)
    layer = module(None, "pre- and post-norm", attn=_attention(config), moe_block=moe_block, **norms)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)


def _grok_2(config: Grok1Config) -> Module:
    """Whole tensors; xai-org's files hold eight slices of each for eight devices."""
    hidden, experts, active = config.hidden_size, config.num_experts, config.num_experts_per_tok
    inner, names = config.moe_intermediate_size or config.intermediate_size, ("w1", "w3", "w2")
    routed = routed_experts(hidden, inner, experts=experts, active=active, activation="gelu", names=names)
    layer = module(
        None,
        "pre- and post-norm",
        self_attn=_attention(config),
        mlp=gated_mlp(hidden, config.intermediate_size, activation="gelu"),
        block_sparse_moe=mixture(experts, active, gate=router(hidden, experts), experts=routed),
        **dict.fromkeys(NORMS, rms_norm(hidden)),
    )
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


def _attention(config: Grok1Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        positions="RoPE",
    )
