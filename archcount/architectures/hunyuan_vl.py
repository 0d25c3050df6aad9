"""Hunyuan with eyes: the dense decoder (HunyuanOCR), or Hunyuan 4's, beside a ViT and its convolutions."""

from __future__ import annotations

from typing import ClassVar

from ..config import Count, ModelConfig, Size
from ..flat import FlatTextConfig
from ..multimodal import with_language_on_top
from ..nested import CompositeConfig, nested, size_of, ties
from ..registry import architecture
from ..tree import Module, module
from .hunyuan_v1_dense import HunyuanV1DenseConfig, hunyuan_v1_dense
from .hy_v4 import HyV4Config, decoder, last_mix
from .towers.hunyuan import HunyuanVisionConfig, HyV4VisionConfig, hunyuan_merger, hunyuan_vision, hy_v4_merger

SPELLINGS = {"model.language_model.": "model.", "model.vit.": "vit."}


class HunyuanVLTextConfig(HunyuanV1DenseConfig):
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"attention_head_dim": "head_dim", "org_vocab_size": "vocab_size"}


class HyV4VLTextConfig(HyV4Config):
    hidden_size: Size = 6144
    intermediate_size: Size = 18432
    moe_intermediate_size: Size = 2048
    num_hidden_layers: Count = 78
    num_attention_heads: Count = 64
    q_lora_rank: Size = 2048
    index_n_heads: Count = 32


class HunyuanVLConfig(FlatTextConfig):
    text_config: ModelConfig = nested("hunyuan_vl_text")
    vision_config: HunyuanVisionConfig = HunyuanVisionConfig()
    tie_word_embeddings: bool = True


class HyV4VLConfig(CompositeConfig):
    text_config: ModelConfig = nested("hy_v4_vl_text")
    vision_config: HyV4VisionConfig = HyV4VisionConfig()
    tie_word_embeddings: bool = False


@architecture("hunyuan_vl_text", config=HunyuanVLTextConfig)
def hunyuan_vl_text(config: HunyuanVLTextConfig) -> Module:
    return hunyuan_v1_dense(config)


@architecture("hy_v4_vl_text", config=HyV4VLTextConfig)
def hy_v4_vl_text(config: HyV4VLTextConfig) -> Module:
    return decoder(config, hc_head=module(hc_pre=last_mix(config)))


@architecture("hunyuan_vl", config=HunyuanVLConfig, spellings=SPELLINGS)
def hunyuan_vl(config: HunyuanVLConfig) -> Module:
    text = config.text_config
    perceive = hunyuan_merger(config.vision_config, size_of(text, "hidden_size"))
    tie = config.tie_word_embeddings or ties(text)
    return with_language_on_top(config, text, {"vit": hunyuan_vision(config.vision_config, perceive)}, tie=tie)


@architecture("hy_v4_vl", config=HyV4VLConfig, spellings=SPELLINGS)
def hy_v4_vl(config: HyV4VLConfig) -> Module:
    vit = hunyuan_vision(config.vision_config, hy_v4_merger(config.vision_config))
    return with_language_on_top(config, config.text_config, {"vit": vit}, tie=config.tie_word_embeddings)
