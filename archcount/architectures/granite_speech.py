"""Granite Speech: a Conformer, a Q-Former that draws a few vectors from each window of frames, and a Granite."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig, Size
from ..multimodal import is_tied, with_language_inside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Tensor, module
from .qwen2_audio import HEARING
from .towers.granite_speech import GraniteSpeechEncoderConfig
from .towers.qformer import QFormerConfig, norm, qformer

SPELLINGS = HEARING | {"model.encoder.": "encoder.", "model.projector.": "projector."}


class GraniteSpeechConfig(CompositeConfig):
    text_config: ModelConfig = nested("granite")
    encoder_config: GraniteSpeechEncoderConfig = GraniteSpeechEncoderConfig()
    projector_config: QFormerConfig = QFormerConfig()
    downsample_rate: Size = 5
    window_size: Size = 15
    tie_word_embeddings: bool = True


@architecture("granite_speech", config=GraniteSpeechConfig, spellings=SPELLINGS)
def granite_speech(config: GraniteSpeechConfig) -> Module:
    """The adapter that some of its repositories hold is no part of the model's own files."""
    text = config.text_config
    parts = {"encoder": built(config.encoder_config), "projector": _projector(config)}
    return with_language_inside(config, text, parts, tie=is_tied(config, text))


def _projector(config: GraniteSpeechConfig) -> Module:
    """`downsample_rate` frames become one: so many queries read a window of `window_size` frames."""
    former, queries = config.projector_config, config.window_size // config.downsample_rate
    reading = qformer(former, former.encoder_hidden_size, reads_text=former.use_qformer_text_input)
    return module(
        query=Tensor((1, queries, former.hidden_size)),
        qformer=reading.prepend(layernorm=norm(former)),
        linear=linear(former.hidden_size, size_of(config.text_config, "hidden_size"), bias=True),
    ).marked(section="projector")
