"""ERNIE 4.5's vision tower: a ViT on flattened patches, and a resampler that merges them in space, then in time."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import fused_bidirectional_attention, layer_norm, linear, mlp, rms_norm
from ...config import Count, Schema, Size
from ...tree import Module, Role, module, repeat


class ErnieVisionConfig(Schema):
    model_type: str = "ernie4_5_vl_moe_vision"
    depth: Count = 32
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_heads: Count = 16
    hidden_act: str = "quick_gelu"
    in_channels: Size = 3
    patch_size: Size = 14
    spatial_merge_size: Size = 2
    temporal_merge_size: Size = 2
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_heads": "num_heads", "num_hidden_layers": "depth"}


def ernie_vision(config: ErnieVisionConfig) -> Module:
    """`patch_embed`, `blocks` and `ln`."""
    width, heads, patch = config.hidden_size, config.num_heads, config.patch_size
    block = module(
        None,
        "pre-norm",
        norm1=layer_norm(width),
        norm2=layer_norm(width),
        attn=fused_bidirectional_attention(width, heads=heads, positions="RoPE 2D"),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
    )
    patches = module(Role.EMBEDDING, "patch embedding", proj=linear(config.in_channels * patch * patch, width))
    return module(
        patch_embed=patches,
        blocks=repeat(config.depth, block),
        ln=layer_norm(width),
    ).marked(section="vision")


def ernie_resampler(config: ErnieVisionConfig, hidden: int) -> Module:
    """`spatial_linear` on squares of patches, `temporal_linear` on several frames, and a matrix to the text's width."""
    side = config.spatial_merge_size
    merged = config.hidden_size * (side * side)
    return module(
        spatial_linear=_mixed(merged, merged),
        temporal_linear=_mixed(merged * config.temporal_merge_size, merged),
        mlp=linear(merged, hidden, bias=True),
        after_norm=rms_norm(hidden),
    ).marked(section="projector")


def _mixed(inputs: int, outputs: int) -> Module:
    first, last = linear(inputs, outputs, bias=True), linear(outputs, outputs, bias=True)
    return Module((("0", first), ("2", last), ("3", layer_norm(outputs))))
