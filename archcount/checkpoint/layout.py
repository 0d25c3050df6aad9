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
    ordered = dict(sorted(entries.items(), key=lambda item: item[1].data_offsets))
    at = 0
    for name, entry in ordered.items():
        _check_offsets(name, entry, at, file)
        _check_length(name, entry, file)
        at = entry.data_offsets[1]
    return ordered


def check_end(entries: dict[str, Entry], start: int, file_size: int, file: str) -> None:
    """Hold the last byte of the last of the ordered entries against the end of the file, all in bytes.

    Raises FileLengthError.
    """
    data = next(reversed(entries.values())).data_offsets[1] if entries else 0
    if start + data != file_size:
        problem = "cut short: download it again" if start + data > file_size else "followed by bytes no tensor owns"
        raise FileLengthError(
            f"{file}: the header asks for {start + data:,} bytes, the file has {file_size:,}: {problem}"
        )


def _check_offsets(name: str, entry: Entry, at: int, file: str) -> None:
    begin, end = entry.data_offsets
    if end < begin:
        raise OffsetsReversedError(f"{file}: {name} ends at byte {end:,}, before it begins")
    if begin > at:
        raise OffsetsHoleError(f"{file}: {begin - at:,} bytes before {name} belong to no tensor")
    if begin < at:
        raise OffsetsOverlapError(f"{file}: {name} begins {at - begin:,} bytes inside another tensor")


def _check_length(name: str, entry: Entry, file: str) -> None:
    elements = 1
    for size in entry.shape:
        elements = _in_64_bits(elements * size, name, file)
    width = header_bits(entry.dtype)
    if width is None:
        return
    bits = _in_64_bits(elements * width, name, file)
    if bits % 8:
        raise PartialByteError(f"{file}: {name} has {elements:,} elements of {width} bits, no whole bytes")
    if bits // 8 != entry.bytes:
        shown = "×".join(map(str, entry.shape)) or "scalar"
        message = f"{name}, {shown} {entry.dtype}, takes {bits // 8:,} bytes, its offsets give {entry.bytes:,}"
        raise ByteLengthError(f"{file}: {message}")


def _in_64_bits(product: int, name: str, file: str) -> int:
    if product > LARGEST:
        raise SizeOverflowError(f"{file}: the shape of {name} overflows 64 bits: no tensor is that large")
    return product
