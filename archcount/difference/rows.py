"""Tensors of two models, matched by name: added, removed, reshaped, resized."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..dim import formula
from ..paths import Path, numbers, pattern, products, times
from ..rows import Row
from ..tree import Tensor

Template = tuple[str | None, ...]  # a path with its numbers left out
Name = tuple[str, Template]  # the section first: layers that look ahead continue the numbers of the others
Places = frozenset[tuple[int, ...]]  # the numbers, for each tensor


class RowKind(StrEnum):
    """What became of tensors of one name."""

    ADDED = "added"
    REMOVED = "removed"
    RESHAPED = "reshaped"  # each has another shape
    RESIZED = "resized"  # of the same shape, in more or fewer layers (or experts)
    STORED = "stored otherwise"  # tied, or no longer tied
    ROUTED = "routed otherwise"  # a token visits more or fewer of the experts
    MARKED = "marked otherwise"  # of another role or data type


@dataclass(frozen=True, slots=True)
class Side:
    """Equal tensors of one name in one model; `paths` are all their places."""

    row: Row
    paths: tuple[Path, ...]

    @property
    def times(self) -> int:
        """How many there are."""
        return sum(map(times, self.paths))

    @property
    def pattern(self) -> str:
        """Their names in one line."""
        return ", ".join(map(pattern, self.paths))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of each, as stored."""
        return tuple(map(int, self.row.tensor.shape))

    @property
    def formula(self) -> str:
        """The formula of each one's elements, in the config's words."""
        return formula(self.row.tensor.size)

    @property
    def parameters(self) -> int:
        """Learned numbers in all of them: none where they are tied, copies or buffers."""
        return self.row.tensor.elements * self.times if self.row.tensor.storage.is_parameter else 0

    @property
    def active(self) -> int:
        """Learned numbers of them that a token passes through."""
        routed = self.row.routed
        return self.parameters if routed is None else self.parameters * int(routed.active) // int(routed.total)


@dataclass(frozen=True, slots=True)
class RowChange:
    """What became of the tensors of one name. `before` is None for what is added, `after` for what is removed."""

    kind: RowKind
    before: Side | None
    after: Side | None

    @property
    def some(self) -> Side:
        """The side there is, the second where both are."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def section(self) -> str:
        """The section of the model they belong to."""
        return self.some.row.section

    @property
    def name(self) -> Name:
        """Their section and names, numbers left out."""
        return name(self.some.row)

    @property
    def delta(self) -> int:
        """Parameters more than before."""
        return (self.after.parameters if self.after else 0) - (self.before.parameters if self.before else 0)

    @property
    def active_delta(self) -> int:
        """Active parameters more than before."""
        return (self.after.active if self.after else 0) - (self.before.active if self.before else 0)


def row_changes(before: Iterable[Row], after: Iterable[Row]) -> list[RowChange]:
    """What differs, in the order of the first model, then what the second has beside."""
    first, second = _by_name(before), _by_name(after)
    names = dict.fromkeys((*first, *second))
    return [change for key in names for change in _compared(first.get(key, []), second.get(key, []))]


def name(row: Row) -> Name:
    """The section of a row, and its path with the numbers left out."""
    return row.section, tuple(step if isinstance(step, str) else None for step in row.path)


def _by_name(rows: Iterable[Row]) -> dict[Name, list[Side]]:
    """The rows by name, equal ones together."""
    found: dict[Name, dict[tuple[object, ...], list[Row]]] = {}
    for row in rows:
        found.setdefault(name(row), {}).setdefault(_facts(row), []).append(row)
    return {key: [_side(same) for same in equal.values()] for key, equal in found.items()}


def _side(rows: Sequence[Row]) -> Side:
    """Equal rows as one: those that differ in their first number alone, as every other layer does, share a path."""
    by_rest: dict[tuple[Path, Path], list[int]] = {}
    for row in rows:
        steps = tuple(step if isinstance(step, str) else tuple(step) for step in row.path)
        head = tuple(itertools.takewhile(lambda step: isinstance(step, str), steps))
        if len(head) == len(steps):
            return Side(row, (steps,))
        by_rest.setdefault((head, steps[len(head) + 1 :]), []).extend(map(int, steps[len(head)]))
    paths = ((*head, tuple(sorted(found)), *tail) for (head, tail), found in by_rest.items())
    return Side(rows[0], tuple(paths))


def _at(row: Row, places: Iterable[tuple[int, ...]]) -> Side:
    """The tensors of a row's name at these places."""
    paths = []
    for ranges in products(sorted(places)):
        steps = iter(ranges)
        paths.append(tuple(step if isinstance(step, str) else next(steps) for step in row.path))
    return Side(row, tuple(paths))


def _facts(row: Row) -> tuple[object, ...]:
    """What makes two tensors of one name the same."""
    tensor = row.tensor
    routed = row.routed and (int(row.routed.active), int(row.routed.total))
    return _shape(tensor), tensor.storage, routed, tensor.dtype, row.role


def _shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(map(int, tensor.shape))


def _compared(before: list[Side], after: list[Side]) -> Iterator[RowChange]:
    """What became of the tensors of one name."""
    if not after:
        yield from (RowChange(RowKind.REMOVED, side, None) for side in before)
    elif not before:
        yield from (RowChange(RowKind.ADDED, None, side) for side in after)
    elif len(before) == len(after) == 1:
        yield from _one_each(before[0], after[0])
    else:
        yield from _place_by_place(before, after)


def _one_each(before: Side, after: Side) -> Iterator[RowChange]:
    kind = _kind(before.row, after.row)
    if kind is not None:
        yield RowChange(kind, before, after)
    elif set(before.paths) != set(after.paths):
        if _is_within(before, after) or _is_within(after, before):
            yield RowChange(RowKind.RESIZED, before, after)
        elif _places(before) != _places(after):
            yield from _place_by_place([before], [after])


def _is_within(side: Side, other: Side) -> bool:
    """Has the other side a tensor at each of this side's places?"""
    if len(side.paths) == len(other.paths) == 1:
        steps = zip(numbers(side.paths[0]), numbers(other.paths[0]), strict=True)
        return all(set(here) <= set(there) for here, there in steps)
    return _places(side) < _places(other)


def _places(side: Side) -> Places:
    return frozenset(place for path in side.paths for place in itertools.product(*numbers(path)))


def _kind(before: Row, after: Row) -> RowKind | None:
    """How two tensors of one name differ; None where they do not."""
    if _shape(before.tensor) != _shape(after.tensor):
        return RowKind.RESHAPED
    if before.tensor.storage is not after.tensor.storage:
        return RowKind.STORED
    if (before.routed and (before.routed.active, before.routed.total)) != (
        after.routed and (after.routed.active, after.routed.total)
    ):
        return RowKind.ROUTED
    return None if _facts(before) == _facts(after) else RowKind.MARKED


def _place_by_place(before: list[Side], after: list[Side]) -> Iterator[RowChange]:
    """Where layers of one model differ among themselves: what was at each place, and what is."""
    was = {place: side for side in before for place in _places(side)}
    now = {place: side for side in after for place in _places(side)}
    groups: dict[tuple[int, int], tuple[Row | None, Row | None, list[tuple[int, ...]]]] = {}
    for place in sorted({*was, *now}):
        first, second = was.get(place), now.get(place)
        rows = first.row if first else None, second.row if second else None
        groups.setdefault((id(rows[0]), id(rows[1])), (*rows, []))[2].append(place)
    for first_row, second_row, places in groups.values():
        kind = _kind(first_row, second_row) if first_row and second_row else RowKind.ADDED
        kind = RowKind.REMOVED if second_row is None else kind
        if kind is not None:
            was_there, is_there = (None if row is None else _at(row, places) for row in (first_row, second_row))
            yield RowChange(kind, was_there, is_there)
