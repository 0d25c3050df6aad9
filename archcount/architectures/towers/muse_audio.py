"""Muse Spark's ears: a pyramid on the waveform itself, each stage joining samples and then filtering them causally."""

from __future__ import annotations

from ...blocks import convolution, linear, mlp, rms_norm
from ...config import Count, CountOrZero, Factor, Schema, Size
from ...dim import truncated
from ...schedules import checked_length
from ...tree import Module, module, repeat, stack


class MuseAudioConfig(Schema):
    model_type: str = "muse_spark_audio"
    num_hidden_layers: Count = 4
    patch_sizes: tuple[Size, ...] = (16, 6, 5, 4)
    hidden_sizes: tuple[Size, ...] = (256, 512, 1024, 2048)
    depths: tuple[CountOrZero, ...] = (2, 2, 2, 2)
    mlp_ratio: Factor = 4.0
    conv_kernel_size: Size = 7
    hidden_act: str = "gelu"
    out_hidden_size: Size = 8192


def muse_audio(config: MuseAudioConfig) -> Module:
    """`layers`, `norm`, and a projection to the language model's width with a norm of its own."""
    stages, out = config.num_hidden_layers, config.out_hidden_size
    widths = checked_length(config.hidden_sizes, stages, "hidden_sizes")
    patches = checked_length(config.patch_sizes, stages, "patch_sizes")
    depths = checked_length(config.depths, stages, "depths")
    shapes = zip((1, *widths[:-1]), widths, patches, depths, strict=True)
    return module(
        layers=stack(_stage(config, *shape) for shape in shapes),
        norm=rms_norm(widths[-1]),
        proj=linear(widths[-1], out, bias=True).marked(section="projector"),
        post_proj_norm=rms_norm(out),
    ).marked(section="audio")


def _stage(config: MuseAudioConfig, inputs: int, width: int, patch: int, depth: int) -> Module:
    """`patch` samples side by side become one, then pass `depth` filters, each with an MLP."""
    inner = truncated(config.mlp_ratio, width, "mlp_ratio")
    block = module(
        None,
        "pre-norm",
        conv=convolution(width, width, config.conv_kernel_size, groups=width),
        norm=rms_norm(width),
        mlp=mlp(width, inner, activation=config.hidden_act),
    )
    embedder = module(proj=linear(inputs * patch, width, bias=True), norm=rms_norm(width))
    return module(patch_embedder=embedder, conv_blocks=repeat(depth, block))
