"""Aya Vision and Command A Vision: SigLIP's patches, four or so side by side through a SwiGLU, and a Cohere 2."""

from __future__ import annotations

from ..blocks import layer_norm, linear
from ..config import Count, ModelConfig, Size
from ..multimodal import LLAVA_SPELLINGS, is_tied, tower, with_language_beside, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module


class AyaVisionConfig(CompositeConfig):
    text_config: ModelConfig = nested("cohere2")
    vision_config: ModelConfig = nested(
        "siglip_vision_model",
        hidden_size=1152,
        intermediate_size=4304,
        num_hidden_layers=26,
        num_attention_heads=14,
        patch_size=14,
        image_size=384,
        vision_use_head=False,
    )
    downsample_factor: Count = 2
    alignment_intermediate_size: Size | None = None
    tie_word_embeddings: bool = True


class Cohere2VisionConfig(AyaVisionConfig):
    vision_config: ModelConfig = nested(
        "siglip_vision_model",
        hidden_size=1152,
        intermediate_size=3072,
        num_hidden_layers=27,
        num_attention_heads=12,
        image_size=512,
    )
    alignment_intermediate_size: Size = 36864


@architecture("aya_vision", config=AyaVisionConfig, spellings=LLAVA_SPELLINGS)
def aya_vision(config: AyaVisionConfig) -> Module:
    text, tie = config.text_config, is_tied(config, config.text_config)
    return with_language_inside(config, text, _parts(config, has_norm=True), tie=tie)


@architecture("cohere2_vision", config=Cohere2VisionConfig)
def cohere2_vision(config: Cohere2VisionConfig) -> Module:
    text, tie = config.text_config, is_tied(config, config.text_config)
    return with_language_beside(config, text, _parts(config, has_norm=False), tie=tie)


def _parts(config: AyaVisionConfig, *, has_norm: bool) -> dict[str, Module]:
    """The tower, and a projector whose first matrix holds the gate as well."""
    hidden, side = size_of(config.text_config, "hidden_size"), config.downsample_factor
    patches, inner = size_of(config.vision_config, "hidden_size") * (side * side), config.alignment_intermediate_size
    inner = inner or hidden
    projector = module(
        layernorm=layer_norm(patches) if has_norm else None,
        linear_1=linear(patches, inner, bias=True),
        linear_2=linear(inner // 2, hidden, bias=True),
    )
    return {
        "vision_tower": tower(built(config.vision_config), config),
        "multi_modal_projector": projector.marked(section="projector"),
    }
