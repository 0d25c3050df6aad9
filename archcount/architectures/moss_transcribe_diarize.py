"""MOSS Transcribe Diarize: Whisper's encoder, a projector over a few frames at a time, and Qwen3 to write who spoke."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import layer_norm, linear, lm_head
from ..config import Count, ModelConfig, Schema, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, module
from .qwen3 import Qwen3Config, qwen3
from .towers.speech import AS_WHISPER
from .whisper import speech_encoder


class MossAudioConfig(Schema):
    num_mel_bins: Size = 80
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    max_source_positions: Size = 1500
    activation_function: str = "gelu"
    also_spelled: ClassVar[dict[str, str]] = AS_WHISPER


class MossConfig(ModelConfig):
    audio_config: MossAudioConfig = MossAudioConfig()
    text_config: Qwen3Config = Qwen3Config(
        model_type="qwen3",
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=8,
        rope_parameters={"rope_theta": 1_000_000.0},
    )
    audio_merge_size: Size = 4
    projector_bias: bool = True
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"audio_chunk_size"})


@architecture("moss_transcribe_diarize", config=MossConfig)
def moss_transcribe_diarize(config: MossConfig) -> Module:
    name, text, audio = config.class_name, config.text_config, config.audio_config
    hidden, bias = text.hidden_size, config.projector_bias
    tower = speech_encoder(
        audio.num_mel_bins,
        audio.hidden_size,
        audio.intermediate_size,
        layers=audio.num_hidden_layers,
        heads=audio.num_attention_heads,
        positions=audio.max_source_positions,
        activation=audio.activation_function,
    )
    projector = module(
        linear_1=linear(audio.hidden_size * config.audio_merge_size, hidden, bias=bias),
        linear_2=linear(hidden, hidden, bias=bias),
        norm=layer_norm(hidden),
    )
    model = module(
        audio_tower=tower.marked(section="audio"),
        language_model=qwen3(text.model_copy(update={"architectures": ["Qwen3Model"]})),
        multi_modal_projector=projector.marked(section="projector"),
    )
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    tied_to = "model.language_model.embed_tokens.weight" if config.tie_word_embeddings else None
    return module(model=model, lm_head=lm_head(hidden, text.vocab_size, tied_to=tied_to))
