"""BLIP's vision tower: a pre-norm ViT with a class token and one matrix for query, key and value."""

from __future__ import annotations

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, mlp
from ...config import Count, Schema, Size
from ...tree import Module, Role, Tensor, module, repeat


class BlipVisionConfig(Schema):
    model_type: str = "blip_vision_model"
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    image_size: Size = 384
    patch_size: Size = 16
    hidden_act: str = "gelu"
    projection_dim: int = 512


class Blip2VisionConfig(BlipVisionConfig):
    """EVA's ViT-g without its last layer."""

    model_type: str = "blip_2_vision_model"
    hidden_size: Size = 1408
    intermediate_size: Size = 6144
    num_hidden_layers: Count = 39
    num_attention_heads: Count = 16
    image_size: Size = 224
    patch_size: Size = 14
    qkv_bias: bool = True


def blip_vision(config: BlipVisionConfig) -> Module:
    """`embeddings`, `encoder` and `post_layernorm`."""
    width, patch = config.hidden_size, config.patch_size
    side = config.image_size // patch
    return module(
        embeddings=module(
            Role.EMBEDDING,
            class_embedding=Tensor((1, 1, width)),
            position_embedding=Tensor((1, side * side + 1, width)),
            patch_embedding=convolution(3, width, patch, patch).marked(kind="patch embedding"),
        ),
        encoder=module(layers=repeat(config.num_hidden_layers, _layer(config))),
        post_layernorm=layer_norm(width),
    ).marked(section="vision")


def _layer(config: BlipVisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    self_attn = fused_bidirectional_attention(
        width,
        heads=heads,
        bias=config.qkv_bias if isinstance(config, Blip2VisionConfig) else True,
        names=("qkv", "projection"),
    )
    return module(
        None,
        "pre-norm",
        self_attn=self_attn,
        layer_norm1=layer_norm(width),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
        layer_norm2=layer_norm(width),
    )
