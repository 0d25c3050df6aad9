"""DaViT, Florence-2's tower (Ding et al. 2022): convolutions between stages, attention over windows, then channels."""

from __future__ import annotations

from ...blocks import convolution, fused_attention, layer_norm, mlp
from ...config import Count, Factor, Schema, Size
from ...dim import exact_div, truncated
from ...schedules import checked_length
from ...tree import Module, Role, module, repeat, stack


class FlorenceVisionConfig(Schema):
    model_type: str = "florence_vision"
    in_channels: Size = 3
    depths: tuple[Count, ...] = (1, 1, 9, 1)
    patch_size: tuple[Size, ...] = (7, 3, 3, 3)
    patch_prenorm: tuple[bool, ...] = (False, True, True, True)
    embed_dim: tuple[Size, ...] = (128, 256, 512, 1024)
    num_heads: tuple[Count, ...] = (4, 8, 16, 32)
    num_groups: tuple[Count, ...] = (4, 8, 16, 32)
    window_size: Size = 12
    mlp_ratio: Factor = 4.0
    qkv_bias: bool = True
    activation_function: str = "gelu"
    projection_dim: Size = 1024
    max_temporal_embeddings: Size = 100
    max_position_embeddings: Size = 50


def davit(config: FlorenceVisionConfig) -> Module:
    """`convs`, one before each stage, and `blocks`, a list of blocks for each stage.

    Raises ConfigValueError: lists that are not of one length.
    """
    stages = len(config.embed_dim)
    for key in ("depths", "patch_size", "patch_prenorm", "num_heads", "num_groups"):
        checked_length(getattr(config, key), stages, f"vision_config.{key}")
    return module(
        convs=stack([_embedding(config, stage) for stage in range(stages)]),
        blocks=stack([repeat(config.depths[stage], _block(config, stage)) for stage in range(stages)]),
    ).marked(section="vision")


def _embedding(config: FlorenceVisionConfig, stage: int) -> Module:
    inputs = config.embed_dim[stage - 1] if stage else config.in_channels
    width, patch = config.embed_dim[stage], config.patch_size[stage]
    conv = convolution(inputs, width, patch, patch).marked(kind="patch embedding")
    return module(Role.EMBEDDING, conv=conv, norm=layer_norm(inputs if config.patch_prenorm[stage] else width))


def _block(config: FlorenceVisionConfig, stage: int) -> Module:
    width, side = config.embed_dim[stage], config.window_size
    heads, groups = config.num_heads[stage], config.num_groups[stage]
    # Channels that attend to channels cost what tokens would that see as many tokens as a group has channels.
    parts = {
        "spatial_block": ("window_attn", heads, side * side),
        "channel_block": ("channel_attn", groups, exact_div(width, groups)),
    }
    return module(
        **{
            name: module(
                None,
                "pre-norm",
                conv1=_positions(width),
                norm1=layer_norm(width),
                **{attends: _attention(config, width, count, window)},
                conv2=_positions(width),
                norm2=layer_norm(width),
                ffn=mlp(
                    width,
                    truncated(config.mlp_ratio, width, "vision_config.mlp_ratio"),
                    activation=config.activation_function,
                ),
            )
            for name, (attends, count, window) in parts.items()
        }
    )


def _positions(width: int) -> Module:
    """A 3 × 3 filter for each channel, in place of position embeddings."""
    return convolution(width, width, 3, 3, groups=width)


def _attention(config: FlorenceVisionConfig, width: int, heads: int, window: int) -> Module:
    return fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=config.qkv_bias,
        out_bias=True,
        window=window,
        causal=False,
        names=("qkv", "proj"),
    )
