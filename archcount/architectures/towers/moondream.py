"""What Moondream sees with, SigLIP's layers under its own names, and what it points with."""

from __future__ import annotations

from ...blocks import fused_bidirectional_attention, layer_norm, linear, mlp
from ...config import Count, Schema, Size
from ...tree import Module, Role, Tensor, Use, module, repeat


class MoondreamVisionConfig(Schema):
    enc_dim: Size = 1152
    enc_patch_size: Size = 14
    enc_n_layers: Count = 27
    enc_ff_dim: Size = 4304
    enc_n_heads: Count = 16
    proj_inner_dim: Size = 8192
    proj_out_dim: Size = 2048
    crop_size: Size = 378
    in_channels: Size = 3


class MoondreamRegionConfig(Schema):
    dim: Size = 2048
    coord_feat_dim: Size = 256
    coord_out_dim: Size = 1024
    size_feat_dim: Size = 512
    size_out_dim: Size = 2048
    inner_dim: Size = 8192


def moondream_vision(config: MoondreamVisionConfig) -> Module:
    """SigLIP's layers on crops; the projector reads the whole image and the crops side by side."""
    width, side = config.enc_dim, config.crop_size // config.enc_patch_size
    values = config.enc_patch_size * config.enc_patch_size * config.in_channels
    projector = module(
        fc1=linear(2 * width, config.proj_inner_dim, bias=True),
        fc2=linear(config.proj_inner_dim, config.proj_out_dim, bias=True),
    )
    return module(
        patch_emb=linear(values, width, bias=True, role=Role.EMBEDDING).marked(kind="patch embedding"),
        pos_emb=Tensor((1, side * side, width), Use.LOOKUP),
        blocks=repeat(config.enc_n_layers, _block(config)),
        post_ln=layer_norm(width),
        proj_mlp=projector.marked(section="projector"),
    ).marked(section="vision")


def _block(config: MoondreamVisionConfig) -> Module:
    width, heads = config.enc_dim, config.enc_n_heads
    attn = fused_bidirectional_attention(width, heads=heads)
    norm = layer_norm(width)
    return module(None, "pre-norm", ln1=norm, attn=attn, ln2=norm, mlp=mlp(width, config.enc_ff_dim))


def moondream_region(config: MoondreamRegionConfig, *, is_deep: bool) -> Module:
    """A point and a box become vectors of the language model and are read from it; by an MLP where it `is_deep`."""
    dim, inner = config.dim, config.inner_dim

    def decoder(outputs: int) -> Module:
        if is_deep:
            return module(fc1=linear(dim, inner, bias=True), fc2=linear(inner, outputs, bias=True))
        return linear(dim, outputs, bias=True)

    return module(
        coord_encoder=linear(config.coord_feat_dim, dim, bias=True),
        coord_decoder=decoder(config.coord_out_dim),
        size_encoder=linear(config.size_feat_dim, dim, bias=True),
        size_decoder=decoder(config.size_out_dim),
        coord_features=Tensor((1, config.coord_feat_dim // 2)),
        size_features=Tensor((2, config.size_feat_dim // 2)),
    ).marked(section="region")
