"""Tens of thousands of broken headers get the verdict that the safetensors package gives."""

from __future__ import annotations

import json
import random

import pytest
from safetensors import SafetensorError, deserialize

from archcount.checkpoint.dtypes import HEADER_BITS
from archcount.checkpoint.entries import Header, NoticeKind
from archcount.checkpoint.faults import HeaderError
from archcount.checkpoint.header import parse_header

from .files import prefixed

MUTATIONS = 40_000
TOKENS = [
    *(b"{", b"}", b"[", b"]", b":", b",", b'"', b"\\", b"\\u0061", b"\\ud800", b"\\ud83d\\ude00", b"null", b"true"),
    *(b"-", b"-0", b"0", b"00", b"1", b"1.0", b"1e2", b"1e999", b"18446744073709551615", b"18446744073709551616"),
    *(b" ", b"\n", b"\t", b"\x00", b"\x0b", b"\x7f", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"),
    *(b'"dtype"', b'"shape"', b'"data_offsets"', b'"F32"', b'"F4"', b'"F6_E3M2"', b'"BOOL"', b'"__metadata__"'),
    *(b"{}", b"[]", b'"x":1,', b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},', b'"__metadata__":{"a":"b"},'),
]


def _sound(chance: random.Random) -> tuple[bytes, int]:
    """A header that the format allows, and the bytes of its data."""
    at, entries = 0, {}
    for number in range(chance.randint(0, 4)):
        dtype = chance.choice(list(HEADER_BITS))
        shape = [chance.choice([0, 1, 2, 3, 4, 8]) for _ in range(chance.randint(0, 3))]
        bits = HEADER_BITS[dtype]
        for size in shape:
            bits *= size
        end = at + bits // 8
        entries[f"t{number}"] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
        at = end
    items = list(entries.items())
    chance.shuffle(items)
    marked = [("__metadata__", {"format": "pt"}), *items] if chance.random() < 0.5 else items
    separators = (",", ":") if chance.random() < 0.7 else (", ", ": ")
    return json.dumps(dict(marked), separators=separators).encode(), at


def _mutated(header: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        at, length = chance.randrange(len(header) + 1), chance.choice([0, 0, 1, 1, 2, 5])
        header = header[:at] + chance.choice([b"", *TOKENS]) + header[at + length :]
    return header


def _verdict(raw: bytes) -> dict[str, tuple[str, list[int], int]] | None:
    try:
        views = deserialize(raw)
    except SafetensorError:
        return None
    return {name: (view["dtype"], view["shape"], len(view["data"])) for name, view in views}


def _ours(raw: bytes) -> Header | None:
    try:
        return parse_header(raw, len(raw), "f")
    except HeaderError:
        return None


def _said(header: Header | None) -> dict[str, tuple[str, list[int], int]] | None:
    if header is None:
        return None
    return {name: (entry.dtype, list(entry.shape), entry.bytes) for name, entry in header.entries.items()}


@pytest.mark.parametrize("seed", range(4))
def test_same_verdict_on_mutated_headers(seed: int) -> None:
    chance = random.Random(seed)
    read = refused = 0
    for _ in range(MUTATIONS // 4):
        header, size = _sound(chance)
        header = _mutated(header, chance)
        raw = prefixed(header) + bytes(max(0, size + chance.choice([0] * 12 + [1, -1])))
        expected, header_read = _verdict(raw), _ours(raw)
        is_unknown = header_read is not None and any(
            notice.kind is NoticeKind.UNKNOWN_DTYPE for notice in header_read.notices
        )
        assert _said(header_read) == expected or (is_unknown and expected is None), raw
        read, refused = read + (expected is not None), refused + (expected is None)
    assert min(read, refused) > 1_500, (read, refused)


@pytest.mark.parametrize("seed", range(2))
def test_same_verdict_on_bytes_flipped_and_files_cut(seed: int) -> None:
    chance = random.Random(1000 + seed)
    for _ in range(5_000):
        header, size = _sound(chance)
        raw = bytearray(prefixed(header) + bytes(size))
        for _ in range(chance.randint(1, 3)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        broken = bytes(raw[: chance.choice([len(raw), len(raw), chance.randrange(len(raw) + 1)])])
        expected, header_read = _verdict(broken), _ours(broken)
        is_unknown = header_read is not None and any(
            notice.kind is NoticeKind.UNKNOWN_DTYPE for notice in header_read.notices
        )
        assert _said(header_read) == expected or (is_unknown and expected is None), broken
