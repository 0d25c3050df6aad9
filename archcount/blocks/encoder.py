"""The embeddings and the layer of BERT (Devlin et al. 2018), which its many relatives keep name for name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..dim import exact_div
from ..tree import Module, Role, module
from .attention import attention
from .embeddings import embedding, position_embedding
from .linear import linear
from .mlp import activation_name
from .norms import layer_norm

Named = Mapping[str, Module]
POST_NORM = ("attention.output.LayerNorm", "output.LayerNorm")


def encoder_embeddings(
    width: int,
    *,
    vocab: int,
    positions: int | None = None,
    types: int | None = None,
    norm: bool = True,
) -> Module:
    """`word_embeddings` [vocab, width], and where a count is given `position_…` and `token_type_embeddings`."""
    return module(
        Role.EMBEDDING,
        word_embeddings=embedding(vocab, width),
        position_embeddings=position_embedding(positions, width) if positions is not None else None,
        token_type_embeddings=embedding(types, width) if types is not None else None,
        LayerNorm=layer_norm(width) if norm else None,
    )


def encoder_layer(
    width: int,
    inner: int,
    *,
    heads: int,
    activation: str = "gelu",
    bias: bool = True,
    causal: bool = False,
    cross: bool = False,
    positions: str | None = "learned",
    distances: int | None = None,
    norms: tuple[str, str] = POST_NORM,
    kind: str = "post-norm",
    in_output: Mapping[str, Module | None] | None = None,
) -> Module:
    """`attention`, `crossattention` where asked, then `intermediate` [inner, width] and `output` [width, inner].

    `bias` is that of query, key and value. `distances` adds a table of relative distances to each attention. `norms`
    names the two places of a layer norm, `in_output` holds what else stands in `output`.
    """

    def attend(source_width: int | None = None) -> Module:
        flat = attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            bias=bias,
            out_bias=True,
            causal=causal,
            source_width=source_width,
            positions=positions,
            names=("query", "key", "value", "dense"),
        )
        table = embedding(distances, exact_div(width, heads)) if distances is not None else None
        return _in_two_steps(flat, table, _norms(norms, "attention", width), _norms(norms, "attention.output", width))

    up, down = linear(width, inner, bias=True), linear(inner, width, bias=True)
    word = activation_name(activation, gated=False)
    return module(
        None,
        kind,
        attention=attend(),
        crossattention=attend(source_width=width) if cross else None,
        intermediate=module(Role.MLP, word, **_norms(norms, "intermediate", width), dense=up),
        output=module(Role.MLP, None, dense=down, **_norms(norms, "output", width), **(in_output or {})),
        **_norms(norms, "", width),
    )


def _in_two_steps(flat: Module, table: Module | None, norms: Named, output_norms: Named) -> Module:
    """Attention with its first three matrices under `self` and the last under `output`."""
    *projections, (_, dense) = flat.children
    inside = module(**dict(projections), distance_embedding=table)
    parts = module(self=inside, output=module(dense=dense, **output_norms), **norms)
    return replace(flat, children=parts.children)


def _norms(paths: tuple[str, str], place: str, width: int) -> Named:
    """The layer norms that stand in `place`."""
    steps = (path.rpartition(".") for path in paths)
    return {name: layer_norm(width) for where, _, name in steps if where == place}
