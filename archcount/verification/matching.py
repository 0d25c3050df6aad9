"""Names, shapes and types of a prediction held against the entries of headers, all names at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from ..checkpoint.dtypes import HEADER_BITS, config_bits, header_bits, is_alike
from ..checkpoint.entries import Entry
from ..quantization import ANY_LENGTH, Stored

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """`count` tensors of one kind that are in the files with the shape predicted; `elements` of all of them."""

    stored: Stored
    count: int
    elements: int


@dataclass(frozen=True, slots=True)
class Differing:
    """One tensor that is in the files, but not as predicted: of another shape, or of another type."""

    name: str
    stored: Stored
    entry: Entry


@dataclass(slots=True)
class Matching:
    """Every predicted tensor found or absent, and the entries that no prediction has claimed.

    `names_only`: the entries' shapes and types say nothing, so those predicted are taken for them.
    """

    held: list[Held] = field(default_factory=list)
    misshapen: list[Differing] = field(default_factory=list)
    mistyped: list[Differing] = field(default_factory=list)
    absent: dict[str, Stored] = field(default_factory=dict)
    rest: dict[str, Entry] = field(default_factory=dict)
    names_only: bool = False

    def take(self, stored: Stored, entries: Mapping[str, Entry], dtype: str | None) -> None:
        """Hold these entries, by their names in the file, against one kind of tensor."""
        if self.names_only and entries:
            each = stored.elements // stored.times
            self.held.append(Held(stored, len(entries), each * len(entries)))
            return
        shape, accepted = shape_of(stored), accepted_types(stored.dtype or dtype)
        odd = [
            Differing(name, stored, entry)
            for name, entry in entries.items()
            if entry.shape != shape or (accepted is not None and entry.dtype not in accepted)
        ]  # nearly always none, of a hundred thousand
        right: list[Differing] = []
        for differing in odd:
            is_right = differing.entry.shape == shape or _fits(differing.entry.shape, stored)
            (right if is_right else self.misshapen).append(differing)
        if accepted is not None:
            self.mistyped += (differing for differing in right if differing.entry.dtype not in accepted)
        if count := len(entries) - len(odd) + len(right):
            rest = (count - len(right)) * math.prod(shape)
            self.held.append(Held(stored, count, rest + sum(differing.entry.elements for differing in right)))


def match(
    stored: tuple[Stored, ...], entries: Mapping[str, Entry], dtype: str | None, *, names_only: bool = False
) -> Matching:
    """Claim for each predicted tensor the entry of its name; `dtype` is the config's own, None where it names none."""
    matching = Matching(rest=dict(entries), names_only=names_only)
    pop = matching.rest.pop
    for each in stored:
        found: dict[str, Entry] = {}
        for name in each.names():
            entry = pop(name, None)
            if entry is None:
                matching.absent[name] = each
            else:
                found[name] = entry
        matching.take(each, found, dtype)
    return matching


def shape_of(stored: Stored) -> Shape:
    """The predicted shape as plain numbers, as headers have them."""
    return tuple(map(int, stored.shape))


@cache
def accepted_types(dtype: str | None) -> frozenset[str] | None:
    """The header types as wide as `dtype`; None where anything will do, since nobody says how wide it should be.

    A whole number is not taken for a fraction; a U8 is, since writers pack what they like into one.
    """
    bits = bits_of(dtype) if dtype else None
    if dtype is None or bits is None:
        return None
    return frozenset(name for name, width in HEADER_BITS.items() if width == bits and is_alike(name, dtype))


def bits_of(dtype: str) -> int | None:
    """Bits of one element, as headers or as configs spell the type."""
    return header_bits(dtype) or config_bits(dtype)


def _fits(shape: Shape, stored: Stored) -> bool:
    """The shapes that differ and mean the same: of a length that is the writer's, and one number as `[]` or `[1]`."""
    predicted = shape_of(stored)
    if ANY_LENGTH in predicted:
        pairs = zip(shape, predicted, strict=False)
        alike = all(size == found or (size == ANY_LENGTH and found > 0) for found, size in pairs)
        return len(shape) == len(predicted) and alike
    return stored.is_bookkeeping and {*shape, *predicted} <= {1}
