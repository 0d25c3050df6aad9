"""MiniMax-M3: CLIP's layers for eyes, on patches of pixels and time, and the language model as its files store it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import convolution, layer_norm, linear
from ..config import Count, ModelConfig, Size
from ..images.grids import PIXELS, smart_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import with_language_inside
from ..registry import architecture
from ..tree import Module, Role, module
from .minimax_m3_vl_text import MiniMaxM3TextConfig, decoder
from .towers.siglip import SiglipKeys, siglip_tower


class MiniMaxM3VisionConfig(SiglipKeys):
    model_type: str = "minimax_m3_vl_vision"
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 16
    hidden_act: str = "gelu"
    patch_size: Size = 14
    temporal_patch_size: Size = 2
    spatial_merge_size: Size = 2
    ignored: ClassVar[frozenset[str]] = frozenset({"image_size"})


class MiniMaxM3Config(ModelConfig):
    text_config: MiniMaxM3TextConfig = MiniMaxM3TextConfig()
    vision_config: MiniMaxM3VisionConfig = MiniMaxM3VisionConfig()
    projector_hidden_size: Size = 6144
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"merged_hidden_size"})


def _images(config: MiniMaxM3Config, picture: Picture) -> Seen:
    """One projector works on each patch, the other on each merged square."""
    vision = config.vision_config
    seen = smart_grid(picture, vision.patch_size, vision.spatial_merge_size, ("patch_merge_mlp",))
    return replace(seen, projected={**seen.projected, "multi_modal_projector": seen.patches or 0})


BOUNDS = {"min_pixels": 4 * 28 * 28, "max_pixels": 451584}
IMAGES = ImageRule(_images, "MiniMaxM3VLImageProcessor", BOUNDS, PIXELS)


@architecture("minimax_m3_vl", config=MiniMaxM3Config, images=IMAGES)
def minimax_m3_vl(config: MiniMaxM3Config) -> Module:
    """With eyes: the published files, whose matrices stand apart and whose experts stand one by one."""
    vision, inner, hidden = config.vision_config, config.projector_hidden_size, config.text_config.hidden_size
    tie = config.tie_word_embeddings or config.text_config.tie_word_embeddings
    merged = hidden * (vision.spatial_merge_size * vision.spatial_merge_size)
    text = config.text_config.model_copy(update={"architectures": None, "tie_word_embeddings": tie})
    parts = {
        "vision_tower": module(vision_model=_eyes(vision)),
        "multi_modal_projector": _projector(vision.hidden_size, inner, hidden),
        "patch_merge_mlp": _projector(merged, inner, hidden),
    }
    return with_language_inside(config, decoder(text, is_fused=False), parts, tie=tie)


def _eyes(vision: MiniMaxM3VisionConfig) -> Module:
    """CLIP's layers on patches of pixels and time, without a table of positions or a last norm."""
    width, patch = vision.hidden_size, vision.patch_size
    patches = convolution(vision.num_channels, width, vision.temporal_patch_size, patch, patch, bias=False)
    tower = siglip_tower(vision, None, positions="RoPE 3D")
    embeddings = module(Role.EMBEDDING, "patch embedding", patch_embedding=patches)
    return tower.replacing(embeddings=embeddings, post_layernorm=None).extend(pre_layrnorm=layer_norm(width))


def _projector(inputs: int, inner: int, outputs: int) -> Module:
    first, last = linear(inputs, inner, bias=True), linear(inner, outputs, bias=True)
    return module(linear_1=first, linear_2=last).marked(section="projector")
