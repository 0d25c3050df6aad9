"""Gemma 4's towers: a vision transformer on flattened patches, and a Conformer that hears.

Longer than most: a tower that sees and one that hears, which share the way they clip.
"""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, bias_of, convolution, gated_mlp, layer_norm, linear, mlp, rms_norm, sandwich_layer
from ...blocks.linear import Projection
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...tree import Module, Role, Tensor, Use, module, repeat

RANGES = ("input_min", "input_max", "output_min", "output_max")


class Gemma4VisionConfig(Schema):
    model_type: str = "gemma4_vision"
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 16
    num_attention_heads: Count = 12
    num_key_value_heads: Count = 12
    head_dim: Size = 64
    hidden_activation: str = "gelu_pytorch_tanh"
    patch_size: Size = 16
    position_embedding_size: Size = 10240
    use_clipped_linears: bool = False
    standardize: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"pooling_kernel_size"})


class Gemma4AudioConfig(Schema):
    model_type: str = "gemma4_audio"
    hidden_size: Size = 1024
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 8
    hidden_act: str = "silu"
    subsampling_conv_channels: tuple[Size, Size] = (128, 32)
    conv_kernel_size: Size = 5
    use_clipped_linears: bool = True
    output_proj_dims: Size = 1536
    ignored: ClassVar[frozenset[str]] = frozenset({"attention_chunk_size"})


def gemma4_vision(config: Gemma4VisionConfig) -> Module:
    """`patch_embedder`, `encoder` and, with `standardize`, the mean and the scale that patches leave with."""
    width, patch, projection = config.hidden_size, config.patch_size, clippable(config.use_clipped_linears)
    self_attn = attention(
        width,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
        query_norm=rms_norm(config.head_dim),
        key_norm=rms_norm(config.head_dim),
        causal=False,
        positions="RoPE 2D",
        projection=projection,
    )
    inner, activation = config.intermediate_size, config.hidden_activation
    layer = sandwich_layer(
        self_attn, gated_mlp(width, inner, activation=activation, projection=projection), rms_norm(width)
    )
    table = Tensor((2, config.position_embedding_size, width), Use.LOOKUP)
    return module(
        patch_embedder=module(
            Role.EMBEDDING,
            input_proj=linear(3 * patch * patch, width).marked(kind="patch embedding"),
            position_embedding_table=table,
        ),
        encoder=module(layers=repeat(config.num_hidden_layers, layer)),
        std_bias=bias_of(width) if config.standardize else None,
        std_scale=Tensor((width,), Use.SCALE) if config.standardize else None,
    ).marked(section="vision")


def gemma4_audio(config: Gemma4AudioConfig) -> Module:
    """Two strided convolutions over mel bins, the Conformer's `layers`, and a projection out."""
    width, (first, second) = config.hidden_size, config.subsampling_conv_channels
    subsampling = module(
        layer0=module(conv=convolution(1, first, 3, 3, bias=False), norm=layer_norm(first, bias=False)),
        layer1=module(conv=convolution(first, second, 3, 3, bias=False), norm=layer_norm(second, bias=False)),
        input_proj_linear=linear(first // 4 * second, width),
    )
    return module(
        subsample_conv_projection=subsampling,
        layers=repeat(config.num_hidden_layers, _conformer_layer(config)),
        output_proj=linear(width, config.output_proj_dims, bias=True),
    ).marked(section="audio")


def clippable(is_clipped: bool) -> Projection:
    """`linear` one level down, beside the ranges its input and its output are clipped to, if they are."""

    def projection(inputs: int, outputs: int, *, bias: bool = False) -> Module:
        ranges = {name: Tensor((), Use.OTHER) for name in RANGES} if is_clipped else {}
        return module(**ranges, linear=linear(inputs, outputs, bias=bias))

    return projection


def _conformer_layer(config: Gemma4AudioConfig) -> Module:
    width, projection = config.hidden_size, clippable(config.use_clipped_linears)
    feed_forward = mlp(
        width,
        4 * width,
        bias=False,
        activation=config.hidden_act,
        names=("ffw_layer_1", "ffw_layer_2"),
        projection=projection,
    ).extend(pre_layer_norm=rms_norm(width), post_layer_norm=rms_norm(width))
    convolved = module(
        linear_start=projection(width, 2 * width),
        linear_end=projection(width, width),
        depthwise_conv1d=convolution(width, width, config.conv_kernel_size, groups=width, bias=False),
        pre_layer_norm=rms_norm(width),
        conv_norm=rms_norm(width),
    )
    return module(
        feed_forward1=feed_forward,
        feed_forward2=feed_forward,
        self_attn=_relative_attention(config, projection),
        lconv1d=convolved,
        norm_pre_attn=rms_norm(width),
        norm_post_attn=rms_norm(width),
        norm_out=rms_norm(width),
    )


def _relative_attention(config: Gemma4AudioConfig, projection: Projection) -> Module:
    """Attention over chunks, with keys for relative positions and a scale for each dimension of a query."""
    width, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(width, heads)
    return attention(
        width,
        heads=heads,
        head_dim=head_dim,
        causal=False,
        positions="relative",
        names=("q_proj", "k_proj", "v_proj", "post"),
        projection=projection,
    ).extend(
        relative_k_proj=linear(width, heads * head_dim),
        per_dim_scale=Tensor((head_dim,), Use.SCALE),
    )
