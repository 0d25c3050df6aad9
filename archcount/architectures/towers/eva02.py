"""EVA-02's vision tower (Fang et al. 2023) in EVA-CLIP: a gated MLP, turned positions, a norm inside each part."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, bias_of, convolution, gated_mlp, layer_norm, linear
from ...config import Count, Schema, Size
from ...dim import exact_div, truncated
from ...errors import ConfigValueError
from ...tree import Module, Role, Storage, Tensor, Use, module, repeat


class Eva02Config(Schema):
    image_size: Size
    layers: Count
    width: Size
    head_width: Size = 64
    patch_size: Size
    mlp_ratio: float
    embed_dim: Size
    subln: bool
    naiveswiglu: bool
    rope: bool
    xattn: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"pt_hw_seq_len"})


def eva02(config: Eva02Config) -> Module:
    """`cls_token`, `pos_embed`, `patch_embed`, `blocks`, `norm` and the `head` to what CLIP compares.

    Raises ConfigValueError: a form without the parts that make it EVA-02.
    """
    if not (config.subln and config.naiveswiglu and config.rope):
        raise ConfigValueError("visual: subln, naiveswiglu and rope should be true, as in EVA-02")
    width, patch, side = config.width, config.patch_size, config.image_size // config.patch_size
    angles = Tensor((side * side, config.head_width), storage=Storage.BUFFER)
    patches = convolution(3, width, patch, patch)
    return module(
        cls_token=Tensor((1, 1, width)),
        pos_embed=Tensor((1, side * side + 1, width), Use.LOOKUP),
        patch_embed=module(Role.EMBEDDING, "patch embedding", proj=patches),
        rope=module(freqs_cos=angles, freqs_sin=angles),
        blocks=repeat(config.layers, _block(config)),
        norm=layer_norm(width),
        head=linear(width, config.embed_dim, bias=True),
    ).marked(section="vision")


def _block(config: Eva02Config) -> Module:
    """Query and value have a bias, key has none; a norm stands before the last matrix of each part."""
    width, inner = config.width, truncated(config.mlp_ratio, config.width, "visual.mlp_ratio")
    attends = attention(
        width,
        heads=exact_div(width, config.head_width),
        head_dim=config.head_width,
        out_bias=True,
        causal=False,
        positions="learned and RoPE 2D",
        names=("q_proj", "k_proj", "v_proj", "proj"),
    )
    return module(
        None,
        "pre-norm",
        norm1=layer_norm(width),
        attn=attends.prepend(q_bias=bias_of(width), v_bias=bias_of(width)).extend(inner_attn_ln=layer_norm(width)),
        norm2=layer_norm(width),
        mlp=gated_mlp(width, inner, bias=True, names=("w1", "w2", "w3")).extend(ffn_ln=layer_norm(inner)),
    )
