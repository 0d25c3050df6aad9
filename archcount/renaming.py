"""A part under other names: families that differ in nothing else share one function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .tree import Module, Node, Role, Stack


def renamed(tree: Module, names: Mapping[str, str]) -> Module:
    """The same tree, with every child that `names` has, at whatever depth, called as it says."""
    return replace(
        tree, children=tuple((names.get(name, name), _renamed(child, names)) for name, child in tree.children)
    )


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    match node:
        case Module():
            return renamed(node, names)
        case Stack(groups):
            return Stack(tuple((where, _renamed(layer, names)) for where, layer in groups))
        case _:
            return node


def without_a_name(part: Module) -> dict[str, Node]:
    """The children of a part that stands in its layer unnamed; its marks move to the first of them."""
    (first, head), *rest = part.children
    marked = replace(part, children=head.children) if isinstance(head, Module) else head
    return {first: marked, **{name: _in_role(child, part.role) for name, child in rest}}


def _in_role(node: Node, role: Role | None) -> Node:
    return replace(node, role=role) if isinstance(node, Module) and node.role is None else node
