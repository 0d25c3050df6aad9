"""What if, many times over: every combination of the values that some keys may take."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .costs.caches import Widths, cache_lines
from .costs.memory import bits_of
from .errors import UsageError
from .model import Model, load

MOST = 1000  # models


@dataclass(frozen=True, slots=True)
class Point:
    """One combination: its values, and what the model then counts to and costs, for one sequence."""

    values: Mapping[str, object]
    parameters: int
    active: int
    cache_bytes: int
    forward_per_token: int


def parse(settings: Iterable[str]) -> dict[str, list[object]]:
    """`["num_key_value_heads=1,2,4"]` as keys with their values; a JSON list is one value only within brackets.

    Raises UsageError: no `=`, or no value.
    """
    found: dict[str, list[object]] = {}
    for text in settings:
        key, sign, values = text.partition("=")
        if not sign or not key.strip() or not values:
            raise UsageError(f"--set {text!r}: write key=value,value, as in --set num_key_value_heads=1,2,4")
        found[key.strip()] = list(_values(values))
    return found


def _values(text: str) -> Iterator[object]:
    try:
        yield from json.loads(f"[{text}]")
    except ValueError:
        yield from (part.strip() for part in text.split(","))


def sweep(
    raw: Mapping[str, object],
    settings: Mapping[str, Sequence[object]],
    *,
    context: int,
    source: int | None = None,
    cache_dtype: str | None = None,
    as_type: str | None = None,
) -> list[Point]:
    """A point for each combination, the last key changing fastest.

    Raises UsageError: more than a thousand, or no data type for the cache. ConfigError: values that cannot go together.
    """
    combinations = list(itertools.islice(itertools.product(*settings.values()), MOST + 1))
    if len(combinations) > MOST:
        raise UsageError(f"--set: more than {MOST:,} combinations")
    chosen = [dict(zip(settings, values, strict=True)) for values in combinations]
    return [_point(load(raw, values, as_type=as_type), values, context, source, cache_dtype) for values in chosen]


def _point(
    model: Model, values: Mapping[str, object], context: int, source: int | None, cache_dtype: str | None
) -> Point:
    dtype = cache_dtype or model.dtype
    if dtype is None:
        raise UsageError("the config names no data type for the cache: give --cache-dtype")
    lines = cache_lines(model.parts, Widths(bits_of(dtype, "--cache-dtype")))
    flops = model.flops(context, source=source)
    kept = sum(line.bytes(context, 1, flops.source) for line in lines)
    return Point(values, model.totals.parameters, model.totals.active, kept, flops.forward_per_token)
