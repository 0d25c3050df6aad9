"""Qwen3-VL's vision tower, Qwen3.5's too: a pre-norm ViT over patches of pixels and time, merged in squares."""

from __future__ import annotations

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, linear, mlp, position_embedding
from ...config import Count, CountOrZero, Schema, Size
from ...tree import Module, Role, module, repeat


class Qwen3VisionConfig(Schema):
    model_type: str = "qwen3_5_vision"
    depth: Count = 27
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_heads: Count = 16
    hidden_act: str = "gelu_pytorch_tanh"
    in_channels: Size = 3
    patch_size: Size = 16
    temporal_patch_size: Size = 2
    spatial_merge_size: Size = 2
    out_hidden_size: Size = 3584
    num_position_embeddings: Size = 2304
    deepstack_visual_indexes: tuple[CountOrZero, ...] | None = None


class DeepstackVisionConfig(Qwen3VisionConfig):
    """Qwen3-VL's own: what three of its layers see is added to the language model's first three."""

    model_type: str = "qwen3_vl_vision"
    deepstack_visual_indexes: tuple[CountOrZero, ...] | None = (8, 16, 24)


def qwen3_vision(config: Qwen3VisionConfig) -> Module:
    """`patch_embed`, `pos_embed`, `blocks`, `merger`, and a merger for each layer of `deepstack_visual_indexes`."""
    width, heads, patch = config.hidden_size, config.num_heads, config.patch_size
    patches = convolution(config.in_channels, width, config.temporal_patch_size, patch, patch)
    block = module(
        None,
        "pre-norm",
        norm1=layer_norm(width),
        norm2=layer_norm(width),
        attn=fused_bidirectional_attention(width, heads=heads, positions="RoPE 2D"),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act, names=("linear_fc1", "linear_fc2")),
    )
    deep = len(config.deepstack_visual_indexes or ())
    return module(
        patch_embed=module(Role.EMBEDDING, "patch embedding", proj=patches),
        pos_embed=position_embedding(config.num_position_embeddings, width),
        blocks=repeat(config.depth, block),
        merger=_merger(config, width),
        deepstack_merger_list=repeat(deep, _merger(config, _merged(config))) if deep else None,
    ).marked(section="vision")


def _merged(config: Qwen3VisionConfig) -> int:
    return config.hidden_size * (config.spatial_merge_size * config.spatial_merge_size)


def _merger(config: Qwen3VisionConfig, normed: int) -> Module:
    """A square of patches becomes one token of the language model; the norm stands before or after they are joined."""
    merged = _merged(config)
    return module(
        norm=layer_norm(normed),
        linear_fc1=linear(merged, merged, bias=True),
        linear_fc2=linear(merged, config.out_hidden_size, bias=True),
    ).marked(section="projector")
