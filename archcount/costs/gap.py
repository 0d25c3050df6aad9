"""Why training does not take six FLOPs for each parameter."""

from __future__ import annotations

from collections.abc import Iterable

from ..rows import Row
from ..tree import Per, Storage, Use
from .per import TEXT, per

UNCHOSEN, LOOKED_UP, TIED = "experts not chosen", "tables that are looked up", "weights tied to a table"
ADDED, AGAIN = "gains, biases and the like", "weights used more than once"
ELSEWHERE = "what no text token passes through"


def gap(rows: Iterable[Row]) -> tuple[tuple[str, int], ...]:
    """Why 6 FLOPs for each parameter are not what the weights cost in training: each cause with its FLOPs a token."""
    causes = dict.fromkeys((UNCHOSEN, LOOKED_UP, ADDED, ELSEWHERE, AGAIN, TIED), 0)
    for row in rows:
        multiplied, is_own = per(row) == Per.TOKEN.value, row.tensor.storage is Storage.OWN
        if not is_own:
            causes[TIED] += 6 * row.active * row.uses if multiplied else 0
        elif multiplied:
            causes[UNCHOSEN] -= 6 * (row.elements - row.active)
            causes[AGAIN] += 6 * row.active * (row.uses - 1)
        else:
            causes[_why_not(row)] -= 6 * row.elements
    return tuple((cause, flops) for cause, flops in causes.items() if flops)


def _why_not(row: Row) -> str:
    if row.section not in TEXT or row.per is not Per.TOKEN:
        return ELSEWHERE
    return LOOKED_UP if row.tensor.use is Use.LOOKUP else ADDED
