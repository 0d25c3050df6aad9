"""The figures of a model that a difference sets side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..costs.caches import Keeps, Widths, cache_lines
from ..errors import UnknownCostError
from ..model import Model
from ..rows import Row
from ..tree import Role

ONE_BIT = Widths(1, 1)  # so that what is counted are elements


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure before and after; None where it cannot be told."""

    name: str
    before: int | None
    after: int | None

    @property
    def delta(self) -> int | None:
        """How much more it is after; None where one of them cannot be told."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class RoleFigure:
    """Parameters of one role in one section, and the kinds of parts they are in: `GQA 32/8`."""

    section: str
    role: Role
    before: int
    after: int
    kinds_before: tuple[str, ...]
    kinds_after: tuple[str, ...]

    @property
    def delta(self) -> int:
        """How many more there are after."""
        return self.after - self.before


def figures(before: Model, after: Model, context: int | None) -> tuple[Figure, ...]:
    """Parameters, active, stored, bytes, cache and FLOPs; `context` is that of the FLOPs, None for weights alone."""
    first, second = dict(_figures(before, context)), dict(_figures(after, context))
    return tuple(Figure(name, first[name], second[name]) for name in first)


def _figures(model: Model, context: int | None) -> Iterator[tuple[str, int | None]]:
    totals = model.totals
    yield "parameters", totals.parameters
    yield "active", totals.active
    yield "active without input embedding", totals.active_without_input_embedding
    yield "stored", totals.stored
    yield "bytes", model.stored_bytes
    yield "cache per token", cache_per_token(model)
    yield "FLOPs per token", flops_per_token(model, context)


def cache_per_token(model: Model) -> int | None:
    """Elements that a token adds to the caches of all layers while every window is open; None for an unmarked kind."""
    try:
        lines = cache_lines(model.parts, ONE_BIT)
    except UnknownCostError:
        return None
    return sum(int(line.cache.per_token) * line.layers // line.cache.every for line in lines if _grows(line.keeps))


def _grows(keeps: Keeps) -> bool:
    return keeps is Keeps.TOKENS


def flops_per_token(model: Model, context: int | None) -> int | None:
    """Forward FLOPs of the last of `context` tokens, of the weights alone where it is None; None for an unmarked kind.

    The other side of a cross-attention is taken to be as long, where the config does not fix its length.

    Raises UsageError: a context of no tokens.
    """
    tokens = 1 if context is None else context
    try:
        cost = model.flops(tokens, source=tokens)
    except UnknownCostError:
        return None
    return int(cost.matmul_per_token if context is None else cost.forward_per_token)


def by_role(before: Model, after: Model) -> tuple[RoleFigure, ...]:
    """Parameters by section and role, of both models, in the order of the first."""
    first, second = _sums(before.rows), _sums(after.rows)
    kinds = _kinds(before), _kinds(after)
    keys = sorted({**first, **second}, key=lambda key: (key[0] != "", key[0], list(Role).index(key[1])))
    return tuple(
        RoleFigure(*key, first.get(key, 0), second.get(key, 0), *(found.get(key, ()) for found in kinds))
        for key in keys
    )


def _sums(rows: list[Row]) -> dict[tuple[str, Role], int]:
    sums: dict[tuple[str, Role], int] = {}
    for row in rows:
        if row.tensor.storage.is_parameter:
            key = row.section, row.role
            sums[key] = sums.get(key, 0) + row.elements
    return sums


def _kinds(model: Model) -> dict[tuple[str, Role], tuple[str, ...]]:
    found: dict[tuple[str, Role], dict[str, None]] = {}
    for part in model.parts:
        if part.kind:
            found.setdefault((part.section, part.role), {})[part.kind] = None
    return {key: tuple(kinds) for key, kinds in found.items()}
