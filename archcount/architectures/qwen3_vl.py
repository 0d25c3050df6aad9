"""Qwen3-VL: Qwen3, plain or with experts packed in two tensors, beside a tower that feeds its first layers too."""

from __future__ import annotations

from ..blocks import mixture, packed_experts, router
from ..config import Count, CountOrZero, ModelConfig, Size
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module
from .qwen3 import Qwen3Config, qwen3
from .qwen3_5 import MLX
from .qwen3_moe import Qwen3MoeConfig, decoder_around
from .towers.pictures import QWEN_IMAGES
from .towers.qwen3_vl import DeepstackVisionConfig, qwen3_vision


class Qwen3VLTextConfig(Qwen3Config):
    pass


class Qwen3VLMoeTextConfig(Qwen3MoeConfig):
    intermediate_size: Size = 5632
    moe_intermediate_size: Size = 1408
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 16
    num_experts: CountOrZero = 60
    num_experts_per_tok: Count = 4
    tie_word_embeddings: bool = True


class Qwen3VLConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen3_vl_text")
    vision_config: DeepstackVisionConfig = DeepstackVisionConfig()
    tie_word_embeddings: bool = False


class Qwen3VLMoeConfig(Qwen3VLConfig):
    text_config: ModelConfig = nested("qwen3_vl_moe_text")


@architecture("qwen3_vl_text", config=Qwen3VLTextConfig)
def qwen3_vl_text(config: Qwen3VLTextConfig) -> Module:
    return qwen3(config)


@architecture("qwen3_vl_moe_text", config=Qwen3VLMoeTextConfig)
def qwen3_vl_moe_text(config: Qwen3VLMoeTextConfig) -> Module:
    """Transformers 4 stores the experts' matrices the other way round; so are the published files."""
    hidden, experts, active = config.hidden_size, config.num_experts, config.num_experts_per_tok
    packed = packed_experts(
        hidden,
        config.moe_intermediate_size,
        experts=experts,
        active=active,
        activation=config.hidden_act,
        transposed=config.is_written_by_transformers_4,
    )
    return decoder_around(config, lambda: mixture(experts, active, gate=router(hidden, experts), experts=packed))


@architecture("qwen3_vl", config=Qwen3VLConfig, spellings=MLX, images=QWEN_IMAGES)
@architecture("qwen3_vl_moe", config=Qwen3VLMoeConfig, spellings=MLX, images=QWEN_IMAGES)
def qwen3_vl(config: Qwen3VLConfig) -> Module:
    text = config.text_config.model_copy(update={"transformers_version": config.transformers_version})
    parts = {"visual": qwen3_vision(config.vision_config)}
    return with_language_beside(config, text, parts, tie=config.tie_word_embeddings)
