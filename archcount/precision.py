"""A part that a file keeps in a type of its own, whatever the model's is."""

from __future__ import annotations

from dataclasses import replace

from .tree import Module, Node, Stack, Tensor


def kept_in(dtype: str, part: Module) -> Module:
    """The same tree with every tensor stored in `dtype`, a name as config.json spells it (`float32`)."""
    return replace(part, children=tuple((name, _kept(dtype, child)) for name, child in part.children))


def _kept(dtype: str, node: Node) -> Node:
    match node:
        case Tensor():
            return replace(node, dtype=dtype)
        case Module():
            return kept_in(dtype, node)
        case Stack(groups):
            return Stack(tuple((where, _kept(dtype, layer)) for where, layer in groups))
