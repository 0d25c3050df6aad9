"""Inkling with eyes and ears, by the names of its published files: pixels and mel bins go straight in."""

from __future__ import annotations

from ..blocks import linear, rms_norm
from ..config import ModelConfig
from ..heads import refuse_other_heads
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module
from .inkling import PUBLISHED, InklingMtpConfig, InklingTextConfig, inkling_layers, inkling_look_ahead
from .towers.inkling import InklingAudioConfig, InklingVisionConfig, inkling_audio, inkling_vision


class InklingMmConfig(ModelConfig):
    text_config: InklingTextConfig = InklingTextConfig(model_type="inkling_text")
    vision_config: InklingVisionConfig = InklingVisionConfig()
    audio_config: InklingAudioConfig = InklingAudioConfig()
    mtp_config: InklingMtpConfig = InklingMtpConfig()


@architecture("inkling_mm_model", config=InklingMmConfig)
def inkling_mm_model(config: InklingMmConfig) -> Module:
    refuse_other_heads(config)
    text = config.text_config
    hidden, vocab = text.hidden_size, text.vocab_size
    llm = module(
        embed=module(Role.EMBEDDING, weight=Tensor((vocab, hidden), Use.LOOKUP)),
        embed_norm=rms_norm(hidden),
        layers=inkling_layers(text, PUBLISHED),
        norm=rms_norm(hidden),
        unembed=linear(hidden, vocab, role=Role.HEAD),
    )
    visual, audio = inkling_vision(config.vision_config, hidden), inkling_audio(config.audio_config, hidden)
    ahead = inkling_look_ahead(text, config.mtp_config)
    return module(model=module(llm=llm, visual=visual, audio=audio, mtp=ahead))
