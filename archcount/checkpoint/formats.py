"""Which other format a file is, told by its first bytes; nothing here opens one."""

from __future__ import annotations

ENOUGH = 64  # bytes that tell every format below

_ENDS_IN_A_POINTER = "fetch the weights with `git lfs pull`"
_IS_A_PICKLE = "a pickle is a program and is never opened; convert it to safetensors"
_IS_A_PAGE = "the server gave a page, not the file; check the address and the token"

_FIRST_BYTES: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive (as torch.save writes)", _IS_A_PICKLE),
    (b"GGUF", "a GGUF file", "name it so that it ends in .gguf"),
    (b"version https://git-lfs", "a Git LFS pointer", _ENDS_IN_A_POINTER),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "convert it to safetensors"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"\x93NUMPY", "a NumPy array", "convert it to safetensors"),
    (b"<!doctype html", "an HTML page", _IS_A_PAGE),
    (b"<html", "an HTML page", _IS_A_PAGE),
    (b"<?xml", "an XML page", _IS_A_PAGE),
)


def other_format(first: bytes) -> tuple[str, str] | None:
    """What the file is instead of safetensors and what mends it, or None where its first bytes say nothing.

    A short header's length can begin like another format, so this explains a refusal and never causes one.
    """
    if first[:1] == b"\x80" and first[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "a pickle", _IS_A_PICKLE
    start = first[:ENOUGH].lstrip().lower()
    for magic, name, mend in _FIRST_BYTES:
        if first.startswith(magic) or (magic.startswith(b"<") and start.startswith(magic)):
            return name, mend
    if start.startswith((b'{"', b"{\n", b"{ ")):
        return "a JSON file", "give the weights, not the config or index"
    return None
