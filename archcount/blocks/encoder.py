"""The embeddings and the layer of BERT (Devlin et al. 2018), which its many relatives keep name for name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..dim import exact_div
from ..tree import Module, Node, Role, module
from .attention import attention
from .embeddings import embedding, position_embedding
from .linear import linear
from .mlp import activation_name
from .norms import layer_norm

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


def encoder_attention(
    width: int,
    *,
    heads: int,
    bias: bool = True,
    causal: bool = False,
    source_width: int | None = None,
    window: int | None = None,
    positions: str | None = "learned",
    norms: tuple[str, str] = POST_NORM,
    in_self: Mapping[str, Node | None] | None = None,
    self_name: str = "self",
) -> Module:
    """`query`, `key` and `value` within `self_name`, then `output.dense`; an encoder's is run once and keeps nothing.

    `bias` is that of query, key and value. `source_width` is the width of what cross-attention reads. `norms` are the
    layer's two; `in_self` holds what else stands beside query, key and value.
    """
    names, head_dim = ("query", "key", "value", "dense"), exact_div(width, heads)
    flat = attention(
        width, heads=heads, head_dim=head_dim, bias=bias, out_bias=True, window=window, positions=positions,
        causal=causal, source_width=source_width, names=names,
    )  # fmt: skip
    *projections, (_, dense) = flat.children
    output = module(dense=dense, **_norms(norms, "attention.output", width))
    inside = module(**dict(projections), **(in_self or {}))
    nested = module(**{self_name: inside, "output": output}, **_norms(norms, "attention", width))
    return replace(flat, children=nested.children, cache=flat.cache if causal else None)


def encoder_layer(
    width: int,
    inner: int,
    *,
    attention: Module,
    crossattention: Module | None = None,
    activation: str = "gelu",
    norms: tuple[str, str] = POST_NORM,
    kind: str = "post-norm",
    in_output: Mapping[str, Node | None] | None = None,
) -> Module:
    """`attention`, `crossattention` where given, then `intermediate` [inner, width] and `output` [width, inner].

    `norms` names the two places of a layer norm; `in_output` holds what else stands in the layer's `output`.
    """
    up, down = linear(width, inner, bias=True), linear(inner, width, bias=True)
    word = activation_name(activation, gated=False)
    return module(
        None,
        kind,
        attention=attention,
        crossattention=crossattention,
        intermediate=module(Role.MLP, word, **_norms(norms, "intermediate", width), dense=up),
        output=module(Role.MLP, None, dense=down, **_norms(norms, "output", width), **(in_output or {})),
        **_norms(norms, "", width),
    )


def _norms(paths: tuple[str, str], place: str, width: int) -> dict[str, Module]:
    """The layer norms that stand in `place`."""
    steps = (path.rpartition(".") for path in paths)
    return {name: layer_norm(width) for where, _, name in steps if where == place}
