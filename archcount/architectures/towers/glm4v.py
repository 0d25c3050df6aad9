"""The vision towers of GLM-4.1V and of GLM-OCR: gated ViTs over pixels and time, shrunk by a convolution and merged."""

from __future__ import annotations

from ...blocks import convolution, fused_attention, gated_mlp, layer_norm, linear, position_embedding, rms_norm
from ...config import Count, Size
from ...dim import exact_div
from ...tree import Module, module, repeat
from .qwen2_vl import PatchKeys, patch_embed


class Glm4vVisionConfig(PatchKeys):
    model_type: str = "glm4v_vision"
    depth: Count = 24
    hidden_size: Size = 1536
    intermediate_size: Size = 13696
    num_heads: Count = 12
    image_size: Size = 336
    out_hidden_size: Size = 4096
    attention_bias: bool = False
    hidden_act: str = "silu"


class GlmOcrVisionConfig(Glm4vVisionConfig):
    model_type: str = "glm_ocr_vision"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_heads: Count = 16
    out_hidden_size: Size = 1536
    attention_bias: bool = True


def glm4v_vision(config: Glm4vVisionConfig) -> Module:
    """The MLPs of its blocks are as wide as the tower's output; `intermediate_size` is the merger's."""
    width, out, side = config.hidden_size, config.out_hidden_size, config.image_size // config.patch_size
    block = _block(config, gated_mlp(width, out, activation=config.hidden_act))
    return module(
        embeddings=module(position_embedding=position_embedding(side * side, width)),
        patch_embed=patch_embed(config, width, bias=True),
        blocks=repeat(config.depth, block),
        merger=_merger(config, config.intermediate_size),
        post_conv_layernorm=rms_norm(width),
        downsample=_downsample(config),
        post_layernorm=rms_norm(width),
    ).marked(section="vision")


def glm_ocr_vision(config: GlmOcrVisionConfig, merger_width: int) -> Module:
    """Norms on queries and keys and no learned positions; the merger's MLP is `merger_width` wide."""
    width, bias = config.hidden_size, config.attention_bias
    mlp = gated_mlp(width, config.intermediate_size, bias=bias, activation=config.hidden_act)
    return module(
        patch_embed=patch_embed(config, width, bias=True),
        blocks=repeat(config.depth, _block(config, mlp, query_key_norm=True)),
        merger=_merger(config, merger_width),
        downsample=_downsample(config),
        post_layernorm=rms_norm(width),
    ).marked(section="vision")


def _block(config: Glm4vVisionConfig, mlp: Module, *, query_key_norm: bool = False) -> Module:
    width, heads = config.hidden_size, config.num_heads
    head_dim = exact_div(width, heads)
    attn = fused_attention(
        width,
        heads=heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        out_bias=config.attention_bias and query_key_norm,
        query_norm=rms_norm(head_dim) if query_key_norm else None,
        key_norm=rms_norm(head_dim) if query_key_norm else None,
        causal=False,
        positions="RoPE 2D",
        names=("qkv", "proj"),
    )
    return module(None, "pre-norm", norm1=rms_norm(width), norm2=rms_norm(width), attn=attn, mlp=mlp)


def _downsample(config: Glm4vVisionConfig) -> Module:
    """A square of patches becomes one."""
    side = config.spatial_merge_size
    return convolution(config.hidden_size, config.out_hidden_size, side, side).marked(section="projector")


def _merger(config: Glm4vVisionConfig, inner: int) -> Module:
    out = config.out_hidden_size
    mlp = gated_mlp(out, inner, activation=config.hidden_act)
    return mlp.prepend(proj=linear(out, out), post_projection_norm=layer_norm(out)).marked(section="projector")
