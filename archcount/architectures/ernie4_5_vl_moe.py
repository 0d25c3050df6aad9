"""ERNIE 4.5 VL: experts of their own for words and for what is seen, and one that every token visits."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, expert_layout, gated_mlp, pre_norm_layer, rms_norm, routed_to
from ..config import Count, CountOrZero, DecoderConfig, ModelConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..images.grids import PIXELS, smart_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import with_parts_within
from ..nested import CompositeConfig, nested, size_of
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, SPARSE, dense_first, mlp_layer_kinds, stack_of
from ..tree import Module, Role, Stack, Tensor, Use, module
from .towers.ernie import ErnieVisionConfig, ernie_resampler, ernie_vision


class ErnieVLTextConfig(DecoderConfig, Rotary):
    vocab_size: Size = 103424
    hidden_size: Size = 2560
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 20
    num_key_value_heads: Count | None = 4
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    use_bias: bool = False
    moe_intermediate_size: tuple[Size, Size] = (1536, 512)
    moe_k: Count = 6
    moe_num_experts: Count = 64
    moe_num_shared_experts: CountOrZero = 2
    mlp_layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "moe_num_experts", "num_experts_per_tok": "moe_k"}


class ErnieVLConfig(CompositeConfig):
    text_config: ModelConfig = nested("ernie4_5_vl_moe_text")
    vision_config: ErnieVisionConfig = ErnieVisionConfig()
    tie_word_embeddings: bool = True


@architecture("ernie4_5_vl_moe_text", config=ErnieVLTextConfig)
def ernie4_5_vl_moe_text(config: ErnieVLTextConfig) -> Module:
    hidden, heads, bias = config.hidden_size, config.num_attention_heads, config.use_bias
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=bias,
        positions=config.rope,
    )
    mlps = {
        DENSE: gated_mlp(hidden, config.intermediate_size, bias=bias, activation=config.hidden_act),
        SPARSE: _experts(config),
    }
    kinds = mlp_layer_kinds(config.num_hidden_layers, config.mlp_layer_types, dense_first(1))
    stacked = stack_of(kinds, lambda kind: pre_norm_layer(self_attn, mlps[kind], rms_norm(hidden)))
    return decoder_lm(config, stacked, rms_norm(hidden))


def _images(config: ErnieVLConfig, picture: Picture) -> Seen:
    vision = config.vision_config
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, ("resampler_model",))


PIXEL_BOUNDS = {"min_pixels": 56 * 56, "max_pixels": 28 * 28 * 6177}
IMAGES = ImageRule(_images, "Ernie4_5_VLMoeImageProcessor", PIXEL_BOUNDS, PIXELS)


@architecture(
    "ernie4_5_vl_moe", config=ErnieVLConfig, spellings={"vision_model.": "model.vision_model."}, images=IMAGES
)
def ernie4_5_vl_moe(config: ErnieVLConfig) -> Module:
    text, vision = config.text_config, config.vision_config
    parts = {
        "vision_model": ernie_vision(vision),
        "resampler_model": ernie_resampler(vision, size_of(text, "hidden_size")),
    }
    return with_parts_within(config, text, parts, tie=config.tie_word_embeddings)


def _experts(config: ErnieVLTextConfig) -> Module:
    """Numbered through: first those for words, then as many for what is seen, which no word visits."""
    hidden, experts, activation = config.hidden_size, config.moe_num_experts, config.hidden_act
    inner, seen = config.moe_intermediate_size
    for_words = gated_mlp(hidden, inner, activation=activation, routed=routed_to(config.moe_k, experts))
    for_sight = gated_mlp(hidden, seen, activation=activation, routed=routed_to(0, experts))
    gate = Tensor((hidden, experts), Use.MATMUL)
    shared = config.moe_num_shared_experts * inner
    return module(
        Role.ROUTER,
        expert_layout(experts, config.moe_k),
        gate=module(weight=gate, weight_1=gate),
        experts=Stack(((range(experts), for_words), (range(experts, 2 * experts), for_sight))),
        moe_statics=module(e_score_correction_bias=Tensor((2, experts), Use.BIAS)),
        shared_experts=gated_mlp(hidden, shared, bias=config.use_bias, activation=activation) if shared else None,
    )
