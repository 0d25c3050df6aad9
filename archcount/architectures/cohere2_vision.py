"""Aya Vision and Command A Vision: SigLIP's patches, four or so side by side through a SwiGLU, and a Cohere 2."""

from __future__ import annotations

from ..blocks import layer_norm, linear
from ..config import Count, ModelConfig, Size
from ..images.seen import ImageRule, Picture, Seen, View
from ..images.square import across
from ..images.tiling import closest_ratio, least_upscale
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


def _aya_images(config: AyaVisionConfig, picture: Picture) -> Seen:
    """A mark before the image, one after, a name for each tile."""
    tiled = picture.does("crop_to_patches")
    bounds = (picture.count("min_patches"), picture.count("max_patches")) if tiled else (1, 1)
    columns, rows = closest_ratio(picture, size_of(config.vision_config, "image_size"), *bounds)
    return _tiles(config, columns * rows, marks=2)


def _cohere_images(config: Cohere2VisionConfig, picture: Picture) -> Seen:
    """A mark before the image, one after, a line break after each tile."""
    most = picture.count("max_patches") if picture.does("crop_to_patches") else 1
    columns, rows = least_upscale(picture, size_of(config.vision_config, "image_size"), most)
    return _tiles(config, columns * rows, marks=2)


def _tiles(config: AyaVisionConfig, tiles: int, marks: int) -> Seen:
    """A mark more for each view; the whole is one of them where there are several tiles."""
    size, patch = (size_of(config.vision_config, key) for key in ("image_size", "patch_size"))
    views, side, patches = tiles + (tiles > 1), across(size, patch, config.downsample_factor), across(size, patch)
    tokens = views * side * side
    return Seen(tokens, (View(patches, patches, views),), marks + views, {"multi_modal_projector": tokens})


TILES = {"crop_to_patches": True, "min_patches": 1, "max_patches": 12}
AYA_IMAGES = ImageRule(_aya_images, "AyaVisionProcessor", TILES)
COHERE_IMAGES = ImageRule(_cohere_images, "Cohere2VisionImageProcessor", {"crop_to_patches": True, "max_patches": 12})


@architecture("aya_vision", config=AyaVisionConfig, spellings=LLAVA_SPELLINGS, images=AYA_IMAGES)
def aya_vision(config: AyaVisionConfig) -> Module:
    text, tie = config.text_config, is_tied(config, config.text_config)
    return with_language_inside(config, text, _parts(config, has_norm=True), tie=tie)


@architecture("cohere2_vision", config=Cohere2VisionConfig, images=COHERE_IMAGES)
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
