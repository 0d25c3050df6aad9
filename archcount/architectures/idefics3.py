"""Idefics 3 and SmolVLM: SigLIP's tower without its head, squares of patches through one matrix, and a Llama."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import Count, ModelConfig
from ..images.grids import LONGEST
from ..images.seen import ImageRule, Picture, Seen, View
from ..images.square import across
from ..images.tiling import split_by_longest_edge
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module
from .towers.siglip import Idefics3VisionConfig, siglip_vision


class Idefics3Config(CompositeConfig):
    text_config: ModelConfig = nested("llama")
    vision_config: Idefics3VisionConfig = Idefics3VisionConfig()
    scale_factor: Count = 2
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"vocab_size"})


def _images(config: Idefics3Config, picture: Picture) -> Seen:
    """Tiles of the tower's square and one of the whole; a mark before each, its place or name, a line break a row."""
    vision, columns, rows = config.vision_config, 0, 0
    if picture.does("do_image_splitting"):
        columns, rows = split_by_longest_edge(picture, int(vision.image_size), picture.count("longest_edge"))
    side, patches = (across(vision.image_size, vision.patch_size, merge) for merge in (config.scale_factor, 1))
    views = columns * rows + 1
    tokens, marks = views * side * side, 2 * columns * rows + rows + 3
    return Seen(tokens, (View(patches, patches, views),), marks, {"connector": tokens})


SPLITS = {"do_image_splitting": True, "longest_edge": 4 * 364}


@architecture("idefics3", config=Idefics3Config, images=ImageRule(_images, "Idefics3ImageProcessor", SPLITS, LONGEST))
@architecture("smolvlm", config=Idefics3Config, images=ImageRule(_images, "SmolVLMImageProcessor", SPLITS, LONGEST))
def idefics3(config: Idefics3Config) -> Module:
    text, vision, side = config.text_config, config.vision_config, config.scale_factor
    projection = linear(vision.hidden_size * (side * side), size_of(text, "hidden_size"))
    parts = {
        "vision_model": siglip_vision(vision),
        "connector": module(modality_projection=module(proj=projection)).marked(section="projector"),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text), name="text_model")
