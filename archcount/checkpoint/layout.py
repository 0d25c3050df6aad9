"""Whether the tensors of a header fill its file: no hole, no overlap, and each as long as its shape says."""

from __future__ import annotations

from collections.abc import Mapping

from .dtypes import header_bits
from .entries import Entry
from .faults import (
    ByteLengthError,
    FileLengthError,
    OffsetsHoleError,
    OffsetsOverlapError,
    OffsetsReversedError,
    PartialByteError,
    SizeOverflowError,
)

LARGEST = 2**64 - 1  # the reference computes in 64 bits, step by step, and refuses where a step does not fit


def check_layout(entries: Mapping[str, Entry], file: str) -> dict[str, Entry]:
    """The same entries in the order of their bytes.

    Raises OffsetsHoleError, OffsetsOverlapError, OffsetsReversedError, SizeOverflowError, PartialByteError,
    ByteLengthError. An unknown dtype has no width to check.
    """
    ordered = dict(sorted(entries.items(), key=lambda item: (item[1].begin, item[1].end)))
    at = 0
    for entry in ordered.values():
        _check_offsets(entry, at, file)
        _check_length(entry, file)
        at = entry.end
    return ordered


def check_end(entries: dict[str, Entry], start: int, file_size: int, file: str) -> None:
    """Hold the last byte of the last of the ordered entries against the end of the file, all in bytes.

    Raises FileLengthError.
    """
    data = next(reversed(entries.values())).end if entries else 0
    if start + data != file_size:
        problem = "cut short: download it again" if start + data > file_size else "followed by bytes no tensor owns"
        raise FileLengthError(
            f"{file}: the header asks for {start + data:,} bytes, the file has {file_size:,}: {problem}"
        )


def _check_offsets(entry: Entry, at: int, file: str) -> None:
    if entry.end < entry.begin:
        raise OffsetsReversedError(f"{file}: {entry.name} ends at byte {entry.end:,}, before it begins")
    if entry.begin > at:
        raise OffsetsHoleError(f"{file}: {entry.begin - at:,} bytes before {entry.name} belong to no tensor")
    if entry.begin < at:
        raise OffsetsOverlapError(f"{file}: {entry.name} begins {at - entry.begin:,} bytes inside another tensor")


def _check_length(entry: Entry, file: str) -> None:
    elements = 1
    for size in entry.shape:
        elements = _in_64_bits(elements * size, entry, file)
    width = header_bits(entry.dtype)
    if width is None:
        return
    bits = _in_64_bits(elements * width, entry, file)
    if bits % 8:
        raise PartialByteError(f"{file}: {entry.name} has {elements:,} elements of {width} bits, no whole bytes")
    if bits // 8 != entry.bytes:
        shown = "×".join(map(str, entry.shape)) or "scalar"
        message = f"{entry.name}, {shown} {entry.dtype}, takes {bits // 8:,} bytes, its offsets give {entry.bytes:,}"
        raise ByteLengthError(f"{file}: {message}")


def _in_64_bits(product: int, entry: Entry, file: str) -> int:
    if product > LARGEST:
        raise SizeOverflowError(f"{file}: the shape of {entry.name} overflows 64 bits: no tensor is that large")
    return product
