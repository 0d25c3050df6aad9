"""Gemma 3n: MobileNetV5's eyes, a Conformer's ears, and a table of further tokens for each of them."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, linear, rms_norm
from ..config import Count, ModelConfig, Schema, Size
from ..images.seen import ImageRule, Seen
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module
from .towers.gemma3n_audio import Gemma3nAudioConfig, gemma3n_audio
from .towers.mobilenetv5 import NAME, mobilenetv5


class Gemma3nVisionConfig(Schema):
    model_type: str = "gemma3n_vision"
    architecture: str = NAME
    hidden_size: Size = 2048
    vocab_size: Size = 128
    ignored: ClassVar[frozenset[str]] = frozenset({"num_classes"})


class Gemma3nConfig(CompositeConfig):
    text_config: ModelConfig = nested("gemma3n_text")
    vision_config: Gemma3nVisionConfig = Gemma3nVisionConfig()
    audio_config: Gemma3nAudioConfig = Gemma3nAudioConfig()
    vision_soft_tokens_per_image: Count = 256
    tie_word_embeddings: bool = True


IMAGES = ImageRule(lambda config, _: Seen(int(config.vision_soft_tokens_per_image), views=None, marks=4))
"""A mark and a line break before the tokens and after; the tower's convolutions are not priced."""


@architecture("gemma3n", config=Gemma3nConfig, images=IMAGES)
def gemma3n(config: Gemma3nConfig) -> Module:
    text, vision, audio = config.text_config, config.vision_config, config.audio_config
    hidden = size_of(text, "hidden_size")
    parts = {
        "vision_tower": module(timm_model=mobilenetv5(vision.architecture)),
        "audio_tower": gemma3n_audio(audio),
        "embed_vision": _embedder(vision.vocab_size, vision.hidden_size, hidden),
        "embed_audio": _embedder(audio.vocab_size, audio.hidden_size, hidden),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text))


def _embedder(vocab: int, width: int, hidden: int) -> Module:
    """Soft tokens of a tower and hard ones of a table, each normed, through one matrix; the last norm has no gain."""
    return module(
        embedding=embedding(vocab, width),
        hard_embedding_norm=rms_norm(width),
        soft_embedding_norm=rms_norm(width),
        embedding_projection=linear(width, hidden),
    ).marked(section="projector")
