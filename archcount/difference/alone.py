"""What one key does by itself: the first model counted again with that key alone taken from the second."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from ..errors import ArchcountError
from ..model import Model
from ..rows import Row
from .figures import cache_per_token
from .keys import KeyPair
from .rows import RowChange, row_changes
from .setting import Place

Nested = dict[str, object]


@dataclass(frozen=True, slots=True)
class Alone:
    """What changes where one key does. `refused` says why there is no such model: heads that do not divide, say."""

    rows: tuple[RowChange, ...] = ()
    parameters: int = 0
    active: int = 0
    cache_per_token: int | None = 0
    refused: str = ""


def alone(pair: KeyPair, before: Model, after: Model) -> Alone:
    """What the pair's key does to `before`; both must be of one family."""
    try:
        changed = _with(before, _swapped(pair, before.raw, after.raw))
        rows = tuple(row_changes(before.rows, changed.rows))
        was, now = before.totals, changed.totals
    except ArchcountError as error:
        return Alone(refused=str(error).removeprefix(f"{before.name}: "))
    caches = cache_per_token(before), cache_per_token(changed)
    cache = None if None in caches else cast(int, caches[1]) - cast(int, caches[0])
    return Alone(rows, now.parameters - was.parameters, now.active - was.active, cache)


def is_spelled_default(pair: KeyPair, before: Model, after: Model) -> bool:
    """Does one config spell out what the other leaves to be derived, as `head_dim` from the width and the heads?

    That is so where nothing at all changes without the key, and something does with another value in its place.
    """
    given, other = (pair.after, after) if pair.before.value is None else (pair.before, before)
    unset = pair.before if given is pair.after else pair.after
    if unset.value is not None or not given.is_given or not given.is_read:
        return False
    if not isinstance(given.value, int | list) or isinstance(given.value, bool):
        return False
    try:
        unsaid = _replaced(other.raw, given.place, None) if unset.is_given else _removed(other.raw, given.place)
        without = _with(other, unsaid)
    except ArchcountError:
        return False  # a key that cannot be left out has no derived default
    if not _is_same(without, other):
        return False
    return isinstance(given.value, list) or _has_effect(other, given.place, int(given.value))


def _has_effect(model: Model, place: Place, value: int) -> bool:
    try:
        return not _is_same(_with(model, _replaced(model.raw, place, 2 * value)), model)
    except ArchcountError:
        return True  # twice the value cannot be, so it is looked at


def _with(model: Model, raw: Mapping[str, object]) -> Model:
    """The same model by another config, its tree built."""
    changed = Model(raw, model.name, as_type=model.counted_as)
    _ = changed.tree
    return changed


def _is_same(one: Model, other: Model) -> bool:
    """The same tensors and marks, whatever their formulas."""
    return list(map(_row, one.rows)) == list(map(_row, other.rows)) and one.parts == other.parts


def _row(row: Row) -> tuple[object, ...]:
    tensor = row.tensor
    facts = tuple(map(int, tensor.shape)), tensor.use, tensor.storage, tensor.same_as, tensor.dtype
    return row.path, facts, row.role, row.section, row.routed, row.uses, row.per, row.grouped


def _swapped(pair: KeyPair, before: Mapping[str, object], after: Mapping[str, object]) -> Nested:
    raw = _removed(before, pair.before.place) if pair.before.is_given else copy.deepcopy(dict(before))
    return _replaced(raw, pair.after.place, _at(after, pair.after.place)) if pair.after.is_given else raw


def _at(raw: Mapping[str, object], place: Place) -> object:
    value: object = raw
    for step in place:
        value = cast(Nested, value)[step]
    return value


def _removed(raw: Mapping[str, object], place: Place) -> Nested:
    changed = copy.deepcopy(dict(raw))
    *parents, key = place
    inner = changed
    for step in parents:
        inner = cast(Nested, inner[step])
    del inner[key]
    return changed


def _replaced(raw: Mapping[str, object], place: Place, value: object) -> Nested:
    changed = copy.deepcopy(dict(raw))
    *parents, key = place
    inner = changed
    for step in parents:
        below = inner.get(step)
        inner[step] = below = below if isinstance(below, dict) else {}
        inner = below
    inner[key] = value
    return changed
