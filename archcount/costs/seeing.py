"""What an image costs before the language model reads it: a tower's weights, attention among patches, a projector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isqrt

from ..images.seen import Seen, View
from ..paths import layer_of
from ..rows import Part, Row
from ..tree import Attends, Role, Use

MULTIPLIED = frozenset({Use.MATMUL, Use.CONVOLUTION})
VISION, PROJECTOR = "vision", "projector"
SEES = frozenset({VISION, PROJECTOR})
PAIRS = f"{VISION}: attention among patches"
STAGED = f"{VISION}: a tower in stages, of which each has fewer positions than the one before"
FEW = 3  # matrices that are named one by one


@dataclass(frozen=True, slots=True)
class Seeing:
    """FLOPs of one image, once: `tower` its weights, `attention` among its patches, `projector`.

    `left_out` names what no mark fixes.
    """

    tower: int
    attention: int
    projector: int
    left_out: tuple[str, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return self.tower + self.attention + self.projector


def seeing(rows: Iterable[Row], parts: Iterable[Part], seen: Seen) -> Seeing:
    """What a model of these rows and parts computes for one image that is `seen` so."""
    sums = {VISION: 0, PROJECTOR: 0}
    unmarked: dict[str, list[str]] = {}
    for row in rows:
        if row.section not in SEES or row.tensor.use not in MULTIPLIED or not row.uses:
            continue
        section, times = _times(row, seen)
        if times is None:
            unmarked.setdefault(row.section, []).append(row.pattern)
        else:
            sums[section] += 2 * row.active * row.uses * times
    attention, unpriced = _attention(parts, seen.views)
    left_out = [f"{section}: {named(patterns)}" for section, patterns in unmarked.items()]
    return Seeing(sums[VISION], attention, sums[PROJECTOR], (*unpriced, *left_out))


def named(patterns: list[str]) -> str:
    """A few matrices by their names, many by their number."""
    return ", ".join(patterns) if len(patterns) <= FEW else f"{len(patterns)} matrices"


def _times(row: Row, seen: Seen) -> tuple[str, int | None]:
    """How often a matrix of one image is multiplied, None where that is not marked; and what it belongs to."""
    for step in row.path:
        if isinstance(step, str) and step in seen.projected:
            return PROJECTOR, seen.projected[step]
    if row.section == PROJECTOR or seen.views is None:
        return row.section, None
    if row.tensor.use is Use.CONVOLUTION or (row.role is Role.EMBEDDING and not layer_of(row.path)):
        return VISION, sum(view.patches for view in seen.views)
    return VISION, sum(view.positions for view in seen.views) if layer_of(row.path) else None


def _attention(parts: Iterable[Part], views: tuple[View, ...] | None) -> tuple[int, list[str]]:
    """FLOPs of all layers' pairs, and which attention is left out."""
    flops, left_out = 0, dict[str, None]()
    for part in parts:
        if part.section not in SEES or part.attends is None or not part.uses:
            continue
        pairs = _pairs(part.attends, views) if part.section == VISION and layer_of(part.path) else None
        if pairs is None:
            left_out[_unpriced(part)] = None
            continue
        widths = int(part.attends.key_width) + int(part.attends.value_width)
        flops += 2 * part.times * part.uses * int(part.attends.heads) * widths * pairs
    return flops, list(left_out)


def _unpriced(part: Part) -> str:
    if part.section == PROJECTOR:
        return f"{PROJECTOR}: attention"
    return PAIRS if layer_of(part.path) else f"{VISION}: attention of a pooling head"


def _pairs(attends: Attends, views: tuple[View, ...] | None) -> int | None:
    """Pairs of positions in one layer, None where a window is of no known shape."""
    if views is None or attends.cross:
        return None
    if attends.window is None:
        return sum(view.pairs for view in views)
    side = isqrt(int(attends.window))
    if any(view.window != side for view in views) or side * side != attends.window:
        return None
    return sum(view.pairs_in_windows for view in views)


def without_stages(rows: Sequence[Row]) -> tuple[Sequence[Row], tuple[str, ...]]:
    """The rows less those of a tower that convolves more than once, and what is left out with them.

    Such a tower has no one number of positions that all its weights are multiplied for.
    """
    kernels = sum(row.section == VISION and row.tensor.use is Use.CONVOLUTION for row in rows)
    return (rows, ()) if kernels < 2 else ([row for row in rows if row.section != VISION], (STAGED,))
