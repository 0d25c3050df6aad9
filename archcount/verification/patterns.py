"""Thousands of tensor names in a few lines: `model.layers.{0-31}.mlp.up_proj.weight`."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ..paths import products, span

NUMBER = re.compile(r"(?<![^.])(?:0|[1-9]\d{0,8})(?![^.])")  # a part of a name that is nothing but a plain number
MOST_NUMBERS = 6  # of one name; a file may name its tensors as it likes, and none that is a model's has more
GAP = "\0"


def by_pattern(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Names that differ in their numbers alone, as few patterns as hold exactly them, each with its names in order."""
    groups: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for name in names:
        numbers = NUMBER.findall(name)
        if GAP in name or len(numbers) > MOST_NUMBERS:
            yield name, [name]
        else:
            groups[NUMBER.sub(GAP, name)].append(tuple(map(int, numbers)))
    for template, found in groups.items():
        pieces = template.split(GAP)
        for ranges in products(sorted(found)):
            named = (_filled(pieces, map(str, numbers)) for numbers in itertools.product(*ranges))
            yield _filled(pieces, map(span, ranges)), list(named)


def common(names: Sequence[str]) -> str:
    """What all of these names begin with, whole parts, and … for the rest; of one name all of it."""
    if len(names) == 1:
        return names[0]
    ways = zip(*(name.split(".") for name in (min(names), max(names))), strict=False)
    shared = itertools.takewhile(lambda pair: pair[0] == pair[1], ways)
    return ".".join([*(part for part, _ in shared), "…"])


def _filled(pieces: list[str], numbers: Iterable[str]) -> str:
    return "".join(itertools.chain.from_iterable(itertools.zip_longest(pieces, numbers, fillvalue="")))
