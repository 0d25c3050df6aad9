"""Gemma 3n's ears: the Conformer of the Universal Speech Model (Zhang et al. 2023) behind two strided convolutions."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, linear, mlp, rms_norm
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...tree import Module, Role, Tensor, Use, module, repeat

Pair = tuple[Size, Size]


class Gemma3nAudioConfig(Schema):
    model_type: str = "gemma3n_audio"
    vocab_size: Size = 128
    input_feat_size: Size = 128
    hidden_size: Size = 1536
    conf_num_attention_heads: Count = 8
    conf_num_hidden_layers: Count = 12
    conf_conv_kernel_size: Size = 5
    sscp_conv_channel_size: Pair = (128, 32)
    sscp_conv_kernel_size: tuple[Pair, Pair] = ((3, 3), (3, 3))
    sscp_conv_stride_size: tuple[Pair, Pair] = ((2, 2), (2, 2))
    ignored: ClassVar[frozenset[str]] = frozenset({"conf_attention_chunk_size"})


def gemma3n_audio(config: Gemma3nAudioConfig) -> Module:
    """`subsample_conv_projection` and `conformer`."""
    layers = repeat(config.conf_num_hidden_layers, _layer(config))
    return module(subsample_conv_projection=_subsampling(config), conformer=layers).marked(section="audio")


def _subsampling(config: Gemma3nAudioConfig) -> Module:
    """Each convolution pads the bins by one on either side."""
    bins: int = config.input_feat_size
    inputs, children = 1, {}
    each = zip(config.sscp_conv_channel_size, config.sscp_conv_kernel_size, config.sscp_conv_stride_size, strict=True)
    for index, (channels, (tall, wide), (_, stride)) in enumerate(each):
        norm = rms_norm(channels).marked(kind="cumulative GroupNorm")
        children[f"conv_{index}"] = module(conv=convolution(inputs, channels, tall, wide, bias=False), norm=norm)
        bins, inputs = (bins + 2 - wide) // stride + 1, channels
    return module(**children, input_proj_linear=linear(inputs * bins, config.hidden_size))


def _layer(config: Gemma3nAudioConfig) -> Module:
    width = config.hidden_size
    norm = rms_norm(width)
    half = mlp(width, 4 * width, bias=False, activation="silu", names=("ffw_layer_1", "ffw_layer_2"))
    half = half.extend(pre_layer_norm=norm, post_layer_norm=norm)
    convolved = module(
        pre_layer_norm=norm,
        linear_start=linear(width, 2 * width),
        depthwise_conv1d=convolution(width, width, config.conf_conv_kernel_size, groups=width, bias=False),
        conv_norm=norm,
        linear_end=linear(width, width),
    )
    return module(
        None,
        "pre- and post-norm",
        ffw_layer_start=half,
        attention=_attention(config),
        lconv1d=convolved,
        ffw_layer_end=half,
        norm=norm,
    )


def _attention(config: Gemma3nAudioConfig) -> Module:
    """Over chunks, with keys for relative positions; the output's matrix stands beside it."""
    width, heads = config.hidden_size, config.conf_num_attention_heads
    head_dim = exact_div(width, heads)
    plain = attention(width, heads=heads, head_dim=head_dim, causal=False, positions="relative")
    inside = plain.replacing(o_proj=None).extend(
        relative_position_embedding=module(pos_proj=linear(width, heads * head_dim)),
        per_dim_scale=Tensor((head_dim,), Use.SCALE),
    )
    norm = rms_norm(width)
    return module(Role.ATTENTION, pre_attn_norm=norm, attn=inside, post=linear(width, width), post_norm=norm)
