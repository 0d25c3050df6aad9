"""What a header says: one entry a tensor, and what was odd but allowed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import msgspec

from .dtypes import header_bits


class Entry(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One tensor of a file, as the header has it: its dtype in the file's spelling, its shape, where its bytes are."""

    dtype: str
    shape: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    data_offsets: tuple[int, int]  # bytes, from the first to before the last, counted from the end of the header

    @property
    def elements(self) -> int:
        """How many numbers the shape holds."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """How many bytes the file gives it."""
        begin, end = self.data_offsets
        return end - begin

    @property
    def bits(self) -> int | None:
        """Bits of one element; of an unknown dtype what the offsets say, or None where that is no whole number."""
        known = header_bits(self.dtype)
        if known is not None:
            return known
        width, rest = divmod(self.bytes * 8, self.elements or 1)
        return width if width and not rest else None


UNKNOWN = Entry("", (0,), (0, 0))
"""Of a name in an index of pickles, of which nothing else is known."""


class NoticeKind(StrEnum):
    """What is odd about a file, though it can be read."""

    DUPLICATE_KEY = "duplicate key"
    LEADING_SPACE = "leading space"
    UNKNOWN_DTYPE = "unknown dtype"
    UNKNOWN_SIZE = "unknown size"


@dataclass(frozen=True, slots=True)
class Notice:
    """One oddity: of which file, about what (a tensor name, a dtype), in one line."""

    kind: NoticeKind
    file: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Header:
    """A header that passed every check of the format; `entries` by name, in the order of their bytes."""

    entries: Mapping[str, Entry]
    metadata: Mapping[str, str]
    length: int
    notices: tuple[Notice, ...] = ()
