"""Parakeet's encoder: convolutions that thin out a spectrogram, then Conformer layers with relative positions."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, batch_norm, convolution, layer_norm, linear, mlp
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...tree import Module, Tensor, Use, module, repeat


class ParakeetConfig(Schema):
    model_type: str = "parakeet_encoder"
    hidden_size: Size = 1024
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 8
    intermediate_size: Size = 4096
    hidden_act: str = "silu"
    attention_bias: bool = True
    convolution_bias: bool = True
    conv_kernel_size: Size = 9
    subsampling_factor: Size = 8
    subsampling_conv_channels: Size = 256
    subsampling_conv_kernel_size: Size = 3
    subsampling_conv_stride: Size = 2
    num_mel_bins: Size = 80
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads"})


def parakeet(config: ParakeetConfig) -> Module:
    """`subsampling` and `layers`."""
    layers = repeat(config.num_hidden_layers, _layer(config))
    return module(subsampling=_subsampling(config), layers=layers).marked(section="audio")


def _subsampling(config: ParakeetConfig) -> Module:
    """One convolution, then pairs of a filter a channel and a mixing one, each halving what is left."""
    channels, kernel = config.subsampling_conv_channels, config.subsampling_conv_kernel_size
    times = config.subsampling_factor.bit_length() - 1
    each = convolution(channels, channels, kernel, kernel, groups=channels)
    mixing = convolution(channels, channels, 1, 1)
    parts = [("0", convolution(1, channels, kernel, kernel))]  # an activation after it, and after each pair
    for pair in range(times - 1):
        parts += [(f"{3 * pair + 2}", each), (f"{3 * pair + 3}", mixing)]
    left = config.num_mel_bins // config.subsampling_conv_stride**times
    return module(layers=Module(tuple(parts)), linear=linear(channels * left, config.hidden_size, bias=True))


def _layer(config: ParakeetConfig) -> Module:
    width, norm = config.hidden_size, layer_norm(config.hidden_size)
    half = mlp(
        width,
        config.intermediate_size,
        bias=config.attention_bias,
        activation=config.hidden_act,
        names=("linear1", "linear2"),
    )
    return module(
        None,
        "pre-norm",
        feed_forward1=half,
        self_attn=_attention(config),
        conv=_convolved(config),
        feed_forward2=half,
        norm_feed_forward1=norm,
        norm_self_att=norm,
        norm_conv=norm,
        norm_feed_forward2=norm,
        norm_out=norm,
    )


def _attention(config: ParakeetConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(width, heads)
    bias = Tensor((heads, head_dim), Use.BIAS)
    plain = attention(
        width,
        heads=heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        causal=False,
        positions="relative",
    )
    return plain.extend(relative_k_proj=linear(width, heads * head_dim), bias_u=bias, bias_v=bias)


def _convolved(config: ParakeetConfig) -> Module:
    """A gate over twice the channels, a filter a channel, a batch norm with its statistics, and a mixing matrix."""
    width, bias = config.hidden_size, config.convolution_bias
    return module(
        pointwise_conv1=convolution(width, 2 * width, 1, bias=bias),
        depthwise_conv=convolution(width, width, config.conv_kernel_size, groups=width, bias=bias),
        norm=batch_norm(width),
        pointwise_conv2=convolution(width, width, 1, bias=bias),
    )
