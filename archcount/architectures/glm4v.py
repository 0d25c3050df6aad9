"""GLM with eyes: GLM-4's decoder or GLM-4.5's experts beside a tower, from 4.1V to 4.6V, and GLM-OCR."""

from __future__ import annotations

from ..blocks import followed_by, look_ahead_layer, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..heads import decoder_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, ties
from ..registry import architecture
from ..tree import Module, Node, repeat
from .glm import GlmConfig, glm4, glm4_layer
from .glm4_moe import Glm4MoeConfig, glm4_moe
from .towers.glm4v import Glm4vVisionConfig, GlmOcrVisionConfig, glm4v_vision, glm_ocr_vision
from .towers.pictures import GLM_4_6_IMAGES, GLM_IMAGES


class Glm4vTextConfig(GlmConfig):
    head_dim: Size | None = None


class GlmOcrTextConfig(GlmConfig):
    vocab_size: Size = 59392
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 16
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 8
    head_dim: Size | None = None
    attention_bias: bool = False
    num_nextn_predict_layers: CountOrZero = 0


class Glm4vMoeTextConfig(Glm4MoeConfig):
    vocab_size: Size = 151424
    attention_bias: bool = True
    num_nextn_predict_layers: CountOrZero = 0


class _SeeingConfig(CompositeConfig):
    text_config: ModelConfig
    tie_word_embeddings: bool = False

    @property
    def is_tied(self) -> bool:
        """Is the head the embedding table? Older files say so in `text_config` alone."""
        return self.tie_word_embeddings or ties(self.text_config)


class Glm4vConfig(_SeeingConfig):
    text_config: ModelConfig = nested("glm4v_text")
    vision_config: Glm4vVisionConfig = Glm4vVisionConfig()


class Glm4vMoeConfig(Glm4vConfig):
    text_config: ModelConfig = nested("glm4v_moe_text")


class Glm46vConfig(Glm4vConfig):
    """Its text is that of GLM-4.1V, or in the larger model that of GLM-4.5V."""

    @property
    def is_tied(self) -> bool:
        """Only the outer level counts here."""
        return self.tie_word_embeddings


class GlmOcrConfig(_SeeingConfig):
    text_config: ModelConfig = nested("glm_ocr_text")
    vision_config: GlmOcrVisionConfig = GlmOcrVisionConfig()


@architecture("glm4v_text", config=Glm4vTextConfig)
def glm4v_text(config: Glm4vTextConfig) -> Module:
    return glm4(config)


@architecture("glm_ocr_text", config=GlmOcrTextConfig)
def glm_ocr_text(config: GlmOcrTextConfig) -> Module:
    """The layer that predicts a further token is DeepSeek-V3's in all but what it repeats."""
    hidden, layers, layer = config.hidden_size, config.num_hidden_layers, glm4_layer(config)
    further = look_ahead_layer(layer, hidden, config.vocab_size)
    stacked = followed_by(repeat(layers, layer), further, layers, config.num_nextn_predict_layers)
    return decoder_lm(config, stacked, rms_norm(hidden))


@architecture("glm4v_moe_text", config=Glm4vMoeTextConfig)
def glm4v_moe_text(config: Glm4vMoeTextConfig) -> Module:
    return glm4_moe(config)


@architecture("glm4v", config=Glm4vConfig, images=GLM_IMAGES)
@architecture("glm4v_moe", config=Glm4vMoeConfig, images=GLM_IMAGES)
@architecture("glm46v", "glmga", config=Glm46vConfig, images=GLM_4_6_IMAGES)
def glm4v(config: Glm4vConfig) -> Module:
    return _seeing(config, glm4v_vision(config.vision_config))


@architecture("glm_ocr", config=GlmOcrConfig)
def glm_ocr(config: GlmOcrConfig) -> Module:
    vision = config.vision_config
    return _seeing(config, glm_ocr_vision(vision, vision.out_hidden_size * vision.in_channels))


def _seeing(config: _SeeingConfig, visual: Node) -> Module:
    return with_language_beside(config, config.text_config, {"visual": visual}, tie=config.is_tied)
