"""An index of pickles: names are all that is checked, and the bytes they add up to where that is plain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import archcount
from archcount import Verdict
from archcount.verification.findings import Kind

from . import tiny

NOT_OPENED = "a pickle is never opened, so shapes and types are not checked"
SUM = f"{NOT_OPENED}; its total_size is that of the tensors predicted, "
MASKS = [f"model.layers.{layer}.self_attn.{name}" for layer in range(2) for name in ("bias", "masked_bias")]
FREQUENCIES = [f"model.layers.{layer}.self_attn.rotary_emb.inv_freq" for layer in range(2)]
MASK = 64 * 64  # positions, squared
HEAD = 32 * 8


def check(
    folder: Path, total: float | None, *, beside: Iterable[str] = (), config: Mapping[str, object] = tiny.CONFIG
) -> list[tuple[Kind, str]]:
    """The findings but those of stored buffers and of the tied head, for an index that claims `total` bytes."""
    names = [name for name, *_ in tiny.tensors()]
    metadata = {} if total is None else {"total_size": total}
    index = {"metadata": metadata, "weight_map": dict.fromkeys((*names, *beside), "pytorch_model.bin")}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    answer = archcount.verify(config, folder)
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    aside = {Kind.BUFFER_STORED, Kind.TIED_STORED}
    return [(finding.kind, finding.cause) for finding in answer.findings if finding.kind not in aside]


@pytest.mark.parametrize(("total", "width"), [(3_024, 2), (3_024.0, 2), (6_048, 4), (12_096, 8)])
def test_a_total_of_one_width(total: float, width: int, tmp_path: Path) -> None:
    assert check(tmp_path, total) == [(Kind.NAMES_ONLY, f"{SUM}at {width} bytes each")]


@pytest.mark.parametrize(
    ("masks", "how"),
    [(2 * MASK // 8, "a bit each"), (2 * MASK, "a byte each"), (4 * MASK, "2 bytes each"), (8 * MASK, "4 bytes each")],
)
def test_masks_of_any_width_and_the_number_they_write(masks: int, how: str, tmp_path: Path) -> None:
    expected = [(Kind.NAMES_ONLY, f"{SUM}at 2 bytes each, and of masks at {how}")]
    for number in (2, 4):
        assert check(tmp_path, 3_024 + masks + 2 * number, beside=MASKS) == expected


@pytest.mark.parametrize("each", [4, 8])  # two frequencies a head of four, in two or four bytes
def test_frequencies_of_half_a_head(each: int, tmp_path: Path) -> None:
    found = check(tmp_path, 3_024 + 2 * each, beside=FREQUENCIES)
    assert found == [(Kind.NAMES_ONLY, f"{SUM}at 2 bytes each")]


@pytest.mark.parametrize("more", [0, 2, 6, 20])  # none, half of a number, not the same for both, more than a head's
def test_frequencies_of_no_size_that_they_have(more: int, tmp_path: Path) -> None:
    assert check(tmp_path, 3_024 + more, beside=FREQUENCIES) == [(Kind.NAMES_ONLY, NOT_OPENED)]


def test_position_ids_are_whole_numbers_of_eight_bytes(tmp_path: Path) -> None:
    assert check(tmp_path, 3_024 + 64 * 8, beside=["model.position_ids"]) == [
        (Kind.NAMES_ONLY, f"{SUM}at 2 bytes each")
    ]


def test_the_tied_head_once_or_twice(tmp_path: Path) -> None:
    assert check(tmp_path, 3_024, config=tiny.TIED) == [(Kind.NAMES_ONLY, f"{SUM}at 2 bytes each")]
    once = [(Kind.NAMES_ONLY, f"{SUM}at 2 bytes each, the tied matrices once")]
    assert check(tmp_path, 3_024 - 2 * HEAD, config=tiny.TIED) == once


def test_a_total_that_is_no_sum(tmp_path: Path) -> None:
    assert check(tmp_path, 3_026) == [
        (Kind.OTHER_TOTAL, "no sum of the sizes predicted"),
        (Kind.NAMES_ONLY, NOT_OPENED),
    ]


def test_what_is_not_known_is_not_said(tmp_path: Path) -> None:
    assert check(tmp_path, None) == [(Kind.NAMES_ONLY, NOT_OPENED)]
    tables = ["model.layers.0.self_attn.rotary_emb.cos_cached"]
    assert check(tmp_path, 3_024, beside=tables) == [(Kind.NAMES_ONLY, NOT_OPENED)]
