"""Thousands of tensor names in a few lines: `model.layers.{0-31}.mlp.up_proj.weight`."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

Shape = tuple[int, ...]
Indices = tuple[int, ...]
NUMBER = re.compile(r"(?<=\.)\d+(?=\.)|^\d+(?=\.)|(?<=\.)\d+$|(?<=\.expert_)\d+(?=\.)")


def compress(tensors: Mapping[str, Iterable[int]]) -> dict[str, list[int]]:
    """Names with equal shapes that differ only in their numbers become one pattern."""
    groups: dict[tuple[str, Shape], list[Indices]] = defaultdict(list)
    for name, shape in tensors.items():
        indices = tuple(map(int, NUMBER.findall(name)))
        groups[NUMBER.sub("%", name), tuple(shape)].append(indices)
    return {
        pattern: list(shape)
        for (template, shape), found in groups.items()
        for pattern in _patterns(template, sorted(found))
    }


def compress_ties(groups: Iterable[Iterable[str]]) -> list[list[str]]:
    """Groups of tied names that differ only in their numbers, the same in every name, become one group of patterns."""
    kept: list[list[str]] = []
    alike: dict[tuple[str, ...], list[Indices]] = defaultdict(list)
    for group in map(list, groups):
        numbers = {tuple(map(int, NUMBER.findall(name))) for name in group}
        if len(numbers) == 1:
            alike[tuple(NUMBER.sub("%", name) for name in group)].append(numbers.pop())
        else:
            kept.append(group)
    found = (zip(*(_patterns(each, sorted(where)) for each in names), strict=True) for names, where in alike.items())
    return [*kept, *map(list, itertools.chain.from_iterable(found))]


def names_of(pattern: str) -> Iterator[str]:
    """Every name of one pattern."""
    return (name for name, _ in expand({pattern: ()}))


def expand(patterns: Mapping[str, Iterable[int]]) -> Iterator[tuple[str, Shape]]:
    """Every name of every pattern, with its shape."""
    for pattern, shape in patterns.items():
        pieces = re.split(r"\{([\d,-]+)\}", pattern)
        choices = [(piece,) if i % 2 == 0 else tuple(map(str, _numbers(piece))) for i, piece in enumerate(pieces)]
        for parts in itertools.product(*choices):
            yield "".join(parts), tuple(shape)


def _patterns(template: str, found: list[Indices]) -> Iterator[str]:
    for ranges in _products(found):
        pattern = template
        for numbers in ranges:
            pattern = pattern.replace("%", _written(numbers), 1)
        yield pattern


def _products(found: list[Indices]) -> list[list[Indices]]:
    """Index tuples as a few products of index sets."""
    if not found or not found[0]:
        return [[]]
    by_first: dict[int, list[Indices]] = defaultdict(list)
    for first, *rest in found:
        by_first[first].append(tuple(rest))
    by_rest: dict[tuple[Indices, ...], list[int]] = defaultdict(list)
    for first, rests in by_first.items():
        by_rest[tuple(rests)].append(first)
    return [[tuple(firsts), *tail] for rests, firsts in by_rest.items() for tail in _products(list(rests))]


def _written(numbers: Indices) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
    return text if len(numbers) == 1 else "{" + text + "}"


def _numbers(text: str) -> Iterator[int]:
    for run in text.split(","):
        first, _, last = run.partition("-")
        yield from range(int(first), int(last or first) + 1)
