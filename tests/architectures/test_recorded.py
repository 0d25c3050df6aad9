"""Every recorded config counts to the same tensors, name by name and shape by shape, as transformers builds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount.marks import MTP
from archcount.tree import Storage

from .patterns import expand, names_of

RECORDED = Path(__file__).parent / "recorded"


def records() -> Iterator[Any]:
    for path in sorted(RECORDED.glob("*/*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            yield pytest.param(json.loads(line), id=f"{path.parent.name}-{path.stem}-{number}")


@pytest.mark.parametrize("record", list(records()))
def test_tensors_and_totals_are_those_of_the_reference(record: dict[str, Any]) -> None:
    model = archcount.load(record["config"])
    predicted = {tensor.name: tensor for tensor in model.tensors()}
    expected = dict(expand(record["tensors"]))
    buffers = dict(expand(record["buffers"]))
    repeated = {name for group in record["tied"] for pattern in group for name in names_of(pattern)}

    missing = [name for name in expected if name not in predicted and name not in buffers and name not in repeated]
    assert missing == []
    ours = (tensor for tensor in predicted.values() if tensor.storage is Storage.OWN and tensor.section != MTP)
    assert [tensor.name for tensor in ours if tensor.name not in expected] == []
    shapes = {name: (predicted[name].shape, shape) for name, shape in expected.items() if name in predicted}
    assert {name: pair for name, pair in shapes.items() if pair[0] != pair[1]} == {}

    # What transformers keeps as a buffer and the published file stores as learned state is a parameter here.
    assert model.totals.parameters in (record["parameters"], record["parameters"] + record["float_buffers"])


def test_there_are_records() -> None:
    assert len({path.stem for path in RECORDED.glob("causal/*.jsonl")}) >= 150
