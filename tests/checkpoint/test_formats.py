"""Other formats are told by their first bytes, and what tells nothing is left alone."""

from __future__ import annotations

import pytest

from archcount.checkpoint.formats import other_format


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (b"\x80\x02}q\0", "a pickle"),
        (b"\x80\x05\x95", "a pickle"),
        (b"PK\x03\x04", "a zip archive (as torch.save writes)"),
        (b"GGUF\x03", "a GGUF file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\n <!DOCTYPE HTML>", "an HTML page"),
        (b"<?xml version", "an XML page"),
        (b'{\n  "weight_map"', "a JSON file"),
    ],
)
def test_a_format_is_named(first: bytes, name: str) -> None:
    found = other_format(first)
    assert found is not None
    assert found[0] == name


@pytest.mark.parametrize("first", [b"", b"\x80", b"\x80\x06", b"PK", b"8\0\0\0\0\0\0\0{}", b" GGUF", b"{", b"x<html>"])
def test_what_tells_nothing(first: bytes) -> None:
    assert other_format(first) is None
