"""PerceptionLM (Cho et al. 2025): Meta's Perception Encoder as timm builds it, two matrices, and a Llama."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of, ties
from ..registry import architecture
from ..tree import Module, module
from .towers.timm_pe import TimmPeConfig, timm_pe


class PerceptionLmConfig(CompositeConfig):
    text_config: ModelConfig = nested("llama")
    vision_config: TimmPeConfig
    tie_word_embeddings: bool | None = None


@architecture("perception_lm", config=PerceptionLmConfig)
def perception_lm(config: PerceptionLmConfig) -> Module:
    """The outer config says whether the head is the table; where it does not, the language model's does."""
    text, outer = config.text_config, config.tie_word_embeddings
    width, hidden = config.vision_config.model_args.embed_dim, size_of(text, "hidden_size")
    projector = module(linear_1=linear(width, hidden, bias=True), linear_2=linear(hidden, hidden, bias=True))
    parts = {
        "vision_tower": module(timm_model=timm_pe(config.vision_config)),
        "multi_modal_projector": projector.marked(section="projector"),
    }
    return with_language_beside(config, text, parts, tie=ties(text) if outer is None else outer)
