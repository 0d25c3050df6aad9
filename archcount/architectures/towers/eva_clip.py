"""EVA2-CLIP-E as CogVLM and GLM-4V hold it: a ViT that norms what each part gave, then a gated way to the text."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import (
    convolution,
    fused_bidirectional_attention,
    gated_mlp,
    layer_norm,
    linear,
    mlp,
    position_embedding,
)
from ...config import Count, Schema, Size
from ...tree import Module, Role, Tensor, module, repeat


class EvaVisionConfig(Schema):
    """GLM-4V's and CogVLM's own classes have no defaults: their configs say it all."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Count
    num_heads: Count
    num_positions: Size
    patch_size: Size
    in_channels: Size = 3
    image_size: int = 490
    hidden_act: str = "gelu"
    ignored: ClassVar[frozenset[str]] = frozenset({"scaling_factor"})


def eva_clip(config: EvaVisionConfig, hidden: int, inner: int, *, merged: int | None = None) -> Module:
    """The tower, and its way to a language model of width `hidden` and inner width `inner`.

    A convolution to width `merged`, where that is given, makes one of four patches. `boi` and `eoi` stand around an
    image.
    """
    width, patch = config.hidden_size, config.patch_size
    patches = convolution(config.in_channels, width, patch, patch).marked(kind="patch embedding")
    marker = Tensor((1, 1, hidden))
    return module(
        patch_embedding=module(
            Role.EMBEDDING,
            cls_embedding=Tensor((1, width)),
            proj=patches,
            position_embedding=position_embedding(config.num_positions, width),
        ),
        transformer=module(layers=repeat(config.num_hidden_layers, _layer(config))),
        conv=convolution(width, merged, 2, 2).marked(section="projector") if merged else None,
        linear_proj=_gated(merged or width, hidden, inner),
        boi=marker,
        eoi=marker,
    ).marked(section="vision")


def _layer(config: EvaVisionConfig) -> Module:
    width, heads, norm = config.hidden_size, config.num_heads, layer_norm(config.hidden_size)
    attends = fused_bidirectional_attention(width, heads=heads, names=("query_key_value", "dense"))
    feed_forward = mlp(width, config.intermediate_size, activation=config.hidden_act)
    return module(
        None, "post-norm", input_layernorm=norm, attention=attends, mlp=feed_forward, post_attention_layernorm=norm
    )


def _gated(inputs: int, hidden: int, inner: int) -> Module:
    """A matrix, a norm and a gated MLP."""
    gated = gated_mlp(hidden, inner, names=("gate_proj", "dense_h_to_4h", "dense_4h_to_h"))
    return gated.prepend(linear_proj=linear(inputs, hidden), norm1=layer_norm(hidden)).marked(section="projector")
