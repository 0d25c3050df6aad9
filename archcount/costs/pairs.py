"""How many tokens a query attends to: at one position, and added up over a sequence."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import UnknownCostError
from ..rows import Part
from ..tree import Attends, Role
from .per import ENCODER, TEXT


def seen(attends: Attends, position: int, source: int = 0) -> int:
    """Tokens (or pooled rows) that the query at `position`, counted from 1, is multiplied with, its own included."""
    if attends.cross:
        return attends.source or source
    if attends.chunked and attends.window is not None:
        return (position - 1) % attends.window + 1
    return _capped(position // attends.every, _cap(attends))


def seen_by_all(attends: Attends, tokens: int, source: int = 0) -> int:
    """The sum of `seen` over the positions 1 … tokens; without a causal mask each position sees all."""
    if attends.cross or not attends.causal:
        return tokens * seen(attends, tokens, source)
    if attends.chunked and attends.window is not None:
        chunks, rest = divmod(tokens, attends.window)
        return chunks * _triangle(attends.window) + _triangle(rest)
    every, cap = int(attends.every), _cap(attends)
    growing = tokens if cap is None else min(tokens, (cap + 1) * every - 1)
    rows, rest = divmod(growing, every)
    return every * _triangle(rows - 1) + rows * (rest + 1) + (tokens - growing) * (cap or 0)


def _cap(attends: Attends) -> int | None:
    caps = [int(cap) for cap in (attends.window, attends.chosen) if cap is not None]
    return min(caps) if caps else None


def _capped(rows: int, cap: int | None) -> int:
    return rows if cap is None else min(rows, cap)


def _triangle(count: int) -> int:
    return count * (count + 1) // 2


def refuse_unmarked(part: Part, parts: Iterable[Part]) -> None:
    """A part that is attention by its role and kind, and is in use, must say what it costs, itself or within.

    Raises UnknownCostError.
    """
    if part.role is not Role.ATTENTION or part.kind is None or part.section not in TEXT | {ENCODER} or not part.uses:
        return
    if not any(other.attends is not None and other.path[: len(part.path)] == part.path for other in parts):
        fault = "which tokens a query is compared with is not marked, so nothing is counted"
        raise UnknownCostError(f"{part.kind}: {fault}")
