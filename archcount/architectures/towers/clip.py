"""CLIP's vision tower: a pre-norm ViT with a class token, and a norm before the first layer and after the last."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bidirectional_attention, convolution, layer_norm, mlp, position_embedding
from ...config import Count, ModelConfig, Size
from ...registry import architecture
from ...tree import Module, Role, Tensor, module, repeat


class ClipVisionConfig(ModelConfig):
    model_type: str = "clip_vision_model"
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    num_channels: Size = 3
    image_size: Size = 224
    patch_size: Size = 32
    hidden_act: str = "quick_gelu"
    ignored: ClassVar[frozenset[str]] = frozenset({"projection_dim", "vocab_size"})  # of CLIP's text side


@architecture("clip_vision_model", config=ClipVisionConfig)
def clip_vision(config: ClipVisionConfig) -> Module:
    """`embeddings`, `pre_layrnorm` (so spelled in the files), `encoder` and `post_layernorm`."""
    width, patch = config.hidden_size, config.patch_size
    patches_a_side = config.image_size // patch
    patches = convolution(config.num_channels, width, patch, patch, bias=False)
    embeddings = module(
        Role.EMBEDDING,
        class_embedding=Tensor((width,)),
        patch_embedding=patches.marked(kind="patch embedding"),
        position_embedding=position_embedding(patches_a_side * patches_a_side + 1, width),
    )
    return module(
        embeddings=embeddings,
        pre_layrnorm=layer_norm(width),
        encoder=module(layers=repeat(config.num_hidden_layers, _layer(config))),
        post_layernorm=layer_norm(width),
    ).marked(section="vision")


def _layer(config: ClipVisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    self_attn = bidirectional_attention(width, heads=heads)
    return module(
        None,
        "pre-norm",
        self_attn=self_attn,
        layer_norm1=layer_norm(width),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
        layer_norm2=layer_norm(width),
    )
