"""OpenFlamingo's parts (Awadalla et al. 2023): latents that read patches, and gates that let them into a decoder."""

from __future__ import annotations

from ...blocks import layer_norm, linear, paired_attention
from ...tree import Module, Role, Tensor, module, repeat, stack


def resampler(
    width: int, *, latents: int, heads: int, head_dim: int, depth: int = 6, projected: int | None = None
) -> Module:
    """`latents` [latents, width] that read patches and one another, layer after layer; `projected` to another width."""
    reading = paired_attention(width, heads=heads, head_dim=head_dim, source_width=width)
    attn = reading.prepend(norm_media=layer_norm(width), norm_latents=layer_norm(width))
    return module(
        latents=Tensor((latents, width)),
        projection=linear(width, projected, bias=True) if projected else None,
        layers=repeat(depth, stack([attn, _feed_forward(width)])),
        norm=layer_norm(width),
    ).marked(section="projector")


def gated_cross_attention(hidden: int, seen: int, *, heads: int = 8, head_dim: int = 64) -> Module:
    """What stands before a decoder's layer: it reads latents of width `seen`; training opens its two gates from 0."""
    reading = paired_attention(hidden, heads=heads, head_dim=head_dim, source_width=seen, kept=True)
    gate = Tensor((1,))
    return module(
        None,
        "pre-norm",
        attn=reading.prepend(norm=layer_norm(hidden)),
        attn_gate=gate,
        ff=_feed_forward(hidden),
        ff_gate=gate,
    )


def _feed_forward(width: int) -> Module:
    """A norm and two matrices, numbered with the GELU between them."""
    up, down = linear(width, 4 * width), linear(4 * width, width)
    return Module((("0", layer_norm(width)), ("1", up), ("3", down)), Role.MLP, "GELU MLP")
