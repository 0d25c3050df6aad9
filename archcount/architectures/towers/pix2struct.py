"""Pix2Struct's vision tower: T5's layers over patches of any grid, each placed by its row and its column."""

from __future__ import annotations

from ...blocks import attention, gated_mlp, linear, position_embedding, rms_norm
from ...tree import Module, Role, module, repeat


def pix2struct_vision(
    width: int,
    inner: int,
    *,
    layers: int,
    heads: int,
    head_dim: int,
    patch_values: int,
    places: int,
    activation: str,
) -> Module:
    """`embeddings` (a patch is `patch_values` numbers, a row or column one of `places`), `encoder` and `layernorm`."""
    return module(
        embeddings=module(
            Role.EMBEDDING,
            patch_projection=linear(patch_values, width, bias=True).marked(kind="patch embedding"),
            row_embedder=position_embedding(places, width),
            column_embedder=position_embedding(places, width),
        ),
        encoder=module(layer=repeat(layers, _layer(width, inner, heads, head_dim, activation))),
        layernorm=rms_norm(width),
    ).marked(section="vision")


def _layer(width: int, inner: int, heads: int, head_dim: int, activation: str) -> Module:
    names = ("query", "key", "value", "output")
    attend = attention(width, heads=heads, head_dim=head_dim, causal=False, positions="learned", names=names)
    return module(
        None,
        "pre-norm",
        attention=attend,
        mlp=gated_mlp(width, inner, activation=activation, names=("wi_0", "wi_1", "wo")),
        pre_mlp_layer_norm=rms_norm(width),
        pre_attention_layer_norm=rms_norm(width),
    )
