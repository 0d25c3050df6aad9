"""Layers that read the keys and values of an earlier layer, and keep none of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import ConfigValueError
from ..tree import Cache, Module, Node, Storage, Tensor

KEYS_AND_VALUES = ("k_proj", "v_proj", "k_norm")


def borrowing_layers(kinds: Sequence[str], shared: int) -> list[bool]:
    """Which layers borrow: the last `shared`, each from the last layer of its own kind before them.

    Raises ConfigValueError: more than there are layers, or no layer of a kind is left to borrow from.
    """
    layers = len(kinds)
    if shared > layers:
        raise ConfigValueError(f"num_kv_shared_layers is {shared}: there are {layers} layers")
    owners = set(kinds[: layers - shared])
    orphans = sorted(set(kinds) - owners)
    if orphans and owners:
        raise ConfigValueError(f"num_kv_shared_layers is {shared}: leaves no {orphans[0]} layer to share the keys of")
    return [index >= layers - shared for index in range(layers)]


def borrowed_cache(attention: Module, *, is_stored: bool = True) -> Module:
    """`attention` over another layer's keys and values: it keeps none; its own matrices, where stored, lie unused."""
    kept = attention if is_stored else attention.replacing(**dict.fromkeys(KEYS_AND_VALUES))
    children = ((name, unused(child) if name in KEYS_AND_VALUES else child) for name, child in kept.children)
    return replace(kept, children=tuple(children), cache=Cache("borrowed KV"))


def unused(node: Node) -> Node:
    """The same tensors, which the file holds and no forward pass reads: not parameters."""
    match node:
        case Tensor():
            return replace(node, storage=Storage.BUFFER)
        case Module(children):
            return replace(node, children=tuple((name, unused(child)) for name, child in children), uses=0)
        case _:
            return node
