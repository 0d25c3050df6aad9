"""Gemma 3: five layers with a window to one without, and from 4B on a SigLIP tower before the language model."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, rms_norm
from ..config import Count, ModelConfig, Size
from ..encoder_heads import unknown_class
from ..errors import UnknownCostError
from ..heads import causal_lm
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..multimodal import LLAVA_SPELLINGS, is_tied, tower, with_language_beside, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Tensor, Use, module
from .gemma2 import Gemma2Config, gemma_layers


class Gemma3TextConfig(Gemma2Config):
    model_type: str = "gemma3_text"
    vocab_size: Size = 262208
    sliding_window_pattern: Count = 6
    also_spelled: ClassVar[dict[str, str]] = {"_sliding_window_pattern": "sliding_window_pattern"}


class Gemma3Config(CompositeConfig):
    text_config: ModelConfig = nested("gemma3_text")
    vision_config: ModelConfig = nested("siglip_vision_model")
    mm_tokens_per_image: Count = 256
    tie_word_embeddings: bool = True


def _images(config: Gemma3Config, picture: Picture) -> Seen:
    """One square, averaged down to so many tokens; a mark and a line break before them and after."""
    if picture.does("do_pan_and_scan"):
        raise UnknownCostError("do_pan_and_scan: how many crops an image has is not counted")
    side, patch = (size_of(config.vision_config, key) for key in ("image_size", "patch_size"))
    return one_square(side, patch, tokens=config.mm_tokens_per_image, marks=4, projector="multi_modal_projector")


IMAGES = ImageRule(_images, "Gemma3Processor", {"do_pan_and_scan": False})


@architecture("gemma3_text", config=Gemma3TextConfig)
def gemma3_text(config: Gemma3TextConfig) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    return causal_lm(config, language_model(config), hidden=hidden, vocab=vocab, tie=tie)


@architecture("gemma3", config=Gemma3Config, spellings=LLAVA_SPELLINGS, images=IMAGES)
def gemma3(config: Gemma3Config) -> Module:
    return with_language_inside(config, config.text_config, _parts(config), tie=is_tied(config, config.text_config))


@architecture("shieldgemma2", config=Gemma3Config, images=IMAGES)
def shieldgemma2(config: Gemma3Config) -> Module:
    """Gemma 3 as a classifier: it reads yes and no off the language head."""
    if config.class_name not in ("", "Gemma3ForConditionalGeneration", "ShieldGemma2ForImageClassification"):
        raise unknown_class(config)
    whole = config.model_copy(update={"architectures": None, "auto_map": None})
    text, tie = config.text_config, is_tied(config, config.text_config)
    return with_language_beside(whole, text, _parts(config), tie=tie, name="language_model.model")


def _parts(config: Gemma3Config) -> dict[str, Module]:
    widths = (size_of(part, "hidden_size") for part in (config.vision_config, config.text_config))
    return {"vision_tower": tower(built(config.vision_config), config), "multi_modal_projector": projector(*widths)}


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
