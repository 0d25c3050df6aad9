"""DaViT, Florence-2's tower (Ding et al. 2022): convolutions between stages, attention over windows, then channels.

Longer than most: the first files spell its keys, and what stands in a block, in a way of their own.
"""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, fused_attention, layer_norm, mlp
from ...config import Count, Factor, Schema, Size
from ...dim import exact_div, truncated
from ...schedules import checked_length
from ...tree import Module, Role, module, repeat, stack


class FramesConfig(Schema):
    max_temporal_embeddings: Size = 100


class PlacesConfig(Schema):
    max_pos_embeddings: Size = 50


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
    visual_temporal_embedding: FramesConfig | None = None
    image_pos_embed: PlacesConfig | None = None
    also_spelled: ClassVar[dict[str, str]] = {"dim_embed": "embed_dim"}

    @property
    def is_original(self) -> bool:
        """Is it written as Microsoft's own code has it?"""
        return self.model_type == "davit"

    @property
    def frames(self) -> int:
        """Of a video, with a position each."""
        given = self.visual_temporal_embedding
        return given.max_temporal_embeddings if given else self.max_temporal_embeddings

    @property
    def places(self) -> int:
        """Rows and columns with a position each."""
        given = self.image_pos_embed
        return given.max_pos_embeddings if given else self.max_position_embeddings


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
    norm = layer_norm(inputs if config.patch_prenorm[stage] else width)
    return module(Role.EMBEDDING, **{"proj" if config.is_original else "conv": conv}, norm=norm)


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
            name: module(None, "pre-norm", **_half(config, width, attends, _attention(config, width, count, window)))
            for name, (attends, count, window) in parts.items()
        }
    )


def _half(config: FlorenceVisionConfig, width: int, attends: str, attention: Module) -> dict[str, Module]:
    """Positions, attention, positions, an MLP; Microsoft's code wraps each in its residual, with the norm inside."""
    inner = truncated(config.mlp_ratio, width, "vision_config.mlp_ratio")
    norm, filters = layer_norm(width), _positions(width)
    feed_forward = mlp(width, inner, activation=config.activation_function)
    if config.is_original:
        wrapped = module(fn=module(dw=filters))
        return {
            "conv1": wrapped,
            attends: module(norm=norm, fn=attention),
            "conv2": wrapped,
            "ffn": module(norm=norm, fn=module(net=feed_forward)),
        }
    return {
        "conv1": filters,
        "norm1": norm,
        attends: attention,
        "conv2": filters,
        "norm2": norm,
        "ffn": feed_forward,
    }


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
