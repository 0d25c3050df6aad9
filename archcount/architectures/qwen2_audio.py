"""Qwen2-Audio, Voxtral and NVIDIA's Flamingos: Whisper's encoder, one matrix or two, and a language model."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import ModelConfig
from ..multimodal import with_language_inside
from ..nested import CompositeConfig, built, nested, nested_over, size_of, ties
from ..registry import architecture
from ..tree import Module, module

HEARING = {
    "model.language_model.": "language_model.model.",
    "language_model.model.": "language_model.",
    "lm_head.": "language_model.lm_head.",
    "model.audio_tower.": "audio_tower.",
    "model.multi_modal_projector.": "multi_modal_projector.",
}
"""How the layout is met as well: transformers 5 holds it so, and saves a bare `…Model` under the names of the whole."""


class Qwen2AudioConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    audio_config: ModelConfig = nested("qwen2_audio_encoder")


class VoxtralConfig(CompositeConfig):
    text_config: ModelConfig = nested_over(
        "llama",
        vocab_size=131072,
        hidden_size=3072,
        intermediate_size=8192,
        num_hidden_layers=30,
        num_key_value_heads=8,
        head_dim=128,
        rope_theta=100_000_000.0,
        max_position_embeddings=131072,
    )
    audio_config: ModelConfig = nested("voxtral_encoder")
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size"})  # written beside text_config, whose it repeats


class AudioFlamingo3Config(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    audio_config: ModelConfig = nested("audioflamingo3_encoder")
    projector_bias: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim"})  # Music Flamingo's, of angles that are not stored


@architecture("qwen2_audio", config=Qwen2AudioConfig, spellings=HEARING)
def qwen2_audio(config: Qwen2AudioConfig) -> Module:
    width, hidden = size_of(config.audio_config, "hidden_size"), size_of(config.text_config, "hidden_size")
    return _hearing(config, module(linear=linear(width, hidden, bias=True)))


@architecture("voxtral", config=VoxtralConfig, spellings=HEARING)
def voxtral(config: VoxtralConfig) -> Module:
    """Four frames in a row stand side by side before the projector, which are as wide as the encoder's MLP."""
    return _hearing(config, _projector(config, size_of(config.audio_config, "intermediate_size"), bias=False))


@architecture("audioflamingo3", config=AudioFlamingo3Config, spellings=HEARING)
@architecture("musicflamingo", config=AudioFlamingo3Config, spellings=HEARING)
def audioflamingo3(config: AudioFlamingo3Config) -> Module:
    """Music Flamingo turns what it heard by the time it was heard at, which stores nothing."""
    width = size_of(config.audio_config, "hidden_size")
    return _hearing(config, _projector(config, width, bias=config.projector_bias))


def _projector(config: VoxtralConfig | AudioFlamingo3Config, width: int, *, bias: bool) -> Module:
    hidden = size_of(config.text_config, "hidden_size")
    return module(linear_1=linear(width, hidden, bias=bias), linear_2=linear(hidden, hidden, bias=bias))


def _hearing(config: Qwen2AudioConfig | VoxtralConfig | AudioFlamingo3Config, projector: Module) -> Module:
    """The head is stored whatever the configs say, but by transformers 4, which went by the language model's."""
    tie = config.is_written_by_transformers_4 and ties(config.text_config)
    parts = {"audio_tower": built(config.audio_config), "multi_modal_projector": projector.marked(section="projector")}
    return with_language_inside(config, config.text_config, parts, tie=tie)
