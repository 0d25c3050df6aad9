"""Where a tensor or a module stands in a model: the steps of its name, with the numbers of all its equals at once."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

Step = str | Sequence[int]
Path = tuple[Step, ...]


def times(path: Path) -> int:
    """How many names a path stands for."""
    count = 1
    for step in path:  # asked of every row several times: a loop is three times as fast as math.prod here
        if not isinstance(step, str):
            count *= len(step)
    return count


def pattern(path: Iterable[Step]) -> str:
    """A path in one line, its numbers in braces: `model.layers.{0-31}.mlp`."""
    return ".".join(step if isinstance(step, str) else span(step) for step in path)


def names(path: Path) -> Iterator[str]:
    """Every name a path stands for, in order."""
    choices = ((step,) if isinstance(step, str) else map(str, step) for step in path)
    return map(".".join, itertools.product(*choices))


def words(path: Path) -> tuple[str, ...]:
    """The steps that are no numbers: `model`, `layers`, `mlp`."""
    return tuple(step for step in path if isinstance(step, str))


def numbers(path: Path) -> list[Sequence[int]]:
    """The steps that are numbers: those of the layers, then those of their experts."""
    return [step for step in path if not isinstance(step, str)]


def layer_of(path: Path) -> Path:
    """The path up to its first numbers: the layers something stands in; () outside of them."""
    for at, step in enumerate(path, 1):
        if not isinstance(step, str):
            return path[:at]
    return ()


def layer_numbers(path: Path) -> Sequence[int]:
    """The numbers of the layers something stands in; () outside of them."""
    return next((step for step in path if not isinstance(step, str)), ())


def products(found: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], ...]]:
    """Tuples of indices as a few products of sets of indices."""
    if not found[0]:
        return [()]
    by_first: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for first, *rest in found:
        by_first[first].append(tuple(rest))
    by_rest: dict[tuple[tuple[int, ...], ...], list[int]] = defaultdict(list)
    for first, rests in by_first.items():
        by_rest[tuple(rests)].append(first)
    return [(tuple(firsts), *tail) for rests, firsts in by_rest.items() for tail in products(list(rests))]


def span(where: Sequence[int]) -> str:
    """Indices in one word: `7`, `{0-31}`, `{0-4,6-10}`, `{0,2,4}`."""
    if len(where) == 1:
        return f"{where[0]}"
    return "{" + spans(where, "-") + "}"


def spans(where: Sequence[int], dash: str = "–") -> str:
    """Indices as runs: `3–60`, `0–4,6–10`."""
    if isinstance(where, range):
        return f"{where[0]}{dash}{where[-1]}" if len(where) > 1 else f"{where[0]}"
    runs: list[list[int]] = []
    for index in where:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(f"{first}" if first == last else f"{first}{dash}{last}" for first, last in runs)
