"""Whether scales agree on the size of a group, where the config leaves that to the file: Model Optimizer's often do."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ..checkpoint.entries import Entry
from ..dim import ceil_div
from ..quantization import ANY_LENGTH, Stored
from .findings import Finding, Kind, by_name

SCALE = "weight_scale"
Size = tuple[int, int]  # of a side of a matrix, and of the scales along it


def uneven_scales(stored: Iterable[Stored], entries: Mapping[str, Entry]) -> Iterator[Finding]:
    """A finding for the scales whose number no group of the size that most others have makes."""
    sizes = {
        name: _sides(each, entry.shape)
        for each in stored
        if each.path[-1] == SCALE and ANY_LENGTH in each.shape
        for name in each.names()
        if (entry := entries.get(name)) and len(entry.shape) == len(each.shape)
    }
    usual = _usual(side for sides in sizes.values() for side in sides)
    wrong: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for name, sides in sizes.items():
        if not all(_makes(usual, side) for side in sides):
            wrong[entries[name].shape].append(name)

    def elements_of(name: str) -> int:
        return entries[name].elements

    for shape, names in wrong.items():
        why = f"groups of {usual:,} as the others have them make another number of scales"
        yield from by_name(Kind.WRONG_SHAPE, names, elements_of, why, found=str(list(shape)))


def _sides(stored: Stored, found: tuple[int, ...]) -> list[Size]:
    """Each side of the matrix with the scales along it: [outputs, groups], or [groups, 1, groups, 1]."""
    outputs, inputs = map(int, stored.row.tensor.shape[-2:])
    sides = (outputs, inputs) if len(found) == 4 else (inputs,)
    counts = (count for count, size in zip(found, stored.shape, strict=True) if size == ANY_LENGTH)
    return [side for side in zip(sides, counts, strict=True) if side[1] > 0]


def _usual(sides: Iterable[Size]) -> int:
    """The size of a group that the most sides can have; the smallest of such."""
    counted = Counter(sides)
    sizes = {int(ceil_div(side, count)) for side, count in counted}
    fits = {size: sum(times for side, times in counted.items() if _makes(size, side)) for size in sizes}
    return max(sorted(fits), key=fits.__getitem__, default=1)


def _makes(size: int, side: Size) -> bool:
    return ceil_div(side[0], size) == side[1]
