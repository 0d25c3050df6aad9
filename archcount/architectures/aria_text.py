"""Aria: Llama's attention, packed experts, shared experts as one wide MLP; and a tower whose patches queries sum up."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..blocks import (
    attention,
    gated_mlp,
    layer_norm,
    linear,
    mixture,
    pre_norm_layer,
    rms_norm,
    router,
    stacked_linear,
    torch_attention,
)
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..multimodal import LLAVA_SPELLINGS, is_tied, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Role, Tensor, module, repeat
from .llama import LlamaConfig


class AriaTextConfig(LlamaConfig):
    intermediate_size: Size = 4096
    moe_num_experts: Count = 8
    moe_topk: Count = 2
    moe_num_shared_experts: Count = 2


class AriaConfig(CompositeConfig):
    text_config: ModelConfig = nested("aria_text")
    vision_config: ModelConfig = nested("idefics3_vision")
    projector_patch_to_query_dict: Annotated[dict[str, Size], Field(min_length=1)] = Field({"1225": 128, "4900": 256})
    tie_word_embeddings: bool = False


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


@architecture("aria", config=AriaConfig, spellings=LLAVA_SPELLINGS)
def aria(config: AriaConfig) -> Module:
    parts = {"vision_tower": built(config.vision_config), "multi_modal_projector": _projector(config)}
    return with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


def _projector(config: AriaConfig) -> Module:
    """Learned queries, as many as the largest image needs, read the patches by attention; then an MLP."""
    vision, width = config.vision_config, size_of(config.vision_config, "hidden_size")
    hidden = size_of(config.text_config, "hidden_size")
    cross = module(
        Role.ATTENTION,
        **{name: linear(width, width) for name in ("q_proj", "k_proj", "v_proj")},
        multihead_attn=torch_attention(width, heads=size_of(vision, "num_attention_heads")),
        linear=linear(width, width, bias=True),
        layer_norm=layer_norm(width),
        layer_norm_kv=layer_norm(width),
    )
    return module(
        query=Tensor((max(config.projector_patch_to_query_dict.values()), width)),
        cross_attn=cross,
        layer_norm=layer_norm(width),
        feed_forward=module(Role.MLP, "GELU MLP", linear_in=linear(width, hidden), linear_out=linear(hidden, hidden)),
    ).marked(section="projector")
