"""What differs between two configs, and what that does to every tensor and to the totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..model import Model, load
from ..paths import layer_of
from .alone import Alone, alone, is_spelled_default
from .figures import Figure, RoleFigure, by_role, figures
from .keys import KeyKind, KeyPair, differing
from .rows import Name, RowChange, RowKind, Side, name, row_changes
from .values import settings

__all__ = [
    "Alone", "Difference", "Figure", "KeyChange", "KeyKind", "RoleFigure", "RowChange", "RowKind", "Side", "diff",
]  # fmt: skip

Source = Model | str | Path | Mapping[str, object]


@dataclass(frozen=True, slots=True)
class KeyChange:
    """A key that differs. `alone` is what it does to the first model by itself; None where the families differ, or no
    tensor can depend on it.
    """

    pair: KeyPair
    alone: Alone | None = field(compare=False)

    @property
    def key(self) -> str:
        """The key as the configs spell it."""
        return self.pair.key

    @property
    def kind(self) -> KeyKind:
        """Added, removed or changed."""
        return self.pair.kind

    @property
    def before(self) -> object:
        """The first config's value, its default where it gives none."""
        return self.pair.before.value

    @property
    def after(self) -> object:
        """The second config's value, its default where it gives none."""
        return self.pair.after.value


@dataclass(frozen=True, slots=True)
class Difference:
    """What makes the second model another than the first.

    `rows` are matched by name; `roles` are parameters by section and role, for families whose names differ. The deltas
    of either, less those of the section `mtp`, add up to that of the figure `parameters`.
    """

    before: Model
    after: Model
    keys: tuple[KeyChange, ...]
    rows: tuple[RowChange, ...]
    roles: tuple[RoleFigure, ...]
    figures: tuple[Figure, ...]
    context: int | None

    @property
    def is_empty(self) -> bool:
        """Do both configs say the same?"""
        return not (self.keys or self.rows or any(figure.before != figure.after for figure in self.figures))

    @property
    def is_one_family(self) -> bool:
        """Are both counted by one rule?"""
        return _is_one_family(self.before, self.after)

    @property
    def shares_names(self) -> bool:
        """Do the layers of both hold tensors of one name?"""
        return bool(_layer_names(self.before) & _layer_names(self.after))

    def keys_behind(self, row: RowChange) -> list[str]:
        """The keys that change the tensors of this name each by itself; empty where only several together do."""
        found = (key for key in self.keys if key.alone)
        return [key.key for key in found if key.alone and any(each.name == row.name for each in key.alone.rows)]


def diff(before: Source, after: Source, *, context: int | None = None) -> Difference:
    """What differs between two models: known names, paths, repository ids, `REV:path` in git, configs, or Models.

    `context` is the number of tokens at which FLOPs per token are counted; None counts those of the weights alone.

    Raises ArchcountError: one of them cannot be found or counted.
    """
    first = before if isinstance(before, Model) else load(before)
    second = after if isinstance(after, Model) else load(after)
    return Difference(
        first,
        second,
        tuple(_key_changes(first, second)),
        tuple(row_changes(first.rows, second.rows)),
        by_role(first, second),
        figures(first, second, context),
        context,
    )


def _key_changes(before: Model, after: Model) -> list[KeyChange]:
    found = settings(before.config, before.raw), settings(after.config, after.raw)
    pairs = differing(*found, (type(before.config), type(after.config)))
    if not _is_one_family(before, after):
        return [KeyChange(pair, None) for pair in pairs]
    kept = (pair for pair in pairs if not is_spelled_default(pair, before, after))
    return [KeyChange(pair, alone(pair, before, after) if pair.is_read else None) for pair in kept]


def _is_one_family(before: Model, after: Model) -> bool:
    return before.architecture.rule is after.architecture.rule and type(before.config) is type(after.config)


def _layer_names(model: Model) -> set[Name]:
    return {name(row) for row in model.rows if layer_of(row.path)}
