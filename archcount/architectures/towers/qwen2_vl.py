"""The vision towers of Qwen2-VL and Qwen2.5-VL: ViTs over patches of pixels and time, merged in squares at the end.

Longer than most: two towers share how they cut patches and how they merge them.
"""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, fused_attention, gated_mlp, layer_norm, linear, mlp, rms_norm
from ...config import Count, CountOrZero, Schema, Size
from ...dim import exact_div
from ...schedules import stack_of
from ...tree import Attends, Module, Role, module, repeat


class PatchKeys(Schema):
    """How pixels become patches, and patches squares."""

    in_channels: Size = 3
    patch_size: Size = 14
    temporal_patch_size: Size = 2
    spatial_merge_size: Size = 2
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_heads": "num_heads", "num_hidden_layers": "depth"}
    ignored: ClassVar[frozenset[str]] = frozenset({"spatial_patch_size", "in_chans"})


class Qwen2VisionConfig(PatchKeys):
    model_type: str = "qwen2_vl_vision"
    depth: Count = 32
    embed_dim: Size = 1280
    hidden_size: Size = 3584
    hidden_act: str = "quick_gelu"
    mlp_ratio: Size = 4
    num_heads: Count = 16


class Qwen25VisionConfig(PatchKeys):
    model_type: str = "qwen2_5_vl_vision"
    depth: Count = 32
    hidden_size: Size = 3584
    hidden_act: str = "silu"
    intermediate_size: Size = 3420
    num_heads: Count = 16
    out_hidden_size: Size = 3584
    window_size: Size = 112
    fullatt_block_indexes: tuple[CountOrZero, ...] = (7, 15, 23, 31)

    def window(self, index: int) -> int | None:
        """Patches that a patch of layer `index` sees: all of them, or those of its square of `window_size` pixels."""
        side = self.window_size // self.patch_size
        return None if index in self.fullatt_block_indexes else side * side


class Exaone45VisionConfig(Qwen25VisionConfig):
    model_type: str = "exaone4_5_vision"
    num_key_value_heads: Count = 8


def qwen2_vision(config: Qwen2VisionConfig) -> Module:
    """`patch_embed`, `blocks` and `merger`; `hidden_size` is the width it leaves with."""
    width, heads = config.embed_dim, config.num_heads
    head_dim = width // heads  # no tensor depends on it, so a width that does not divide is counted all the same
    attn = module(
        Role.ATTENTION,
        f"MHA {heads}",
        qkv=linear(width, 3 * width, bias=True),
        proj=linear(width, width, bias=True),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False, positions="RoPE 2D"))
    block = module(
        None,
        "pre-norm",
        norm1=layer_norm(width),
        norm2=layer_norm(width),
        attn=attn,
        mlp=mlp(width, width * config.mlp_ratio, activation=config.hidden_act),
    )
    return module(
        patch_embed=patch_embed(config, width),
        blocks=repeat(config.depth, block),
        merger=square_merger(layer_norm(width), width, config.spatial_merge_size, config.hidden_size),
    ).marked(section="vision")


def qwen2_5_vision(config: Qwen25VisionConfig, *, fused: bool = True) -> Module:
    """`patch_embed`, `blocks` and `merger`; without `fused`, query, key and value are matrices of their own."""
    width = config.hidden_size

    def block(window: int | None) -> Module:
        return module(
            None,
            "pre-norm",
            norm1=rms_norm(width),
            norm2=rms_norm(width),
            attn=_attention(config, window, fused=fused),
            mlp=gated_mlp(width, config.intermediate_size, bias=True, activation=config.hidden_act),
        )

    return module(
        patch_embed=patch_embed(config, width),
        blocks=stack_of(map(config.window, range(config.depth)), block),
        merger=square_merger(rms_norm(width), width, config.spatial_merge_size, config.out_hidden_size),
    ).marked(section="vision")


def patch_embed(config: PatchKeys, width: int, *, bias: bool = False) -> Module:
    """`proj` [width, channels, frames, patch, patch]."""
    patch = config.patch_size
    kernel = config.temporal_patch_size, patch, patch
    return module(Role.EMBEDDING, "patch embedding", proj=convolution(config.in_channels, width, *kernel, bias=bias))


def square_merger(norm: Module, width: int, side: int, outputs: int) -> Module:
    """A norm, and an MLP from a square of `side × side` patches to one token of the language model."""
    merged = width * (side * side)
    first, last = linear(merged, merged, bias=True), linear(merged, outputs, bias=True)
    return module(ln_q=norm, mlp=Module((("0", first), ("2", last)))).marked(section="projector")


def _attention(config: Qwen25VisionConfig, window: int | None, *, fused: bool) -> Module:
    width, heads = config.hidden_size, config.num_heads
    head_dim = exact_div(width, heads)
    if not fused:
        return attention(
            width,
            heads=heads,
            head_dim=head_dim,
            bias=True,
            window=window,
            causal=False,
            positions="RoPE 2D",
            names=("q", "k", "v", "proj"),
        )
    return fused_attention(
        width,
        heads=heads,
        kv_heads=config.num_key_value_heads if isinstance(config, Exaone45VisionConfig) else None,
        head_dim=head_dim,
        bias=True,
        window=window,
        causal=False,
        positions="RoPE 2D",
        names=("qkv", "proj"),
    )
