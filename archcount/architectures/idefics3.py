"""Idefics 3 and SmolVLM: SigLIP's tower without its head, squares of patches through one matrix, and a Llama."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import Count, ModelConfig
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


@architecture("idefics3", config=Idefics3Config)
@architecture("smolvlm", config=Idefics3Config)
def idefics3(config: Idefics3Config) -> Module:
    text, vision, side = config.text_config, config.vision_config, config.scale_factor
    projection = linear(vision.hidden_size * (side * side), size_of(text, "hidden_size"))
    parts = {
        "vision_model": siglip_vision(vision),
        "connector": module(modality_projection=module(proj=projection)).marked(section="projector"),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text), name="text_model")
