"""What an index of pickles can be held to: its names, and the bytes it says that they add up to."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..checkpoint.result import Checkpoint
from .buffers import FREQUENCIES, MASK, NUMBER, POSITIONS
from .findings import Finding, Kind
from .matching import bits_of
from .sorting import Sorted

if TYPE_CHECKING:
    from ..model import Model

NOT_OPENED = "a pickle is never opened, so shapes and types are not checked"
WIDTHS = (2, 4, 8)  # bytes an element may have in a pickle, whose types nobody can look at
MASK_BITS = {1: "at a bit each", 8: "at a byte each", 16: "at 2 bytes each", 32: "at 4 bytes each"}
SIZED = frozenset({MASK, NUMBER, FREQUENCIES, POSITIONS})  # buffers whose size can be told without a header


def names_findings(model: Model, checkpoint: Checkpoint, found: Sorted) -> Iterator[Finding]:
    """The note that names alone were checked, with what `total_size` equals; another where it equals nothing known."""
    index = checkpoint.index
    file, claim = (PurePath(index.file).name, index.total_size) if index else ("", None)
    is_unsized = any(held.stored.is_unsized for held in found.matching.held)
    if claim is None or is_unsized or found.ahead or found.unexpected or found.missing:
        yield Finding(Kind.NAMES_ONLY, file, cause=NOT_OPENED)
        return
    sums = Sums.of(model, found)
    equal = next((how for how, value in sums.all() if sums.leaves(claim - value)), "")
    if not equal and not found.buffers:
        expected = " or ".join(f"{sums.bytes(width):,}" for width in WIDTHS)
        subject, why = f"total_size in {file}", "no sum of the sizes predicted"
        yield Finding(Kind.OTHER_TOTAL, subject, cause=why, expected=expected, found=f"{claim:,}")
    agrees = f"; its total_size is that of the tensors predicted, {equal}" if equal else ""
    yield Finding(Kind.NAMES_ONLY, file, cause=f"{NOT_OPENED}{agrees}")


@dataclass(frozen=True, slots=True)
class Sums:
    """The tensors named, and what stands beside them.

    `free` are elements of whatever width the writer chose, `fixed` the bytes of those whose type the config fixes,
    `tied` the elements of matrices that are there a second time, `buffers` how many there are of each kind; `context`
    and `width` (of a head) give those their sizes.
    """

    free: int
    fixed: int
    tied: int
    buffers: Counter[str]
    context: int
    width: int

    @classmethod
    def of(cls, model: Model, found: Sorted) -> Sums:
        """Added up for the tensors that were met."""
        tied = [(one.stored, one.stored.elements // one.stored.times) for one in found.tied]
        free = fixed = 0
        for stored, elements in (*((each.stored, each.elements) for each in found.matching.held), *tied):
            bits = (bits_of(stored.dtype) if stored.dtype else None) or 0
            fixed += elements * bits
            free += 0 if bits else elements
        matrices = sum(elements for stored, elements in tied if len(stored.shape) > 1)
        buffers = Counter(what for _, what in found.buffers.values())
        width = max((part.attends.key_width for part in model.parts if part.attends), default=0)
        return cls(free, fixed // 8, matrices, buffers, model.context or 0, width)

    def bytes(self, width: int) -> int:
        """With every element `width` bytes wide, where its type is not fixed."""
        return self.fixed + self.free * width

    def all(self) -> Iterator[tuple[str, int]]:
        """Every way to add them up, with the masks' bytes: how, in words, and how much."""
        for (how, value), (masks, more) in itertools.product(self._tensors(), self._masks()):
            yield how + masks, value + more

    def leaves(self, rest: int) -> bool:
        """Are so many bytes what the other buffers take? Frequencies are half a head or fewer, of 2 or 4 bytes."""
        if any(what not in SIZED for what in self.buffers):
            return False
        rest -= self.buffers[POSITIONS] * self.context * 8
        numbers, vectors = self.buffers[NUMBER], self.buffers[FREQUENCIES]
        for left in {rest - numbers * width for width in (2, 4)}:
            each, odd = divmod(left, vectors) if vectors else (0, left)
            if not odd and (not vectors or (0 < each <= self.width * 2 and each % 2 == 0)):
                return True
        return False

    def _tensors(self) -> Iterator[tuple[str, int]]:
        but = ", but for those of a fixed type" if self.fixed else ""
        for width in WIDTHS:
            yield f"at {width} bytes each{but}", self.bytes(width)
        for width in WIDTHS if self.tied else ():
            yield f"at {width} bytes each{but}, the tied matrices once", self.bytes(width) - self.tied * width

    def _masks(self) -> Iterator[tuple[str, int]]:
        elements = self.buffers[MASK] * self.context**2
        if not elements:
            yield "", 0
            return
        for bits, how in MASK_BITS.items():
            yield f", and of masks {how}", elements * bits // 8
