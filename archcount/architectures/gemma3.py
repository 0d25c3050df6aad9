"""Gemma 3: five layers with a window to one without, and from 4B on a SigLIP tower before the language model."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, lm_head, rms_norm
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, Tensor, Use, module
from .gemma2 import Gemma2Config, gemma_layers
from .towers.siglip import SiglipVisionConfig, siglip_vision


class Gemma3TextConfig(Gemma2Config):
    model_type: str = "gemma3_text"
    vocab_size: Size = 262208
    sliding_window_pattern: Count = 6
    also_spelled: ClassVar[dict[str, str]] = {"_sliding_window_pattern": "sliding_window_pattern"}


class Gemma3Config(ModelConfig):
    text_config: Gemma3TextConfig = Gemma3TextConfig()
    vision_config: SiglipVisionConfig = SiglipVisionConfig()
    tie_word_embeddings: bool = True


@architecture("gemma3_text", config=Gemma3TextConfig)
def gemma3_text(config: Gemma3TextConfig) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    return causal_lm(config, language_model(config), hidden=hidden, vocab=vocab, tie=tie)


@architecture(
    "gemma3",
    config=Gemma3Config,
    spellings={
        "model.language_model.": "language_model.model.",
        "lm_head.": "language_model.lm_head.",
        "model.vision_tower.": "vision_tower.",
        "model.multi_modal_projector.": "multi_modal_projector.",
        "vision_tower.vision_model.": "vision_tower.",
    },
)
def gemma3(config: Gemma3Config) -> Module:
    text, vision = config.text_config, siglip_vision(config.vision_config)
    tied_to = "language_model.model.embed_tokens.weight" if config.tie_word_embeddings else None
    return module(
        language_model=module(
            model=language_model(text),
            lm_head=lm_head(text.hidden_size, text.vocab_size, tied_to=tied_to),
        ),
        vision_tower=module(vision_model=vision) if config.is_written_by_transformers_4 else vision,
        multi_modal_projector=projector(config.vision_config.hidden_size, text.hidden_size),
    )


def language_model(config: Gemma3TextConfig) -> Module:
    """`embed_tokens`, `layers` and `norm`; Gemma 3 with eyes has them too."""
    return module(
        embed_tokens=embedding(config.vocab_size, config.hidden_size),
        layers=gemma_layers(config, full_nth=config.sliding_window_pattern, query_key_norm=True),
        norm=rms_norm(config.hidden_size),
    )


def projector(vision_width: int, text_width: int) -> Module:
    """A norm over averaged patches, and a matrix [vision_width, text_width] without a module of its own."""
    return module(
        mm_input_projection_weight=Tensor((vision_width, text_width), Use.MATMUL),
        mm_soft_emb_norm=rms_norm(vision_width),
    ).marked(section="projector")
