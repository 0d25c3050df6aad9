"""Weight files for the tests, made of their bytes."""

from __future__ import annotations

import json


def prefixed(header: bytes) -> bytes:
    """A header with the eight bytes of its length before it."""
    return len(header).to_bytes(8, "little") + header


def file_of(header: str, data: bytes = b"") -> bytes:
    """A whole file of that header's text and those bytes of tensors."""
    return prefixed(header.encode()) + data


def tensors(count: int, prefix: str = "layers", width: int = 4) -> tuple[dict[str, object], int]:
    """The header of so many F32 tensors of `width` numbers, and the bytes of their data."""
    size = 4 * width
    names = [f"{prefix}.{number}.weight" for number in range(count)]
    header: dict[str, object] = {
        name: {"dtype": "F32", "shape": [width], "data_offsets": [at * size, (at + 1) * size]}
        for at, name in enumerate(names)
    }
    return header, count * size


def weights(count: int = 2, prefix: str = "layers", metadata: dict[str, str] | None = None) -> bytes:
    """A whole file of so many F32 tensors of four numbers."""
    header, size = tensors(count, prefix)
    marked = {"__metadata__": metadata, **header} if metadata is not None else header
    return file_of(json.dumps(marked, separators=(",", ":")), bytes(size))


def of_header_length(length: int) -> tuple[bytes, int]:
    """The start of a file whose header has exactly so many bytes, and the size of the whole file."""
    count = length // 90
    header, size = tensors(count)
    text = json.dumps(header, separators=(",", ":")).encode()
    assert len(text) <= length, "the padding must not be negative"
    return prefixed(text.ljust(length)), 8 + length + size
