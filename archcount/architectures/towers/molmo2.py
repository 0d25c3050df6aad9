"""Molmo 2's vision tower: a ViT on flattened patches; attention pools what a few of its layers saw."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, gated_mlp, layer_norm, linear, mlp
from ...config import Count, Schema, Size
from ...tree import Module, Role, Tensor, Use, module, repeat

PROJECTIONS = "wq", "wk", "wv", "wo"


class Molmo2AttentionKeys(Schema):
    """What the tower and what pools it both have."""

    hidden_size: Size = 1152
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 16
    head_dim: Size = 72
    attention_bias: bool = True


class Molmo2VisionConfig(Molmo2AttentionKeys):
    model_type: str = "molmo2_vision"
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 25
    hidden_act: str = "gelu_pytorch_tanh"
    image_size: tuple[Size, Size] = (378, 378)
    patch_size: Size = 14
    num_position_embeddings: Size | None = None
    num_channels: Size = 3
    also_spelled: ClassVar[dict[str, str]] = {
        "image_default_input_size": "image_size",
        "image_patch_size": "patch_size",
        "image_num_pos": "num_position_embeddings",
    }


class Molmo2AdapterConfig(Molmo2AttentionKeys):
    model_type: str = "molmo2_adapter"
    vision_feature_layer: tuple[int, ...] = (24, 18)
    intermediate_size: Size = 18944
    text_hidden_size: Size = 3584
    hidden_act: str = "silu"
    mlp_bias: bool = False
    also_spelled: ClassVar[dict[str, str]] = {"vit_layers": "vision_feature_layer"}


def molmo2_vision(config: Molmo2VisionConfig) -> Module:
    """`positional_embedding`, `patch_embedding` on flattened patches, and `transformer.resblocks`."""
    width, patch, (high, wide) = config.hidden_size, config.patch_size, config.image_size
    places = config.num_position_embeddings or (high // patch) * (wide // patch)
    layer = module(
        None,
        "pre-norm",
        attention=_attention(config, width),
        feed_forward=mlp(width, config.intermediate_size, activation=config.hidden_act, names=("w1", "w2")),
        attention_norm=layer_norm(width),
        ffn_norm=layer_norm(width),
    )
    patches = linear(patch * patch * config.num_channels, width, bias=True, role=Role.EMBEDDING)
    return module(
        positional_embedding=Tensor((places, width), Use.LOOKUP),
        patch_embedding=patches.marked(kind="patch embedding"),
        transformer=module(resblocks=repeat(config.num_hidden_layers, layer)),
    ).marked(section="vision")


def _attention(config: Molmo2AttentionKeys, inputs: int) -> Module:
    heads, head_dim, bias = config.num_attention_heads, config.head_dim, config.attention_bias
    attend = attention(
        inputs,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=bias,
        causal=False,
        positions="learned",
        names=PROJECTIONS,
    )
    return attend.replacing(**{PROJECTIONS[-1]: linear(heads * head_dim, config.hidden_size, bias=bias)})


def molmo2_pooling(config: Molmo2AdapterConfig) -> Module:
    """Attention from the mean of a few patches to each of them, over the features of several layers side by side."""
    seen = config.hidden_size * len(config.vision_feature_layer)
    return _attention(config, seen).marked(section="projector")


def molmo2_projector(config: Molmo2AdapterConfig) -> Module:
    """A gated MLP to the language model's width."""
    width, inner, out = config.hidden_size, config.intermediate_size, config.text_hidden_size
    gated = gated_mlp(width, inner, bias=config.mlp_bias, activation=config.hidden_act, names=("w1", "w3", "w2"))
    return gated.replacing(w2=linear(inner, out)).marked(section="projector")
