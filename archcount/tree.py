"""The shape of a model: a tree of named tensors, with no numbers inside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain, groupby
from typing import TypeVar

from .dim import formula
from .errors import ConfigValueError
from .marks import Attends, Cache, Grouped, Per, Role, Routed, Use

__all__ = [
    "Attends",
    "Cache",
    "Grouped",
    "Leafy",
    "Module",
    "Node",
    "Per",
    "Role",
    "Routed",
    "Stack",
    "Storage",
    "Tensor",
    "Use",
    "copied",
    "in_turn",
    "module",
    "relocated",
    "repeat",
    "stack",
    "tied",
]


class Storage(Enum):
    """Is this tensor in the file, and is it a new parameter?"""

    OWN = "own"  # in the file, counted
    BUFFER = "buffer"  # in the file, not a parameter
    COPY = "copy"  # in the file a second time, already counted
    TIED = "tied"  # not in the file, already counted

    @property
    def is_in_file(self) -> bool:
        """True for all but a tied tensor."""
        return self is not Storage.TIED

    @property
    def is_parameter(self) -> bool:
        """True for the one place where a parameter is counted."""
        return self is Storage.OWN


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A named leaf. `shape` is as stored; `dtype` is set only where the file's differs from the model's.

    Two are equal when their formulas are too: sizes that agree by chance stay two tensors.

    Raises ConfigValueError: a size of 0 or less, as a patch larger than its image makes one.
    """

    shape: tuple[int, ...]
    use: Use = Use.OTHER
    storage: Storage = Storage.OWN
    same_as: str = ""  # full name of the tensor that a TIED or COPY tensor repeats
    dtype: str | None = None

    def __post_init__(self) -> None:
        if self.shape and (least := min(self.shape)) < 1:
            raise ConfigValueError(f"{formula(least)} makes a tensor of size {int(least)}: should be at least 1")

    @property
    def elements(self) -> int:
        """The product of the shape."""
        return math.prod(map(int, self.shape))

    @property
    def size(self) -> int:
        """The product of the shape with its formula: a `Dim` where the shape has one."""
        return math.prod(self.shape, start=1)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Tensor) and self._identity() == other._identity())

    def __hash__(self) -> int:
        return hash((self.shape, self.use, self.storage, self.same_as))

    def _identity(self) -> tuple[object, ...]:
        formulas = tuple(map(formula, self.shape))
        return self.shape, formulas, self.use, self.storage, self.same_as, self.dtype


@dataclass(frozen=True, slots=True)
class Module:
    """Named children and the marks on them; None for role, section, routed, uses and per means as the parent."""

    children: tuple[tuple[str, Node], ...]
    role: Role | None = None
    kind: str | None = None
    section: str | None = None
    routed: Routed | None = None
    cache: Cache | None = None
    attends: Attends | None = None
    uses: int | None = None  # times a token passes through it here: 0 where it is only stored
    per: Per | None = None
    grouped: Grouped | None = None

    def marked(
        self,
        *,
        role: Role | None = None,
        kind: str | None = None,
        section: str | None = None,
        routed: Routed | None = None,
        cache: Cache | None = None,
        attends: Attends | None = None,
        uses: int | None = None,
        per: Per | None = None,
        grouped: Grouped | None = None,
    ) -> Module:
        """The same children with these marks set; a mark left out stays as it was."""
        return Module(
            self.children,
            self.role if role is None else role,
            self.kind if kind is None else kind,
            self.section if section is None else section,
            self.routed if routed is None else routed,
            self.cache if cache is None else cache,
            self.attends if attends is None else attends,
            self.uses if uses is None else uses,
            self.per if per is None else per,
            self.grouped if grouped is None else grouped,
        )

    def extend(self, **children: Node | None) -> Module:
        """The same module with further children after its own; a `None` child is left out."""
        return replace(self, children=(*self.children, *_present(children)))

    def prepend(self, **children: Node | None) -> Module:
        """The same module with further children before its own; a `None` child is left out."""
        return replace(self, children=(*_present(children), *self.children))

    def replacing(self, **children: Node | None) -> Module:
        """The same module with these children in the place of its own of the same name; `None` takes one away."""
        merged = {name: children.get(name, child) for name, child in self.children}
        return replace(self, children=_present(merged))


@dataclass(frozen=True, slots=True)
class Stack:
    """Numbered children, equal ones held once: ((0, 1, 2), dense), ((3, …, 60), sparse)."""

    groups: tuple[tuple[Sequence[int], Node], ...]


Node = Tensor | Module | Stack
Leafy = TypeVar("Leafy", Tensor, Module)  # what can be tied or copied whole


def module(role: Role | None = None, kind: str | None = None, /, **children: Node | None) -> Module:
    """Keyword names are checkpoint names; a `None` child is left out."""
    return Module(_present(children), role, kind)


def _present(children: dict[str, Node | None]) -> tuple[tuple[str, Node], ...]:
    return tuple((name, child) for name, child in children.items() if child is not None)


def repeat(times: int, layer: Node) -> Stack:
    """`times` equal children numbered from 0; costs the same for one and for ten thousand."""
    return Stack(((range(times), layer),)) if times else Stack(())


def stack(layers: Iterable[Node | None], start: int = 0) -> Stack:
    """Children numbered from `start`, one given per index; a `None` leaves its number out. Equal layers are merged."""
    runs = (list(run) for _, run in groupby(layers, key=id))
    return in_turn(*((len(run), run[0]) for run in runs), start=start)


def in_turn(*runs: tuple[int, Node | None], start: int = 0) -> Stack:
    """`(3, dense), (58, sparse)`: children numbered from `start`, each so many times; a run of none is left out.

    Equal layers are merged: by identity first, so that a layer is hashed once however often it is named.
    """
    by_identity: dict[int, tuple[Node, list[range]]] = {}
    for times, layer in runs:
        if layer is not None and times > 0:
            by_identity.setdefault(id(layer), (layer, []))[1].append(range(start, start + int(times)))
        start += max(int(times), 0)
    by_value: dict[Node, list[range]] = {}
    for layer, where in by_identity.values():
        by_value.setdefault(layer, []).extend(where)
    return Stack(tuple((_joined(where), layer) for layer, where in by_value.items()))


def _joined(runs: list[range]) -> Sequence[int]:
    """The indices in order; a range where they have no holes, so that equal stacks are equal however they were made."""
    if len(runs) == 1:
        return runs[0]
    indices = sorted(chain.from_iterable(runs))
    whole = range(indices[0], indices[-1] + 1)
    return whole if len(whole) == len(indices) else tuple(indices)


def tied(node: Leafy, name: str) -> Leafy:
    """The same tensors under another name, not stored again; `name` is the full name of the original."""
    return _restored(node, name, Storage.TIED)


def copied(node: Leafy, name: str) -> Leafy:
    """The same tensors stored a second time, and not new parameters; `name` is the full name of the original."""
    return _restored(node, name, Storage.COPY)


def _restored(node: Leafy, name: str, storage: Storage) -> Leafy:
    if isinstance(node, Tensor):
        return replace(node, storage=storage, same_as=name)
    return replace(node, children=tuple((key, _again(child, f"{name}.{key}", storage)) for key, child in node.children))


def _again(node: Node, name: str, storage: Storage) -> Node:
    match node:
        case Tensor():
            return _restored(node, name, storage)
        case Module():
            return _restored(node, name, storage)
        case Stack(groups):
            one_each = ((index, layer) for where, layer in groups for index in where)
            return Stack(tuple(((index,), _again(layer, f"{name}.{index}", storage)) for index, layer in one_each))


def relocated(tree: Module, old: str, new: str) -> Module:
    """The same tree, put elsewhere: what its tensors repeat is no longer called `old…` but `new…`."""
    return replace(tree, children=tuple((name, _relocated(child, old, new)) for name, child in tree.children))


def _relocated(node: Node, old: str, new: str) -> Node:
    match node:
        case Tensor(same_as=name):
            return replace(node, same_as=new + name.removeprefix(old)) if name and name.startswith(old) else node
        case Module():
            return relocated(node, old, new)
        case Stack(groups):
            return Stack(tuple((where, _relocated(layer, old, new)) for where, layer in groups))
