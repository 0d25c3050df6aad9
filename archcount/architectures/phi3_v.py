"""Phi-3 and 3.5 with eyes: CLIP's large tower inside Phi-3's decoder, its patches in squares through an MLP."""

from __future__ import annotations

from typing import ClassVar

from ..config import ModelConfig, Schema, Size
from ..errors import ConfigValueError
from ..flat import FlatTextConfig
from ..multimodal import with_parts_within
from ..nested import nested, size_of
from ..registry import architecture
from ..tree import Module, Tensor, module
from .towers.by_name import tower_named
from .towers.mm_projector import mm_projector

SQUARE = 4  # patches that become one token


class PhiEyesConfig(Schema):
    name: str = "clip_vision_model"
    model_name: str = "openai/clip-vit-large-patch14-336"
    image_dim_out: Size = 1024
    ignored: ClassVar[frozenset[str]] = frozenset({"num_img_tokens"})


class PhiEmbedConfig(Schema):
    """Only the one form that was published is known."""

    projection_cls: str = "linear"
    use_hd_transform: bool = False
    with_learnable_separator: bool = False


class Phi3VConfig(FlatTextConfig):
    text_config: ModelConfig = nested("phi3")
    embd_layer: PhiEmbedConfig
    img_processor: PhiEyesConfig
    tie_word_embeddings: bool = False


@architecture("phi3_v", config=Phi3VConfig)
def phi3_v(config: Phi3VConfig) -> Module:
    embed, eyes = config.embd_layer, config.img_processor
    if embed.projection_cls != "mlp" or not embed.use_hd_transform or not embed.with_learnable_separator:
        raise ConfigValueError("embd_layer: should be an mlp with use_hd_transform and with_learnable_separator")
    seen = eyes.image_dim_out * SQUARE
    embedding = module(
        glb_GN=Tensor((1, 1, seen)),
        sub_GN=Tensor((1, 1, 1, seen)),
        img_processor=tower_named(eyes.model_name, "img_processor.model_name"),
        img_projection=mm_projector("mlp2x_gelu", seen, size_of(config.text_config, "hidden_size")),
    )
    parts = {"vision_embed_tokens": embedding.marked(section="vision")}
    return with_parts_within(config, config.text_config, parts, tie=config.tie_word_embeddings)
