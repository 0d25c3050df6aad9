"""Mistral Small 3.1 and LightOnOCR: Pixtral's tower, patches merged by squares, and a language model."""

from __future__ import annotations

from collections.abc import Mapping

from ..blocks import linear, rms_norm
from ..config import Count, ModelConfig
from ..images.grids import LONGEST, pixtral_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import LLAVA_SPELLINGS, is_tied, with_language_beside, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module


class Mistral3Config(CompositeConfig):
    text_config: ModelConfig = nested(
        "mistral",
        vocab_size=131072,
        hidden_size=5120,
        intermediate_size=32768,
        num_hidden_layers=40,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=128,
        sliding_window=None,
    )
    vision_config: ModelConfig = nested("pixtral", patch_size=14)
    vision_feature_layer: int | tuple[int, ...] = -1
    multimodal_projector_bias: bool = False
    spatial_merge_size: Count = 2
    tie_word_embeddings: bool = True


class LightOnOcrConfig(CompositeConfig):
    text_config: ModelConfig = nested(
        "qwen3",
        vocab_size=151936,
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
    )
    vision_config: ModelConfig = nested("pixtral", patch_size=14, hidden_act="silu")
    spatial_merge_size: Count = 2
    tie_word_embeddings: bool = True


def _images(config: Mistral3Config, picture: Picture) -> Seen:
    patch = size_of(config.vision_config, "patch_size")
    return pixtral_grid(picture, patch, config.spatial_merge_size, ("multi_modal_projector",), breaks=True)


def _page(config: LightOnOcrConfig, picture: Picture) -> Seen:
    """Its rows are not marked."""
    patch = size_of(config.vision_config, "patch_size")
    return pixtral_grid(picture, patch, config.spatial_merge_size, ("vision_projection",), breaks=False)


PIXTRAL = {"longest_edge": 1024}
IMAGES = ImageRule(_images, "PixtralImageProcessor", PIXTRAL, LONGEST)


@architecture("mistral3", config=Mistral3Config, spellings=LLAVA_SPELLINGS, images=IMAGES)
def mistral3(config: Mistral3Config) -> Module:
    parts = {"vision_tower": built(config.vision_config), "multi_modal_projector": _projector(config)}
    return with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


@architecture(
    "lighton_ocr", config=LightOnOcrConfig, images=ImageRule(_page, "PixtralImageProcessor", PIXTRAL, LONGEST)
)
def lighton_ocr(config: LightOnOcrConfig) -> Module:
    parts = {"vision_encoder": built(config.vision_config), "vision_projection": _projector(config)}
    return with_language_beside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


def _projector(config: Mistral3Config | LightOnOcrConfig) -> Module:
    features, bias = 1, False
    if isinstance(config, Mistral3Config):
        chosen, bias = config.vision_feature_layer, config.multimodal_projector_bias
        features = len(chosen) if isinstance(chosen, tuple) else 1
    width, hidden = size_of(config.vision_config, "hidden_size"), size_of(config.text_config, "hidden_size")
    return module(
        **merger(width, config.spatial_merge_size, ("norm", "patch_merger")),
        linear_1=linear(width * features, hidden, bias=bias),
        linear_2=linear(hidden, hidden, bias=bias),
    ).marked(section="projector")


def merger(width: int, side: int, names: tuple[str, str]) -> Mapping[str, Module]:
    """A norm, then squares of `side` × `side` patches through one matrix, back to the width of one."""
    return {names[0]: rms_norm(width), names[1]: module(merging_layer=linear(width * (side * side), width))}
