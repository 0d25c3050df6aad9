"""The ears of Qwen2.5-Omni and Qwen3-Omni: Whisper's layers over two convolutions, or over three in two dimensions."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, fairseq_attention, fairseq_layer, layer_norm, linear, without_key_bias
from ...config import Count, Schema, Size
from ...dim import ceil_div
from ...tree import Module, Stack, Tensor, Use, module, repeat


class Qwen25AudioConfig(Schema):
    model_type: str = "qwen2_5_omni_audio_encoder"
    num_mel_bins: Size = 128
    encoder_layers: Count = 32
    encoder_attention_heads: Count = 20
    encoder_ffn_dim: Size = 5120
    d_model: Size = 1280
    activation_function: str = "gelu"
    output_dim: Size = 3584
    also_spelled: ClassVar[dict[str, str]] = {
        "num_hidden_layers": "encoder_layers",
        "hidden_size": "d_model",
        "num_attention_heads": "encoder_attention_heads",
        "intermediate_size": "encoder_ffn_dim",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_window", "n_window_infer"})  # positions are not stored


class Qwen3AudioConfig(Qwen25AudioConfig):
    model_type: str = "qwen3_omni_moe_audio_encoder"
    downsample_hidden_size: Size = 480


def qwen2_5_audio(config: Qwen25AudioConfig) -> Module:
    """`conv1`, `conv2`, `layers`, `ln_post`, a projection out, and two vectors that open and close a sound."""
    width, out = config.d_model, config.output_dim
    return module(
        conv1=convolution(config.num_mel_bins, width, 3),
        conv2=convolution(width, width, 3),
        audio_bos_eos_token=module(weight=Tensor((2, out), Use.LOOKUP)),
        layers=_layers(config, key_bias=False),
        ln_post=layer_norm(width),
        proj=linear(width, out, bias=True).marked(section="projector"),
    ).marked(section="audio")


def qwen3_audio(config: Qwen3AudioConfig) -> Module:
    """Three convolutions that halve mel bins and time, `layers`, `ln_post` and two projections."""
    width, channels, bins = config.d_model, config.downsample_hidden_size, config.num_mel_bins
    left = ceil_div(ceil_div(ceil_div(bins, 2), 2), 2)
    return module(
        conv2d1=convolution(1, channels, 3, 3),
        conv2d2=convolution(channels, channels, 3, 3),
        conv2d3=convolution(channels, channels, 3, 3),
        conv_out=linear(channels * left, width),
        layers=_layers(config, key_bias=True),
        ln_post=layer_norm(width),
        proj1=linear(width, width, bias=True).marked(section="projector"),
        proj2=linear(width, config.output_dim, bias=True).marked(section="projector"),
    ).marked(section="audio")


def _layers(config: Qwen25AudioConfig, *, key_bias: bool) -> Stack:
    width, heads = config.d_model, config.encoder_attention_heads
    attend = fairseq_attention(width, heads=heads, causal=False, positions="sinusoidal")
    layer = fairseq_layer(
        width,
        config.encoder_ffn_dim,
        self_attn=attend if key_bias else without_key_bias(attend),
        activation=config.activation_function,
        kind="pre-norm",
    )
    return repeat(config.encoder_layers, layer)
