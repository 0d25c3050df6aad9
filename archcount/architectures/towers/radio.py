"""C-RADIO's vision tower: a ViT on flattened patches of an image or of several frames, behind summary tokens."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import fused_bidirectional_attention, gated_mlp, layer_norm, linear, mlp
from ...config import Count, CountOrZero, Factor, Schema, Size
from ...dim import round_up, truncated
from ...tree import Module, Role, Storage, Tensor, Use, module, repeat


class RadioConfig(Schema):
    model_type: str = "radio"
    hidden_size: Size = 1280
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 16
    mlp_ratio: Factor = 4.0
    hidden_act: str = "gelu"
    use_swiglu_ffn: bool = False
    qkv_bias: bool = True
    num_channels: Size = 3
    patch_size: Size = 16
    max_img_size: Size = 2048
    num_cls_tokens: CountOrZero = 3
    num_registers: CountOrZero = 7
    video_temporal_patch_size: Size | None = None
    summary_idxs: list[CountOrZero] | None = None
    ignored: ClassVar[frozenset[str]] = frozenset({"image_size", "patch_dim", "video_patch_dim"})  # made of the others


def radio_vision(config: RadioConfig, *, has_scales: bool) -> Module:
    """`radio_model`: `model.patch_generator`, `model.blocks` and the places of the tokens that sum an image up.

    `has_scales`: a gain on each part of a block, which C-RADIO lacks and transformers 5 adds.
    """
    block = _block(config)
    scale = module(lambda1=Tensor((config.hidden_size,), Use.SCALE)) if has_scales else None
    block = block.extend(layer_scale1=scale, layer_scale2=scale)
    places = Tensor((len(config.summary_idxs or (0, 1)),), storage=Storage.BUFFER, dtype="int64")
    model = module(patch_generator=_patches(config), blocks=repeat(config.num_hidden_layers, block))
    return module(radio_model=module(model=model, summary_idxs=places)).marked(section="vision")


def _patches(config: RadioConfig) -> Module:
    width, patch, frames = config.hidden_size, config.patch_size, config.video_temporal_patch_size
    values, side = config.num_channels * (patch * patch), config.max_img_size // patch
    summary = Tensor((config.num_cls_tokens + config.num_registers, width))
    return module(
        Role.EMBEDDING,
        "patch embedding",
        embedder=linear(values, width),
        video_embedder=linear(values * frames, width) if frames else None,
        pos_embed=Tensor((1, side * side, width), Use.LOOKUP),
        cls_token=module(token=summary),
    )


def _block(config: RadioConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    inner = truncated(config.mlp_ratio, width, "mlp_ratio")
    attn = fused_bidirectional_attention(width, heads=heads, bias=config.qkv_bias)
    plain = mlp(width, inner, activation=config.hidden_act)
    gated = gated_mlp(width, round_up(2 * inner // 3, 8), bias=True)
    part = gated if config.use_swiglu_ffn else plain
    return module(None, "pre-norm", norm1=layer_norm(width), attn=attn, norm2=layer_norm(width), mlp=part)
