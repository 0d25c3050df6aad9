"""Aria's language model: Llama's attention, packed experts, and shared experts as one wide MLP."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, mixture, pre_norm_layer, rms_norm, router, stacked_linear
from ..config import Count, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, Role, module, repeat
from .llama import LlamaConfig


class AriaTextConfig(LlamaConfig):
    intermediate_size: Size = 4096
    moe_num_experts: Count = 8
    moe_topk: Count = 2
    moe_num_shared_experts: Count = 2


@architecture("aria_text", config=AriaTextConfig)
def aria_text(config: AriaTextConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    layer = pre_norm_layer(self_attn, aria_experts(config), rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


def aria_experts(config: AriaTextConfig) -> Module:
    """Gate and up of all experts in `fc1` [experts, hidden, 2 × inner], down in `fc2` [experts, inner, hidden]."""
    hidden, inner, experts, active = (
        config.hidden_size,
        config.intermediate_size,
        config.moe_num_experts,
        config.moe_topk,
    )
    shared = inner * config.moe_num_shared_experts
    return mixture(
        experts,
        active,
        router=router(hidden, experts),
        experts=module(
            Role.EXPERTS,
            fc1=stacked_linear(2 * inner, hidden, experts=experts, active=active),
            fc2=stacked_linear(hidden, inner, experts=experts, active=active),
        ),
        shared_experts=gated_mlp(hidden, shared, bias=config.mlp_bias, activation=config.hidden_act),
    )
