"""Hunyuan's vision tower: a plain ViT with a learned grid of positions, and two convolutions that shrink its output."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, layer_norm, linear, mlp, position_embedding, rms_norm
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...tree import Module, Role, Tensor, module, repeat

MEGATRON = ("dense_h_to_4h", "dense_4h_to_h")


class HunyuanVisionConfig(Schema):
    model_type: str = "hunyuan_vl_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    num_channels: Size = 3
    patch_size: Size = 16
    max_image_size: Size = 2048
    spatial_merge_size: Size = 2
    hidden_act: str = "gelu"
    also_spelled: ClassVar[dict[str, str]] = {"attention_heads": "num_attention_heads"}
    ignored: ClassVar[frozenset[str]] = frozenset(
        {
            "num_key_value_heads",  # every head has its own
            "text_hidden_size",  # always the language model's
            "out_hidden_size",
            "min_image_size",
            "temporal_patch_size",
            "img_max_token_num",
        }
    )


class HyV4VisionConfig(HunyuanVisionConfig):
    model_type: str = "hy_v4_vl_vision"
    hidden_size: Size = 1536
    intermediate_size: Size = 6144
    num_hidden_layers: Count = 40
    out_hidden_size: Size = 6144


def hunyuan_vision(config: HunyuanVisionConfig, perceive: Module) -> Module:
    """`embeddings`, `layers` and what makes tokens of the language model of them, `perceive`."""
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    side = config.max_image_size // patch
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding"),
        position_embedding=position_embedding(side * side + 1, width),
    )
    layer = module(
        None,
        "pre-norm",
        input_layernorm=layer_norm(width),
        self_attn=attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            bias=True,
            causal=False,
            positions="learned",
        ),
        post_attention_layernorm=layer_norm(width),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act, names=MEGATRON),
    )
    layers = repeat(config.num_hidden_layers, layer)
    return module(embeddings=embeddings, layers=layers, perceive=perceive).marked(section="vision")


def hunyuan_merger(config: HunyuanVisionConfig, hidden: int) -> Module:
    """Two convolutions and a matrix, and vectors that begin, part and end an image and its rows."""
    width = config.hidden_size
    return module(
        before_rms=rms_norm(width),
        proj=_shrink(config, 2 * width, 4 * width),
        mlp=linear(4 * width, hidden, bias=True),
        after_rms=rms_norm(hidden),
        image_newline=Tensor((4 * width,)),
        **{name: Tensor((hidden,)) for name in ("image_begin", "image_end", "image_sep")},
    ).marked(section="projector")


def hy_v4_merger(config: HyV4VisionConfig) -> Module:
    """Two convolutions, the second to the language model's width."""
    width, side, out = config.hidden_size, config.spatial_merge_size, config.out_hidden_size
    return module(
        norm=rms_norm(width),
        proj=_shrink(config, width * (side * side), out),
        image_newline=Tensor((out,)),
    ).marked(section="projector")


def _shrink(config: HunyuanVisionConfig, inner: int, outputs: int) -> Module:
    side = config.spatial_merge_size
    first, last = convolution(config.hidden_size, inner, side, side), convolution(inner, outputs, 1, 1)
    return Module((("0", first), ("2", last)))
