"""LFM2-VL and LFM3-VL: squares of patches through two matrices, before a model of convolutions and attention.

The file is long since the second has a tower of its own, and each its rule for images.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, convolution, gated_mlp, layer_norm, linear, rms_norm
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..errors import UnknownCostError
from ..images.grids import PIXELS, QWEN, at_most, smart_grid
from ..images.seen import ImageRule, Picture, Seen, View
from ..images.square import across
from ..images.tiling import closest_ratio
from ..multimodal import is_tied, tower, with_language_beside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..schedules import FULL, layer_kinds, stack_of
from ..tree import Module, Role, module
from .lfm2 import CONVOLUTION, GATE_UP_DOWN
from .towers.sides import both_sides


class Lfm2VlConfig(CompositeConfig):
    text_config: ModelConfig = nested("lfm2")
    vision_config: ModelConfig = nested("siglip2_vision_model")
    projector_hidden_size: Size = 2560
    projector_bias: bool = True
    projector_use_layernorm: bool = True
    downsample_factor: Count = 2
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"tie_embedding": "tie_word_embeddings"}


class Lfm3VlVisionConfig(Schema):
    model_type: str = "lfm3_vl_vision"
    hidden_size: Size = 1024
    intermediate_size: Size = 2560
    num_hidden_layers: Count = 14
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 8
    in_channels: Size = 3
    patch_size: Size | tuple[Size, Size] = 16
    temporal_patch_size: Size = 2
    spatial_merge_size: Count = 2
    layer_types: list[str] | None = None
    conv_kernel_size: Size = 3


class Lfm3VlConfig(CompositeConfig):
    text_config: ModelConfig = nested("lfm3")
    vision_config: Lfm3VlVisionConfig = Lfm3VlVisionConfig()
    projector_hidden_size: Size = 4096
    projector_bias: bool = True
    tie_word_embeddings: bool = True


def _images(config: Lfm2VlConfig, picture: Picture) -> Seen:
    """The whole within bounds; where that would shrink it much, tiles of it too. Marks around it, and before each."""
    patch, merge = size_of(config.vision_config, "patch_size"), int(config.downsample_factor)
    square, most = int(patch) * merge, picture.count("max_image_tokens")
    rows, columns = at_most(picture, square, picture.count("min_image_tokens"), most)
    area = max(patch, round(picture.height / square) * square) * max(patch, round(picture.width / square) * square)
    tile, tiles = picture.count("tile_size"), 0
    bounds = picture.count("min_tiles"), picture.count("max_tiles")
    if area > most * square * square * picture.number("max_pixels_tolerance") and bounds != (1, 1):
        across_tiles, down = closest_ratio(picture, tile, *bounds)
        tiles = across_tiles * down
    side = across(tile, patch, merge)
    with_whole = tiles < 2 or picture.does("use_thumbnail")
    views = (View(side * merge, side * merge, tiles), View(rows * merge, columns * merge, int(with_whole)))
    tokens = tiles * side * side + with_whole * rows * columns
    marks = 2 + tiles + (with_whole and tiles > 1)
    return Seen(tokens, views if tiles else views[1:], marks, {"multi_modal_projector": tokens})


TILES = {
    "min_image_tokens": 64, "max_image_tokens": 256, "min_tiles": 2, "max_tiles": 10, "tile_size": 512,
    "max_pixels_tolerance": 2.0, "use_thumbnail": True,
}  # fmt: skip


def _images_3(config: Lfm3VlConfig, picture: Picture) -> Seen:
    vision = config.vision_config
    patch, wide = both_sides(vision.patch_size)
    if patch != wide:
        raise UnknownCostError("vision_config.patch_size is no square: how images are cut is not known")
    return smart_grid(picture, patch, vision.spatial_merge_size, ("multi_modal_projector",))


@architecture("lfm2_vl", config=Lfm2VlConfig, images=ImageRule(_images, "Lfm2VlImageProcessor", TILES))
def lfm2_vl(config: Lfm2VlConfig) -> Module:
    side = config.downsample_factor
    merged = size_of(config.vision_config, "hidden_size") * (side * side)
    norm = layer_norm(merged) if config.projector_use_layernorm else None
    parts = {
        "vision_tower": tower(built(config.vision_config), config),
        "multi_modal_projector": _projector(config, merged, norm),
    }
    return with_language_beside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


@architecture("lfm3_vl", config=Lfm3VlConfig, images=ImageRule(_images_3, "Qwen2VLImageProcessor", QWEN, PIXELS))
def lfm3_vl(config: Lfm3VlConfig) -> Module:
    vision, side = config.vision_config, config.vision_config.spatial_merge_size
    merged = vision.hidden_size * (side * side)
    parts = {
        "vision_tower": _tower(vision),
        "multi_modal_projector": _projector(config, merged, layer_norm(vision.hidden_size)),
    }
    return with_language_beside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


def _projector(config: Lfm2VlConfig | Lfm3VlConfig, merged: int, norm: Module | None) -> Module:
    inner, bias, hidden = (
        config.projector_hidden_size,
        config.projector_bias,
        size_of(config.text_config, "hidden_size"),
    )
    matrices = {"linear_1": linear(merged, inner, bias=bias), "linear_2": linear(inner, hidden, bias=bias)}
    return module(layer_norm=norm, **matrices).marked(section="projector")


def _tower(config: Lfm3VlVisionConfig) -> Module:
    """LFM's own layers over patches: a filter over the plane of patches, or attention to all of them."""
    width, (height, wide) = config.hidden_size, both_sides(config.patch_size)
    pixels = config.in_channels * config.temporal_patch_size * (height * wide)

    def derived(index: int) -> str:
        return CONVOLUTION if index < 2 or index % 2 else FULL

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, derived, known=(FULL, CONVOLUTION))
    return module(
        patchifier=linear(pixels, width, role=Role.EMBEDDING).marked(kind="patch embedding"),
        embedding_norm=rms_norm(width),
        layers=stack_of(kinds, lambda kind: _layer(config, kind)),
    ).marked(section="vision")


def _layer(config: Lfm3VlVisionConfig, kind: str) -> Module:
    width, kernel = config.hidden_size, config.conv_kernel_size
    mixed = module(
        Role.SSM,
        f"spatial convolution {kernel}",
        in_proj=linear(width, 3 * width),
        spatial_conv=convolution(width, width, kernel, kernel, groups=width, bias=False),
        out_proj=linear(width, width),
    )
    return module(
        None,
        "pre-norm",
        self_attn=_attention(config) if kind == FULL else None,
        conv=mixed if kind == CONVOLUTION else None,
        feed_forward=gated_mlp(width, config.intermediate_size, names=GATE_UP_DOWN),
        operator_norm=rms_norm(width),
        ffn_norm=rms_norm(width),
    )


def _attention(config: Lfm3VlVisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(width, heads)
    return attention(
        width,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        causal=False,
        positions="RoPE 2D",
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
        norm_names=("q_layernorm", "k_layernorm"),
    )
