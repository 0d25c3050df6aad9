"""Which layer is of which kind: as the config lists it, or as its class derives it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from .errors import ConfigValueError
from .faults import shown
from .tree import Node, Stack, stack

FULL, SLIDING = "full_attention", "sliding_attention"
LINEAR, HYBRID = "linear_attention", "hybrid"
DENSE, SPARSE = "dense", "sparse"  # MLPs
FORMER_NAMES = {"mamba": LINEAR, "attention": FULL}
Kind = TypeVar("Kind", bound=Hashable)


def layer_kinds(
    layers: int,
    given: Sequence[str] | None,
    derived: Callable[[int], str],
    *,
    known: Sequence[str] = (FULL, SLIDING),
    key: str = "layer_types",
) -> list[str]:
    """A kind for each layer: the config's list under `key`, or where it has none `derived(index)`.

    Raises ConfigValueError: a list of another length than `layers`, or a kind that is not `known`.
    """
    if given is None:
        return [derived(index) for index in range(layers)]
    for index, kind in enumerate(checked_length(given, layers, key)):
        if kind not in known:
            raise ConfigValueError(f"{key}[{index}] is {shown(kind)}: should be one of {', '.join(known)}")
    return list(given)


def mlp_layer_kinds(layers: int, given: Sequence[str] | None, derived: Callable[[int], str]) -> list[str]:
    """DENSE or SPARSE for each layer: as the config's `mlp_layer_types` says, else `derived(index)`.

    Raises ConfigValueError: a list of another length than `layers`, or another kind.
    """
    return layer_kinds(layers, given, derived, known=(DENSE, SPARSE), key="mlp_layer_types")


def dense_first(count: int) -> Callable[[int], str]:
    """The first `count` layers have a plain MLP, the others experts."""
    return lambda index: DENSE if index < count else SPARSE


def renewed(given: Sequence[str] | None) -> list[str] | None:
    """The same kinds by the names Hugging Face's classes have since given them: `mamba` is `linear_attention`."""
    return None if given is None else [FORMER_NAMES.get(kind, kind) for kind in given]


Listed = TypeVar("Listed", bound=Sequence[object])


def checked_length(given: Listed, layers: int, key: str) -> Listed:
    """`given`, if it has an entry for every layer.

    Raises ConfigValueError: it has more or fewer.
    """
    if len(given) != layers:
        raise ConfigValueError(f"{key} has {len(given)} entries: should have one for each of {layers} layers")
    return given


def full_every(nth: int) -> Callable[[int], str]:
    """Every n-th layer attends to all tokens (the n-th, the 2n-th …), the others through a window."""
    return lambda index: SLIDING if (index + 1) % nth else FULL


def stack_of(kinds: Iterable[Kind], build: Callable[[Kind], Node]) -> Stack:
    """A layer for each kind listed; each kind is built once."""
    listed = list(kinds)
    built = {kind: build(kind) for kind in dict.fromkeys(listed)}
    return stack([built[kind] for kind in listed])


def windows(kinds: Iterable[str], window: int | None) -> list[int | None]:
    """The window of each layer: `window` on the sliding ones, None on the others."""
    return [window if kind == SLIDING else None for kind in kinds]
