"""The files that llama.cpp's converter made of tiny models: names and shapes as recorded by tests/record_gguf.py."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from math import prod
from pathlib import Path
from typing import Any

import gguf
import pytest

import archcount
from archcount import Verdict, Verification
from archcount.checkpoint.entries import Entry, Header
from archcount.checkpoint.faults import GgufError
from archcount.checkpoint.result import Checkpoint, Kind, Shard, assemble

from ...architectures.patterns import expand

RECORDS = [json.loads(line) for line in Path(__file__).with_name("recorded.jsonl").read_text().splitlines()]
NEWER = {("clip", "gemma4_unified"), ("clip", "minicpmv4_6")}  # whose names the gguf package 0.19 does not have yet
KNOWN = frozenset(gguf.MODEL_ARCH_NAMES.values())


def pair(record: dict[str, Any]) -> tuple[str, str]:
    return record["metadata"]["general.architecture"], record["config"]["model_type"]


def checkpoint_of(shapes: dict[str, tuple[int, ...]], metadata: dict[str, str]) -> Checkpoint:
    """One file, 4 bytes an element."""
    ends = accumulate((4 * prod(shape) for shape in shapes.values()), initial=0)
    offsets = pairwise(ends)
    entries = {name: Entry("F32", shape, next(offsets)) for name, shape in shapes.items()}
    return assemble("model.gguf", Kind.GGUF, [Shard("model.gguf", None, Header(entries, metadata, 0))])


def verified(record: dict[str, Any]) -> Verification:
    return archcount.verify(record["config"], checkpoint_of(dict(expand(record["tensors"])), record["metadata"]))


@pytest.mark.parametrize(
    "record", [each for each in RECORDS if pair(each)[0] in KNOWN], ids=lambda each: "/".join(pair(each))
)
def test_a_file_of_the_converter_matches(record: dict[str, Any]) -> None:
    try:
        answer = verified(record)
    except GgufError as error:
        assert (pair(record) in NEWER, "has no name for" in str(error)) == (True, True)
        return
    assert [finding for finding in answer.findings if not finding.is_note] == []
    *_, sum_of_steps, own = [step.total for step in answer.ladder if not step.is_aside]
    assert sum_of_steps == own == answer.declared


@pytest.mark.parametrize(
    "record", [each for each in RECORDS if pair(each)[0] not in KNOWN], ids=lambda each: "/".join(pair(each))
)
def test_an_architecture_newer_than_the_package_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises(GgufError, match="is unknown to the gguf package"):
        verified(record)


def test_a_width_of_another_model_is_a_mismatch() -> None:
    record = next(each for each in RECORDS if pair(each) == ("qwen3moe", "qwen3_moe"))
    config = {**record["config"], "moe_intermediate_size": record["config"]["moe_intermediate_size"] * 2}
    answer = verified({**record, "config": config})
    assert answer.verdict is Verdict.MISMATCH
    assert {finding.kind.value for finding in answer.findings} == {"wrong shape"}


def test_a_tensor_that_was_lost_is_missing() -> None:
    record = next(each for each in RECORDS if pair(each) == ("clip", "qwen3_vl"))
    shapes = dict(expand(record["tensors"]))
    del shapes["v.patch_embd.weight.1"]
    missing, left_out = archcount.verify(record["config"], checkpoint_of(shapes, record["metadata"])).findings
    assert (missing.kind.value, missing.subject) == ("missing", "v.patch_embd.weight.1")
    assert (left_out.kind.value, left_out.count, left_out.elements) == ("left out", 36, 2_197_440)


def test_what_another_file_holds_is_a_note() -> None:
    """Qwen3-VL's tower and projector, beside a file of the language model; BERT's pooler, which no file has."""
    told = {}
    for names in (("qwen3vl", "qwen3_vl"), ("bert", "bert")):
        answer = verified(next(each for each in RECORDS if pair(each) == names))
        assert answer.verdict is Verdict.MATCH_WITH_NOTES
        told[names[0]] = [(each.kind.value, each.count, each.elements, each.cause[:10]) for each in answer.findings]
    assert told == {
        "qwen3vl": [("left out", 52, 759_424, "vision: fi"), ("left out", 18, 1_184_256, "projector:")],
        "bert": [("left out", 2, 65_792, "main: file")],
    }


@pytest.mark.parametrize("met", ["blk.blk.1.attn_norm.weight", "model.blk.1.attn_norm.weight"])
def test_a_name_has_no_other_spelling(met: str) -> None:
    record = next(each for each in RECORDS if pair(each) == ("qwen3moe", "qwen3_moe"))
    shapes = dict(expand(record["tensors"]))
    shapes[met] = shapes.pop("blk.1.attn_norm.weight")
    findings = archcount.verify(record["config"], checkpoint_of(shapes, record["metadata"])).findings
    told = [(finding.kind.value, finding.subject) for finding in findings]
    assert told == [("missing", "blk.1.attn_norm.weight"), ("unexpected", met)]


def test_a_head_does_not_stand_for_the_table_it_is_tied_to() -> None:
    """llama.cpp takes the table for the head, never the head for the table."""
    record = next(each for each in RECORDS if pair(each) == ("glm4moe", "sarvam_moe"))
    shapes = dict(expand(record["tensors"]))
    del shapes["token_embd.weight"]
    findings = archcount.verify(record["config"], checkpoint_of(shapes, record["metadata"])).findings
    assert [finding.subject for finding in findings if not finding.is_note] == ["token_embd.weight"]


def test_gates_and_ups_of_experts_in_one_tensor() -> None:
    record = next(each for each in RECORDS if pair(each) == ("qwen3moe", "qwen3_moe"))
    shapes: dict[str, tuple[int, ...]] = {}
    for name, shape in expand(record["tensors"]):
        if "ffn_gate_exps" in name:
            experts, inner, width = shape
            shapes[name.replace("gate", "gate_up")] = (experts, 2 * inner, width)
        elif "ffn_up_exps" not in name:
            shapes[name] = shape
    assert archcount.verify(record["config"], checkpoint_of(shapes, record["metadata"])).verdict is Verdict.MATCH


def test_the_page_lists_the_files_recorded() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gguf.md").read_text(encoding="utf-8")
    rows = [row.strip("| ").split(" | ") for row in page.splitlines() if row.startswith("| ")][1:]
    listed = {(architecture, model_type) for architecture, types in rows for model_type in types.split(", ")}
    assert listed == {pair(record) for record in RECORDS}
