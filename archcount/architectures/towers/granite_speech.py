"""Granite's ears: a Conformer (Gulati et al. 2020) that attends within blocks of frames, with a CTC head halfway up."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import batch_norm, convolution, layer_norm, linear, mlp
from ...blocks.attention import attending
from ...config import Count, ModelConfig, Size
from ...registry import architecture
from ...tree import Attends, Module, Tensor, module, repeat


class GraniteSpeechEncoderConfig(ModelConfig):
    model_type: str = "granite_speech_encoder"
    input_dim: Size = 160
    num_layers: Count = 10
    hidden_dim: Size = 1024
    feedforward_mult: Size = 4
    num_heads: Count = 8
    dim_head: Size | None = None
    output_dim: Size = 42
    context_size: Size = 200
    max_pos_emb: Size = 512
    conv_kernel_size: Size = 15
    conv_expansion_factor: Size = 2
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "hidden_dim",
        "num_hidden_layers": "num_layers",
        "num_attention_heads": "num_heads",
        "num_mel_bins": "input_dim",
    }


@architecture("granite_speech_encoder", config=GraniteSpeechEncoderConfig)
def granite_speech_encoder(config: GraniteSpeechEncoderConfig) -> Module:
    """`input_linear`, `layers`, and the head `out` whose guess at the letters `out_mid` feeds back in."""
    width, letters = config.hidden_dim, config.output_dim
    return module(
        input_linear=linear(config.input_dim, width, bias=True),
        layers=repeat(config.num_layers, _layer(config)),
        out=linear(width, letters, bias=True),
        out_mid=linear(letters, width, bias=True),
    ).marked(section="audio")


def _layer(config: GraniteSpeechEncoderConfig) -> Module:
    """Half an MLP, attention, a convolution, half an MLP, and a norm."""
    width = config.hidden_dim
    names = ("up_proj", "down_proj")
    half = mlp(width, width * config.feedforward_mult, activation="silu", names=names)
    half = half.prepend(pre_norm=layer_norm(width))
    attn, conv = _attention(config), _convolved(config)
    return module(None, "pre-norm", ff1=half, attn=attn, conv=conv, ff2=half, post_norm=layer_norm(width))


def _attention(config: GraniteSpeechEncoderConfig) -> Module:
    """Within blocks of `context_size` frames; distances by a table (Shaw et al. 2018) that the heads share.

    A head's width is rounded down where it is not given.
    """
    width, heads = config.hidden_dim, config.num_heads
    head_dim = config.dim_head or width // heads
    inner = head_dim * heads
    return attending(
        Attends(heads, head_dim, head_dim, window=config.context_size, causal=False, positions="relative"),
        pre_norm=layer_norm(width),
        to_q=linear(width, inner),
        to_kv=linear(width, inner * 2),
        to_out=linear(inner, width, bias=True),
        rel_pos_emb=module(weight=Tensor((2 * config.max_pos_emb + 1, head_dim))),  # multiplied by the queries
    )


def _convolved(config: GraniteSpeechEncoderConfig) -> Module:
    """A gate over twice the channels, a filter a channel, a batch norm with its statistics, and a mixing matrix."""
    width = config.hidden_dim
    inner = width * config.conv_expansion_factor
    filters = convolution(inner, inner, config.conv_kernel_size, groups=inner, bias=False)
    return module(
        norm=layer_norm(width),
        up_conv=convolution(width, inner * 2, 1),
        depth_conv=module(conv=filters),
        batch_norm=batch_norm(inner),
        down_conv=convolution(inner, width, 1),
    )
