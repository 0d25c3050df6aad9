"""Inkling 2's vision tower: a ViT with scaled residuals, then squares of patches through two matrices."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bidirectional_attention, layer_norm, linear, mlp
from ...config import Count, Factor, ModelConfig, Size
from ...dim import truncated
from ...registry import architecture
from ...tree import Module, Role, Tensor, Use, module, repeat


class Inkling2VisionConfig(ModelConfig):
    model_type: str = "inkling2_vision"
    hidden_size: Size = 1024
    intermediate_size: Size | None = None
    mlp_ratio: Factor = 4.0
    num_hidden_layers: Count = 23
    num_attention_heads: Count = 16
    num_channels: Size = 3
    patch_size: Size = 20
    hidden_act: str = "gelu"
    posemb_grid_size: Size = 32
    spatial_merge_size: Count = 2
    projection_hidden_dim: Size = 4096
    projector_bias: bool = False
    text_hidden_size: Size = 4608
    also_spelled: ClassVar[dict[str, str]] = {
        "native_patch_size": "patch_size",
        "adapter_merge_size": "spatial_merge_size",
    }


@architecture("inkling2_vision", config=Inkling2VisionConfig)
def inkling2_vision(config: Inkling2VisionConfig) -> Module:
    """`backbone`, `proj_in` and `proj_out`."""
    width, patch, grid = config.hidden_size, config.patch_size, config.posemb_grid_size
    side, inner, bias = config.spatial_merge_size, config.projection_hidden_dim, config.projector_bias
    patches = linear(config.num_channels * (patch * patch), width).marked(kind="patch embedding")
    embeddings = module(
        Role.EMBEDDING,
        class_embedding=Tensor((width,)),
        cls_position_embedding=Tensor((width,)),
        patch_embedding=patches,
        position_embedding=Tensor((grid * grid, width), Use.LOOKUP),
    )
    layers = repeat(config.num_hidden_layers, _layer(config))
    return module(
        backbone=module(embeddings=embeddings, ln_pre=layer_norm(width), layers=layers),
        proj_in=linear(width * (side * side), inner, bias=bias).marked(section="projector"),
        proj_out=linear(inner, config.text_hidden_size, bias=bias).marked(section="projector"),
    ).marked(section="vision")


def _layer(config: Inkling2VisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    inner = config.intermediate_size or truncated(config.mlp_ratio, width, "mlp_ratio")
    scale = module(gamma=Tensor((width,), Use.SCALE))
    self_attn = bidirectional_attention(width, heads=heads, positions="RoPE 2D")
    return module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        self_attn=self_attn,
        ls_1=scale,
        ln_2=layer_norm(width),
        mlp=mlp(width, inner, activation=config.hidden_act, names=("c_fc", "c_proj")),
        ls_2=scale,
    )
