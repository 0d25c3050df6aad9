"""MoonViT, Kimi's vision tower: a ViT on images of any shape, with a learned grid of positions and turned ones."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, fused_attention, layer_norm, mlp
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...renaming import without_a_name
from ...tree import Module, Node, Role, Tensor, Use, module, repeat


class MoonVitConfig(Schema):
    model_type: str = "kimi_k25_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    hidden_act: str = "gelu_pytorch_tanh"
    patch_size: Size = 14
    pos_emb_height: Size = 64
    pos_emb_width: Size = 64
    merge_kernel_size: tuple[Size, Size] = (2, 2)
    also_spelled: ClassVar[dict[str, str]] = {
        "vt_hidden_size": "hidden_size",
        "vt_intermediate_size": "intermediate_size",
        "vt_num_hidden_layers": "num_hidden_layers",
        "vt_num_attention_heads": "num_attention_heads",
        "init_pos_emb_height": "pos_emb_height",
        "init_pos_emb_width": "pos_emb_width",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"text_hidden_size", "mm_hidden_size"})  # stand in the outer config


def moonvit_patches(config: MoonVitConfig) -> Module:
    """`proj`, the patch embedding."""
    patch = config.patch_size
    return module(Role.EMBEDDING, "patch embedding", proj=convolution(3, config.hidden_size, patch, patch))


def moonvit_positions(config: MoonVitConfig) -> Module:
    """`weight` [height, width, hidden], stretched to the image's shape; those of a video's frames are computed."""
    shape = (config.pos_emb_height, config.pos_emb_width, config.hidden_size)
    return module(Role.EMBEDDING, "learned positions", weight=Tensor(shape, Use.LOOKUP))


def moonvit_layers(config: MoonVitConfig) -> dict[str, Node]:
    """`blocks` and `final_layernorm`."""
    width, heads = config.hidden_size, config.num_attention_heads
    attends = fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        causal=False,
        positions="learned and RoPE 2D",
        names=("wqkv", "wo"),
    )
    block = module(
        None,
        "pre-norm",
        norm0=layer_norm(width),
        norm1=layer_norm(width),
        **without_a_name(attends),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act, names=("fc0", "fc1")),
    )
    return {"blocks": repeat(config.num_hidden_layers, block), "final_layernorm": layer_norm(width)}
