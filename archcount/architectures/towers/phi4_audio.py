"""Phi-4's audio tower: a Conformer (Gulati et al. 2020) behind strided convolutions, one bias table for all layers."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, embedding, fused_gated_mlp, layer_norm, linear
from ...config import Count, Schema, Size
from ...dim import ceil_div, exact_div
from ...errors import ConfigValueError
from ...tree import Module, Storage, Tensor, Use, module, repeat, stack


class Phi4AudioConfig(Schema):
    model_type: str = "phi4_multimodal_audio"
    hidden_size: Size = 1024
    intermediate_size: Size = 1536
    num_blocks: Count = 24
    num_attention_heads: Count = 16
    ext_pw_out_channel: Size = 1024
    depthwise_separable_out_channel: Size = 1024
    depthwise_multiplier: Size = 1
    kernel_size: Size = 3
    input_size: Size = 80
    time_reduction: Size = 8
    bias_max_distance: Size = 1000
    bias_symmetric: bool = False
    nemo_conv_channels: Size = 1024
    downsample_rate: Size = 1
    activation: str = "swish"
    ignored: ClassVar[frozenset[str]] = frozenset({"chunk_size", "nemo_final_size"})


def phi4_audio(config: Phi4AudioConfig) -> Module:
    """`encoder_embedding`, `embed` (the convolutions), `relative_attention_bias_layer` and `encoders`."""
    buckets = config.bias_max_distance if config.bias_symmetric else 2 * config.bias_max_distance
    statistics = Tensor((config.input_size,), storage=Storage.BUFFER)
    return module(
        encoder_embedding=module(global_mean=statistics, global_invstd=statistics),
        embed=subsampling(config),
        relative_attention_bias_layer=module(bias_values=embedding(buckets, config.num_attention_heads)),
        encoders=repeat(config.num_blocks, conformer_layer(config)),
    ).marked(section="audio")


def subsampling(config: Phi4AudioConfig) -> Module:
    """A convolution for each halving of time, the later ones a filter a channel and a mixing matrix."""
    if config.time_reduction % 2:
        raise ConfigValueError(f"time_reduction is {config.time_reduction}: should be a multiple of 2")
    channels, halvings = config.nemo_conv_channels, int(config.time_reduction).bit_length() - 1
    halved = [
        convolution(channels, channels, 3, 3, groups=channels),
        convolution(channels, channels, 1, 1),
        None,  # an activation
    ]
    bins: int = config.input_size
    for _ in range(halvings):
        bins = ceil_div(bins, 2)
    first = convolution(1, channels, 3, 3)
    return module(
        conv=stack([first, None, *halved * (halvings - 1)]),
        out=linear(channels * bins, config.hidden_size, bias=True),
    )


def conformer_layer(config: Phi4AudioConfig) -> Module:
    """Half an MLP, attention, a convolution, half an MLP, and a norm."""
    width, heads = config.hidden_size, config.num_attention_heads
    half = fused_gated_mlp(width, config.intermediate_size, bias=True, activation=config.activation)
    half = half.prepend(layer_norm=layer_norm(width))
    self_attn = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        causal=False,
        positions="relative",
    )
    return module(
        None,
        "pre-norm",
        feed_forward_in=half,
        self_attn=self_attn,
        conv=gated_convolution(config),
        feed_forward_out=half,
        layer_norm_att=layer_norm(width),
        layer_norm=layer_norm(width),
    )


def gated_convolution(config: Phi4AudioConfig) -> Module:
    """A gate over twice the channels, a filter a channel, and a mixing matrix before and after."""
    width, inner, mixed = config.hidden_size, config.ext_pw_out_channel, config.depthwise_separable_out_channel
    spread, shift = width * config.depthwise_multiplier, Tensor((1, inner, 1), Use.BIAS)
    return module(
        layer_norm=layer_norm(width),
        glu=module(ext_pw_conv_1d=convolution(width, 2 * inner, 1), b1=shift, b2=shift),
        dw_sep_conv_1d=module(
            dw_conv=convolution(width, spread, config.kernel_size, groups=width),
            pw_conv=convolution(spread, mixed, 1),
        ),
        ext_pw_conv_1d=convolution(width, inner, 1),
    )
