"""EXAONE 4.5: EXAONE 4 behind Qwen2.5-VL's tower, which here shares keys and values among its heads."""

from __future__ import annotations

from ..config import CountOrZero, ModelConfig
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module
from .exaone import Exaone4Config, exaone4, exaone4_layer
from .qwen3_next import look_ahead
from .towers.pictures import QWEN_WINDOWED
from .towers.qwen2_vl import Exaone45VisionConfig, qwen2_5_vision


class Exaone45TextConfig(Exaone4Config):
    """The first files name their language model so; it is EXAONE 4, with layers that predict a token further."""

    num_nextn_predict_layers: CountOrZero = 0
    mtp_share_layers: bool = False


class Exaone45Config(CompositeConfig):
    text_config: ModelConfig = nested("exaone4")
    vision_config: Exaone45VisionConfig = Exaone45VisionConfig()
    tie_word_embeddings: bool = False


@architecture("exaone4_5_text", config=Exaone45TextConfig)
def exaone4_5_text(config: Exaone45TextConfig) -> Module:
    """`mtp_share_layers` has one stored layer serve all steps."""
    steps = config.num_nextn_predict_layers
    stored = min(steps, 1) if config.mtp_share_layers else steps
    further = exaone4_layer(config, config.layer_windows()[0])
    return exaone4(config).extend(mtp=look_ahead(further, config.hidden_size, stored))


@architecture("exaone4_5", config=Exaone45Config, images=QWEN_WINDOWED)
def exaone4_5(config: Exaone45Config) -> Module:
    parts = {"visual": qwen2_5_vision(config.vision_config)}
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)
