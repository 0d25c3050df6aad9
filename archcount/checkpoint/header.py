"""A safetensors header: bytes in, one entry a tensor out, or the one thing that is wrong with them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import msgspec

from .dtypes import HEADER_BITS
from .entries import Entry, Header, Notice, NoticeKind
from .faults import (
    FileTooShortError,
    HeaderError,
    HeaderNotJsonError,
    HeaderTooLargeError,
    HeaderTruncatedError,
    WrongFormatError,
)
from .formats import other_format
from .layout import check_end, check_layout
from .strict import METADATA, Parsed, parse

PREFIX = 8  # bytes of the header's length, little endian
LARGEST_HEADER = 100_000_000  # bytes, the format's own limit

_FAR_ENOUGH = 2**60  # bytes; beyond, a length in bits may not fit in the reference's 64
_METADATA_FIRST = re.compile(
    rb'[ \t\n\r]*\{[ \t\n\r]*"__metadata__"[ \t\n\r]*:[ \t\n\r]*(\{[^{}\\]*\})[ \t\n\r]*(?:(,)(?=[ \t\n\r]*")|\})'
)


_ENTRIES = msgspec.json.Decoder(dict[str, Entry])
_STRINGS = msgspec.json.Decoder(dict[str, str])


def header_length(first: bytes, file_size: int | None, file: str) -> int:
    """The bytes of JSON that follow the first eight, from a file's first bytes.

    Raises FileTooShortError, HeaderTooLargeError, HeaderTruncatedError, HeaderNotJsonError, WrongFormatError.
    """
    if len(first) < PREFIX:
        message = f"{len(first)} bytes, too short for a header: download it again"
        raise _fault(FileTooShortError, message, first, file)
    length = int.from_bytes(first[:PREFIX], "little")
    if length > LARGEST_HEADER:
        message = f"a header of {length:,} bytes, where the format stops at {LARGEST_HEADER:,}: no safetensors file"
        raise _fault(HeaderTooLargeError, message, first, file)
    if file_size is not None and PREFIX + length > file_size:
        message = f"a header of {length:,} bytes in a file of {file_size:,}: download it again"
        raise _fault(HeaderTruncatedError, message, first, file)
    if length == 0 or (len(first) > PREFIX and first[PREFIX] not in b" \t\r\n{"):
        raise _fault(HeaderNotJsonError, "the header is not a JSON object: no safetensors file", first, file)
    return length


def parse_header(first: bytes, file_size: int | None, file: str) -> Header:
    """The header in a file's first bytes (the eight of its length and the JSON; more is passed over).

    `file_size` in bytes, None where nobody knows it: then the end of the file is not checked and a notice says so.
    Raises a HeaderError: one class a fault, the same verdict as safetensors 0.8.0 except that an unknown dtype counts.
    """
    length = header_length(first, file_size, file)
    raw = first[PREFIX : PREFIX + length]
    if len(raw) < length:
        raise HeaderTruncatedError(f"{file}: {len(raw):,} of the header's {length:,} bytes: download it again")
    parsed = _quick(raw) or _slow(raw, first, file)
    entries, notices = parsed.entries, parsed.notices
    if file_size is None:
        message = f"{file}: the server did not tell the file's size, so its end is not checked"
        notices = (*notices, Notice(NoticeKind.UNKNOWN_SIZE, file, file, message))
    else:
        check_end(entries, PREFIX + length, file_size, file)
    return Header(entries, parsed.metadata, length, (*_leading_space(raw, file), *notices))


def _quick(raw: bytes) -> Parsed | None:
    """What typed decoding reads, or None where anything asks for a closer look.

    Four colons a tensor leave no room for a name or a field that repeats; a backslash could hide one.
    """
    if b"\\" in raw or (b"-" in raw and b"-0" in raw):  # one byte is found ten times as fast as two
        return None
    metadata: dict[str, str] = {}
    try:
        match = _METADATA_FIRST.match(raw)
        if match:
            metadata = _STRINGS.decode(match[1])
            raw = b"{" + raw[match.end() :] if match[2] else b"{}" + raw[match.end() :]
        entries = _ENTRIES.decode(raw)
    except msgspec.DecodeError:
        return None
    if raw.count(b":") != 4 * len(entries) or METADATA in entries or not _are_sound(entries):
        return None
    return Parsed(entries, metadata)


def _are_sound(entries: Mapping[str, Entry]) -> bool:
    """Does every tensor follow the one before and fill its bytes?"""
    at = 0
    bits, product = dict(HEADER_BITS), math.prod  # a plain dict, and local, for the sake of ninety thousand tensors
    for entry in entries.values():
        begin, end = entry.data_offsets
        width, elements = bits.get(entry.dtype, 0), product(entry.shape)
        if begin != at or elements * width != (end - begin) * 8 or elements <= 0 or not width:
            return False
        at = end
    return at <= _FAR_ENOUGH


def _slow(raw: bytes, first: bytes, file: str) -> Parsed:
    try:
        parsed = parse(raw, file)
    except HeaderNotJsonError as error:
        other = other_format(first)
        raise (_wrong_format(*other, file) if other else error) from None
    entries = check_layout(parsed.entries, file)
    return Parsed(entries, parsed.metadata, (*parsed.notices, *_unknown_dtypes(entries, file)))


def _fault(kind: type[HeaderError], message: str, first: bytes, file: str) -> HeaderError:
    """The fault, or the plainer one that the file is of another format."""
    other = other_format(first)
    return _wrong_format(*other, file) if other else kind(f"{file}: {message}")


def _wrong_format(name: str, mend: str, file: str) -> WrongFormatError:
    return WrongFormatError(f"{file}: {name}, not safetensors: {mend}")


def _leading_space(raw: bytes, file: str) -> tuple[Notice, ...]:
    if raw.startswith(b"{"):
        return ()
    message = f"{file}: the header does not start with {{, as the format asks; other readers let it through"
    return (Notice(NoticeKind.LEADING_SPACE, file, file, message),)


def _unknown_dtypes(entries: Mapping[str, Entry], file: str) -> tuple[Notice, ...]:
    """One notice a dtype that the format does not know: its elements count, its width comes from the offsets."""
    unknown: dict[str, list[int | None]] = {}
    for entry in entries.values():
        if entry.dtype not in HEADER_BITS:
            unknown.setdefault(entry.dtype, []).append(entry.bits)
    return tuple(
        Notice(NoticeKind.UNKNOWN_DTYPE, file, dtype, f"{file}: {_unknown(dtype, bits)}")
        for dtype, bits in unknown.items()
    )


def _unknown(dtype: str, bits: Sequence[int | None]) -> str:
    """`bits` has the width of each of its tensors, None where their bytes give no whole number."""
    widths = sorted(f"{width} bits" if width else "no whole bits" for width in set(bits))
    return (
        f"dtype {dtype!r}, unknown to the format, on {len(bits):,} of its tensors: {' or '.join(widths)} by the offsets"
    )
