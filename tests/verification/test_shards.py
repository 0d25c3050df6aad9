"""Index against headers in both directions, shards that are missing, and shards that are there twice."""

from __future__ import annotations

from pathlib import Path

import archcount
from archcount import Finding
from archcount.verification.findings import Kind

from . import tiny
from .files import write_headers, write_index, write_shards

FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
SIZE = 2 * 1_512


def findings(folder: Path, kind: Kind) -> list[Finding]:
    return [finding for finding in archcount.verify(tiny.CONFIG, folder).findings if finding.kind is kind]


def test_a_name_that_only_the_index_has(tmp_path: Path) -> None:
    weight_map = write_shards(tmp_path, tiny.tensors(), 2)
    write_index(tmp_path, {**weight_map, "model.layers.2.mlp.up_proj.weight": SECOND}, {"total_size": SIZE})
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.kind, finding.subject) == (Kind.INDEX_DISAGREES, "model.layers.2.mlp.up_proj.weight")
    assert finding.cause == "in the index, and in no header"


def test_a_name_that_only_a_header_has(tmp_path: Path) -> None:
    weight_map = write_shards(tmp_path, tiny.tensors(), 2)
    del weight_map["lm_head.weight"]
    write_index(tmp_path, weight_map, {"total_size": SIZE})
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.kind, finding.subject) == (Kind.INDEX_DISAGREES, "lm_head.weight")
    assert finding.cause == "in a header, and not in the index: a loader passes it over"


def test_a_name_in_another_shard(tmp_path: Path) -> None:
    weight_map = write_shards(tmp_path, tiny.tensors(), 2)
    write_index(tmp_path, {**weight_map, "lm_head.weight": FIRST}, {"total_size": SIZE})
    (finding,) = findings(tmp_path, Kind.INDEX_DISAGREES)
    assert (finding.subject, finding.cause) == ("lm_head.weight", "in another shard than the index says")


def test_a_shard_that_is_not_there(tmp_path: Path) -> None:
    weight_map = write_shards(tmp_path, tiny.tensors(), 2)
    (tmp_path / SECOND).unlink()
    gone = sum(file == SECOND for file in weight_map.values())
    (finding,) = findings(tmp_path, Kind.SHARD_MISSING)
    assert (finding.subject, finding.cause) == (SECOND, f"{gone} tensors are in it by the index")
    missing = findings(tmp_path, Kind.MISSING)
    assert sum(finding.count for finding in missing) == gone
    assert {finding.cause for finding in missing} == {f"in {SECOND}, which is missing"}
    assert findings(tmp_path, Kind.INDEX_DISAGREES) == []
    assert findings(tmp_path, Kind.WRONG_TOTAL) == []  # nobody can tell without the shard


def test_the_numbering_asks_for_a_shard_where_there_is_no_index(tmp_path: Path) -> None:
    write_headers(tmp_path / FIRST, tiny.tensors())
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.kind, finding.subject) == (Kind.SHARD_MISSING, SECOND)
    assert finding.cause == "the numbering of the others asks for it"


def test_the_same_shard_twice(tmp_path: Path) -> None:
    for file in (FIRST, SECOND):
        write_headers(tmp_path / file, tiny.tensors())
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.kind, finding.subject) == (Kind.IDENTICAL_SHARDS, f"{FIRST}, {SECOND}")


def test_one_tensor_in_two_shards(tmp_path: Path) -> None:
    write_headers(tmp_path / FIRST, tiny.tensors())
    write_headers(tmp_path / SECOND, [("model.norm.weight", "BF16", [8])])
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.kind, finding.subject) == (Kind.STORED_TWICE, "model.norm.weight")


def test_what_is_in_two_shards_is_stored_twice(tmp_path: Path) -> None:
    write_headers(tmp_path / FIRST, tiny.tensors())
    write_headers(tmp_path / SECOND, [("model.norm.weight", "BF16", [8])])
    answer = archcount.verify(tiny.CONFIG, tmp_path)
    assert [(step.label, step.elements, step.total) for step in answer.ladder[:2]] == [
        ("stored elements", None, 1_520),
        ("less what is in several shards", -8, 1_512),
    ]


def test_an_odd_header_is_a_note(tmp_path: Path) -> None:
    text = b' {"model.norm.weight":{"dtype":"BF16","shape":[8],"data_offsets":[0,16]}}'
    (tmp_path / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(16))
    (finding,) = findings(tmp_path, Kind.ODD_HEADER)
    assert finding.is_note
