"""Nemotron 3 Omni: Nemotron-H behind C-RADIO's eyes, whose patches are joined in squares, and Parakeet's ears."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import layer_norm, linear, rms_norm
from ..config import Factor, ModelConfig, Size
from ..multimodal import with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module
from .towers.parakeet import ParakeetConfig, parakeet
from .towers.radio import RadioConfig, radio_vision

WHOLE_CLASS = "NemotronH_Omni_Reasoning_V3"


class OmniRadioConfig(RadioConfig):
    """RADIO with a second patch embedding, for frames."""

    video_temporal_patch_size: Size | None = 2


class OmniParakeetConfig(ParakeetConfig):
    """Parakeet without biases, and the widths of what follows it."""

    attention_bias: bool = False
    projection_hidden_size: Size
    projection_bias: bool


class NemotronHOmniConfig(CompositeConfig):
    text_config: ModelConfig = nested("nemotron_h")
    vision_config: OmniRadioConfig = OmniRadioConfig()
    audio_config: OmniParakeetConfig | None = None
    downsample_ratio: Factor = 0.5
    projector_hidden_size: Size = 4096
    vision_hidden_size: Size = 1280
    also_spelled: ClassVar[dict[str, str]] = {
        "llm_config": "text_config",
        "sound_config": "audio_config",
        "vit_hidden_size": "vision_hidden_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"video_temporal_patch_size", "force_image_size"})


@architecture("nemotron_h_omni", config=NemotronHOmniConfig)
def nemotron_h_omni(config: NemotronHOmniConfig) -> Module:
    if config.class_name == WHOLE_CLASS:
        config = config.model_copy(update={"architectures": None, "auto_map": None})
    text, seen, inner = config.text_config, config.vision_hidden_size, config.projector_hidden_size
    side = int(1 / config.downsample_ratio)
    hidden, merged = size_of(text, "hidden_size"), seen * (side * side)
    first, last = linear(merged, inner), linear(inner, hidden)
    parts: dict[str, Module | None] = {
        "vision_model": radio_vision(config.vision_config, has_scales=not config.is_written_by_transformers_4),
        "vision_projector": _last_norm(text, seen),
        "mlp1": Module((("0", rms_norm(merged)), ("1", first), ("3", last))).marked(section="projector"),
        **_ears(config.audio_config, hidden),
    }
    return with_language_inside(config, text, parts, tie=False)


def _ears(config: OmniParakeetConfig | None, hidden: int) -> dict[str, Module]:
    if config is None:
        return {}
    width, inner, bias = config.hidden_size, config.projection_hidden_size, config.projection_bias
    first, last = linear(width, inner, bias=bias), linear(inner, hidden, bias=bias)
    projection = module(norm=rms_norm(width), linear1=first, linear2=last)
    return {
        "sound_encoder": module(encoder=parakeet(config)),
        "sound_projection": projection.marked(section="projector"),
    }


def _last_norm(text: ModelConfig, width: int) -> Module | None:
    """A tower trained with a language model that predicts further tokens ends in a norm."""
    if not getattr(text, "num_nextn_predict_layers", 0):
        return None
    return module(vision_final_layernorm=layer_norm(width)).marked(section="vision")
