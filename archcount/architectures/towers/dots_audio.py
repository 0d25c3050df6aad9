"""dots3-note's ears: convolutions over a spectrogram, a gated encoder, and an adapter to the language model."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, layer_norm, linear, rms_norm, without_key_bias
from ...blocks.mlp import activation_name
from ...config import Count, Schema, Size
from ...dim import ceil_div, exact_div
from ...tree import Module, Role, module, repeat


class WhisperSizes(Schema):
    """The sizes of the speech encoder as the first files spell them."""

    d_model: Size | None = None
    encoder_attention_heads: Count | None = None
    encoder_layers: Count | None = None
    encoder_ffn_dim: Size | None = None
    num_mel_bins: Size | None = None


class DotsAudioConfig(Schema):
    model_type: str = "dots3_note_audio_encoder"
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 20
    hidden_act: str = "silu"
    feature_size: Size = 128
    downsample_hidden_size: Size = 480
    attention_bias: bool = True
    adapter_out_dim: Size = 5120
    whisper_config: WhisperSizes = WhisperSizes()
    also_spelled: ClassVar[dict[str, str]] = {
        "whisper_adapter_out_dim": "adapter_out_dim",
        "adapter_output_size": "adapter_out_dim",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"num_key_value_heads", "head_dim", "conv_output_size", "adapter_input_size", "whisper_adapter_in_dim"}
    )


def dots_audio(config: DotsAudioConfig) -> Module:
    """`dots_encoder.speech_encoder`, three convolutions and the layers; `audio_adapter`, to the language model."""
    given, channels = config.whisper_config, config.downsample_hidden_size
    width, out = given.d_model or config.hidden_size, config.adapter_out_dim
    layer = _speech_layer(
        width,
        given.encoder_ffn_dim or config.intermediate_size,
        given.encoder_attention_heads or config.num_attention_heads,
        config,
    )
    encoder = module(
        conv2d1=convolution(1, channels, 3, 3),
        conv2d2=convolution(channels, channels, 3, 3),
        conv2d3=convolution(channels, channels, 3, 3),
        conv_out=linear(channels * ceil_div(given.num_mel_bins or config.feature_size, 8), width),
        layers=repeat(given.encoder_layers or config.num_hidden_layers, layer),
        layer_norm=rms_norm(width),
    )
    first, last = linear(width, out, bias=True), linear(out, out, bias=True)
    adapter = Module((("0", layer_norm(width)), ("1", first), ("3", last)))
    return module(
        dots_encoder=module(speech_encoder=encoder),
        audio_adapter=module(proj=adapter).marked(section="projector"),
    ).marked(section="audio")


def _speech_layer(width: int, inner: int, heads: int, config: DotsAudioConfig) -> Module:
    """`fc1` holds a gate and what it lets through."""
    up = linear(width, 2 * inner, bias=True, role=Role.MLP)
    self_attn = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=config.attention_bias,
        causal=False,
        positions="RoPE",
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    return module(
        None,
        "pre-norm",
        self_attn=without_key_bias(self_attn),
        self_attn_layer_norm=rms_norm(width),
        fc1=up.marked(kind=activation_name(config.hidden_act, gated=True)),
        fc2=linear(inner, width, bias=True, role=Role.MLP),
        final_layer_norm=rms_norm(width),
    )
