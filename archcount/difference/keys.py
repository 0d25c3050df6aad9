"""Which keys of two configs differ, defaults resolved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..config import Schema
from .setting import Setting

TORCH = "torch."
LANGUAGE = "text_config."
ABSENT = Setting(None, "", (), is_given=False, is_read=False)


class KeyKind(StrEnum):
    """How a key differs."""

    ADDED = "added"  # the second config alone gives it
    REMOVED = "removed"  # the first alone
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class KeyPair:
    """One key as two configs have it. A config that does not give it has its class's default there, or None."""

    before: Setting
    after: Setting

    @property
    def key(self) -> str:
        """The key as the configs spell it, `n_embd → hidden_size` where each has a name of its own."""
        spelled = [setting.spelled for setting in (self.before, self.after) if setting.is_given]
        return " → ".join(dict.fromkeys(spelled)) or self.before.spelled or self.after.spelled

    @property
    def kind(self) -> KeyKind:
        """Added and removed speak of what is written; both may change what a default was."""
        if self.before.is_given == self.after.is_given:
            return KeyKind.CHANGED
        return KeyKind.ADDED if self.after.is_given else KeyKind.REMOVED

    @property
    def is_read(self) -> bool:
        """False where no tensor can depend on the key."""
        return self.before.is_read or self.after.is_read


def differing(
    before: Mapping[str, Setting], after: Mapping[str, Setting], schemas: tuple[type[Schema], type[Schema]]
) -> list[KeyPair]:
    """The keys whose values differ, those that tensors may depend on first; null equals missing, NaN equals NaN."""
    found = [pair for pair in _pairs(before, after, schemas) if not _same(pair.before.value, pair.after.value)]
    kept = (pair for pair in found if pair.before.is_given or pair.after.is_given or pair.is_read)
    return sorted(kept, key=lambda pair: not pair.is_read)


def _pairs(
    before: Mapping[str, Setting], after: Mapping[str, Setting], schemas: tuple[type[Schema], type[Schema]]
) -> Iterator[KeyPair]:
    """Each key with its like: of the same name first, then what is left over by another name for it."""
    rest = {key: setting for key, setting in after.items() if key not in before}
    for key, setting in before.items():
        names = [key] if key in after else [name for name in _names(key, *schemas) if name in rest]
        other = after[names[0]] if names else ABSENT
        rest.pop(names[0] if names else "", None)
        yield KeyPair(setting, other)
    yield from (KeyPair(ABSENT, setting) for setting in rest.values())


def _names(key: str, first: type[Schema], second: type[Schema]) -> Iterable[str]:
    """What else the second family may call a key of the first: what either says is another spelling of it.

    A model that sees keeps the keys of its language part in a config of their own.
    """
    yield from (f"{LANGUAGE}{key}", key.removeprefix(LANGUAGE))
    if key in second.also_spelled:
        yield second.also_spelled[key]
    yield from (other for other, name in first.also_spelled.items() if name == key)


def _same(one: object, other: object) -> bool:
    match one, other:
        case float(), float() if math.isnan(one) and math.isnan(other):
            return True
        case (bool(), _) | (_, bool()):
            return one is other
        case str(), str():
            return one.removeprefix(TORCH) == other.removeprefix(TORCH)
        case Mapping(), Mapping():
            keys = {key for each in (one, other) for key, value in each.items() if value is not None}
            return all(_same(one.get(key), other.get(key)) for key in keys)
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(_same, one, other))
    return one == other
