"""What a file holds for a row: the tensor as it is, or a packed one with its scales and zero points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..paths import Path, names, pattern, times
from ..rows import Row

ANY_LENGTH = -1
"""A dimension whose length is the writer's choice; such a tensor adds nothing to a predicted total of bookkeeping."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One distinct tensor of a file, with every place that holds it.

    `represents` is how many of the model's elements each one stands for: its own elements where nothing is packed,
    more where a word holds several weights, 0 for scales, zero points and other bookkeeping. `dtype` is a safetensors
    type, None for the model's own. `is_optional` marks what writers of the format may leave out; of it, what
    `is_foretold` says no to adds nothing to a predicted total, since most of them do.
    """

    path: Path
    shape: tuple[int, ...]
    row: Row
    represents: int
    dtype: str | None = None
    is_optional: bool = False
    is_foretold: bool = True

    @property
    def times(self) -> int:
        """How many tensors of this kind the file names."""
        return times(self.path)

    @property
    def elements(self) -> int:
        """Elements of all of them together, as stored; 0 where the length or the tensor is the writer's choice."""
        if ANY_LENGTH in self.shape or not self.is_foretold:
            return 0
        return math.prod(map(int, self.shape)) * self.times

    @property
    def is_unsized(self) -> bool:
        """True for weights whose packed size is the writer's choice: no total with them can be told."""
        return ANY_LENGTH in self.shape and not self.is_bookkeeping

    @property
    def is_uncounted(self) -> bool:
        """True for bookkeeping that files hold and no total has: a text, whose length is the writer's choice."""
        return ANY_LENGTH in self.shape and self.is_bookkeeping and self.is_foretold

    @property
    def pattern(self) -> str:
        """The names in one line."""
        return pattern(self.path)

    @property
    def is_bookkeeping(self) -> bool:
        """True for a tensor that stands for none of the model's elements."""
        return self.represents == 0

    def names(self) -> Iterator[str]:
        """Every full name, in file order."""
        return names(self.path)


def plain(row: Row) -> Stored:
    """The tensor as the model has it."""
    return Stored(row.path, row.tensor.shape, row, row.tensor.elements, row.tensor.dtype)


def packed(row: Row, name: str, shape: tuple[int, ...], dtype: str) -> Stored:
    """The tensor that stands for the weight: the last part of its path replaced by `name`."""
    return Stored((*row.path[:-1], name), shape, row, row.tensor.elements, dtype)


def beside(
    row: Row,
    name: str,
    shape: tuple[int, ...],
    dtype: str | None,
    *,
    is_optional: bool = False,
    is_foretold: bool = True,
) -> Stored:
    """A tensor of bookkeeping next to the weight."""
    return Stored((*row.path[:-1], name), shape, row, 0, dtype, is_optional, is_foretold)
