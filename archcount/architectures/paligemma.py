"""PaliGemma: SigLIP's tower, one matrix, and a Gemma."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import ModelConfig, Size
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..multimodal import LLAVA_SPELLINGS, is_tied, tower, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module


class PaliGemmaConfig(CompositeConfig):
    text_config: ModelConfig = nested(
        "gemma",
        vocab_size=257152,
        hidden_size=2048,
        intermediate_size=16384,
        num_hidden_layers=18,
        num_attention_heads=8,
        num_key_value_heads=1,
    )
    vision_config: ModelConfig = nested(
        "siglip_vision_model",
        hidden_size=1152,
        intermediate_size=4096,
        num_hidden_layers=27,
        num_attention_heads=16,
        patch_size=14,
        image_size=224,
        vision_use_head=False,
    )
    projection_dim: Size = 2048
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size", "vocab_size"})


def _images(config: PaliGemmaConfig, _: Picture) -> Seen:
    side, patch = (size_of(config.vision_config, key) for key in ("image_size", "patch_size"))
    return one_square(side, patch, projector="multi_modal_projector")


@architecture("paligemma", config=PaliGemmaConfig, spellings=LLAVA_SPELLINGS, images=ImageRule(_images))
def paligemma(config: PaliGemmaConfig) -> Module:
    text, vision = config.text_config, config.vision_config
    projection = linear(size_of(vision, "hidden_size"), config.projection_dim, bias=True)
    parts = {
        "vision_tower": tower(built(vision), config),
        "multi_modal_projector": module(linear=projection).marked(section="projector"),
    }
    return with_language_inside(config, text, parts, tie=is_tied(config, text))
