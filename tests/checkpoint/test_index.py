"""An index file's names, files and claims; it may not point out of its folder."""

from __future__ import annotations

import pytest

from archcount.checkpoint.faults import IndexFileError
from archcount.checkpoint.index import parse_index, split_shards

RAW = b'{"metadata":{"total_size":3.0,"total_parameters":7},"weight_map":{"a":"2.safetensors","b":"1.safetensors"}}'


def test_names_files_and_claims() -> None:
    index = parse_index(RAW, "index.json")
    assert dict(index.weight_map) == {"a": "2.safetensors", "b": "1.safetensors"}
    assert (index.total_size, index.metadata["total_parameters"]) == (3, 7)
    assert index.files == ("1.safetensors", "2.safetensors")
    assert split_shards(index, ["2.safetensors", "3.safetensors"]) == (("2.safetensors",), ("1.safetensors",))


def test_a_byte_order_mark_before_it_is_passed_over() -> None:
    assert parse_index(b"\xef\xbb\xbf" + RAW, "index.json") == parse_index(RAW, "index.json")


@pytest.mark.parametrize("claim", ["null", '"7"', "true", "7.5", "[7]"])
def test_a_claim_that_is_no_whole_number_is_none(claim: str) -> None:
    index = parse_index(f'{{"metadata":{{"total_size":{claim}}},"weight_map":{{}}}}'.encode(), "index.json")
    assert index.total_size is None


@pytest.mark.parametrize("raw", [b'{"weight_map":{}}', b'{"metadata":null,"weight_map":{}}'])
def test_an_index_may_claim_nothing(raw: bytes) -> None:
    assert parse_index(raw, "index.json").total_size is None


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"\xff", b'{"weight_map":{"a":1}}', b"[" * 100_000])
def test_no_index(raw: bytes) -> None:
    with pytest.raises(IndexFileError, match=r"^index\.json: "):
        parse_index(raw, "index.json")


@pytest.mark.parametrize(
    "shard", ["../x", "/etc/passwd", "a/../../x", "C:/x", "..\\\\x", "", "http://host/x", "a\\u0000"]
)
def test_an_index_may_not_point_out_of_its_folder(shard: str) -> None:
    with pytest.raises(IndexFileError, match="outside of its folder"):
        parse_index(f'{{"weight_map":{{"a":"{shard}"}}}}'.encode(), "index.json")
