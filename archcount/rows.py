"""A tree read out as flat rows, one for each distinct tensor: the waist that all layers above read."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TypeVar

from .paths import Path, names, numbers, pattern, products, times
from .tree import Attends, Cache, Grouped, Module, Node, Per, Role, Routed, Stack, Storage, Tensor


@dataclass(frozen=True, slots=True)
class Row:
    """One distinct tensor, with every place that holds it."""

    path: Path
    tensor: Tensor
    role: Role
    section: str
    routed: Routed | None = None
    uses: int = 1
    per: Per = Per.TOKEN
    grouped: Grouped | None = None

    @property
    def times(self) -> int:
        """How many tensors of this kind the model names."""
        return times(self.path)

    @property
    def elements(self) -> int:
        """Elements of all of them together."""
        return self.tensor.elements * self.times

    @property
    def active(self) -> int:
        """Elements that one token passes through: all but the routed experts that were not chosen."""
        if self.routed is None:
            return self.elements
        return self.elements * int(self.routed.active) // int(self.routed.total)

    @property
    def pattern(self) -> str:
        """The names in one line: `model.layers.{3-60}.mlp.gate.weight`."""
        return pattern(self.path)

    def names(self) -> Iterator[str]:
        """Every full name, in file order."""
        return names(self.path)

    def shaped(self, shape: tuple[int, ...], path: Path | None = None) -> Row:
        """The row with its tensors of another shape, and at another path where one is given."""
        return replace(self, path=self.path if path is None else path, tensor=replace(self.tensor, shape=shape))


@dataclass(frozen=True, slots=True)
class Part:
    """One distinct module that bears a kind, a cache or a cost of attention, with every place that holds it."""

    path: Path
    kind: str | None
    role: Role
    section: str
    cache: Cache | None
    attends: Attends | None
    uses: int = 1

    @property
    def times(self) -> int:
        """How many modules of this kind the model holds."""
        return times(self.path)


@dataclass(frozen=True, slots=True)
class _Marks:
    role: Role = Role.OTHER
    section: str = ""
    routed: Routed | None = None
    uses: int = 1
    per: Per = Per.TOKEN
    grouped: Grouped | None = None

    def under(self, node: Module) -> _Marks:
        named = node.role is None and node.section is None and node.routed is None
        if named and node.uses is None and node.per is None and node.grouped is None:
            return self
        section = self.section if node.section is None else node.section
        uses = self.uses if node.uses is None else self.uses * node.uses
        routed, grouped = node.routed or self.routed, node.grouped or self.grouped
        return _Marks(node.role or self.role, section, routed, uses, node.per or self.per, grouped)


def rows(node: Node) -> list[Row]:
    """Every distinct tensor below `node`, in the order of the rule that made it."""
    return list(_rows(node, (), _Marks()))


def parts(node: Node) -> list[Part]:
    """Every distinct module below `node` that bears a kind, a cache or a cost of attention."""
    return list(_parts(node, (), _Marks()))


def _rows(node: Node, path: Path, marks: _Marks) -> Iterator[Row]:
    match node:
        case Tensor():
            yield Row(path, node, marks.role, marks.section, marks.routed, marks.uses, marks.per, marks.grouped)
        case Stack(groups):
            for where, layer in groups:
                yield from _rows(layer, (*path, where), marks)
        case Module(children):
            inner = marks.under(node)
            for name, child in children:
                yield from _rows(child, (*path, name), inner)


def _parts(node: Node, path: Path, marks: _Marks) -> Iterator[Part]:
    match node:
        case Tensor():
            return
        case Stack(groups):
            for where, layer in groups:
                yield from _parts(layer, (*path, where), marks)
        case Module(children):
            inner = marks.under(node)
            if node.kind is not None or node.cache is not None or node.attends is not None:
                yield Part(path, node.kind, inner.role, inner.section, node.cache, node.attends, inner.uses)
            for name, child in children:
                yield from _parts(child, (*path, name), inner)


@dataclass(frozen=True, slots=True)
class NamedTensor:
    """One tensor by its full name, as a checkpoint lists it."""

    name: str
    tensor: Tensor
    role: Role
    section: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as stored."""
        return self.tensor.shape

    @property
    def storage(self) -> Storage:
        """Whether it is in the file, and whether it is a new parameter."""
        return self.tensor.storage


def tensors(node: Node) -> Iterator[NamedTensor]:
    """Every tensor below `node`, one by one, layer after layer."""
    for name, tensor, marks in _expanded(node, _Marks()):
        yield NamedTensor(name[1:], tensor, marks.role, marks.section)


def _expanded(node: Node, marks: _Marks) -> list[tuple[str, Tensor, _Marks]]:
    match node:
        case Tensor():
            return [("", node, marks)]
        case Module(children):
            inner = marks.under(node)
            named = [(name, _expanded(child, inner)) for name, child in children]
            return [(f".{step}{name}", tensor, mark) for step, found in named for name, tensor, mark in found]
        case Stack(groups):
            layers = [(where, _expanded(layer, marks)) for where, layer in groups]
            placed = sorted(((index, found) for where, found in layers for index in where), key=itemgetter(0))
            return [(f".{index}{name}", tensor, mark) for index, found in placed for name, tensor, mark in found]


Key = TypeVar("Key", bound=Hashable)


def partition(row: Row, key: Callable[[str], Key]) -> Iterator[tuple[Key, Row]]:
    """The row in as few rows as have one `key` each, where `key` is asked of every full name."""
    steps = numbers(row.path)
    places: dict[Key, list[tuple[int, ...]]] = defaultdict(list)
    for indices, name in zip(itertools.product(*steps), row.names(), strict=True):
        places[key(name)].append(indices)
    if len(places) == 1:
        yield next(iter(places)), row
        return
    for kind, found in places.items():
        for ranges in products(found):
            indices_of = iter(ranges)
            path = tuple(step if isinstance(step, str) else next(indices_of) for step in row.path)
            yield kind, replace(row, path=path)
