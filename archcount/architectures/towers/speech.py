"""Whisper's encoder as the ears of a language model: Qwen2-Audio's, Voxtral's, Audio Flamingo 3's."""

from __future__ import annotations

from typing import ClassVar

from ...config import Count, ModelConfig, Size
from ...registry import architecture
from ...tree import Module
from ..whisper import speech_encoder

AS_WHISPER = {
    "d_model": "hidden_size",
    "encoder_attention_heads": "num_attention_heads",
    "encoder_ffn_dim": "intermediate_size",
    "encoder_layers": "num_hidden_layers",
}
"""How Whisper's own config spells the sizes of an encoder."""


class SpeechEncoderConfig(ModelConfig):
    num_mel_bins: Size = 128
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 20
    max_source_positions: Size = 1500
    activation_function: str = "gelu"
    also_spelled: ClassVar[dict[str, str]] = AS_WHISPER


class VoxtralEncoderConfig(SpeechEncoderConfig):
    ignored: ClassVar[frozenset[str]] = frozenset({"vocab_size"})  # Whisper's, of the decoder that was left behind


@architecture("qwen2_audio_encoder", config=SpeechEncoderConfig)
@architecture("audioflamingo3_encoder", "musicflamingo_encoder", config=SpeechEncoderConfig)
@architecture("voxtral_encoder", config=VoxtralEncoderConfig)
def speech_tower(config: SpeechEncoderConfig) -> Module:
    """`conv1`, `conv2`, `embed_positions`, `layers` and `layer_norm`."""
    return speech_encoder(
        config.num_mel_bins,
        config.hidden_size,
        config.intermediate_size,
        layers=config.num_hidden_layers,
        heads=config.num_attention_heads,
        positions=config.max_source_positions,
        activation=config.activation_function,
    ).marked(section="audio")
