"""Whatever a file holds, the steps of the ladder add up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archcount
from archcount.checkpoint.entries import Entry, Header
from archcount.checkpoint.result import Kind, Shard, assemble

from . import tiny

EXTRA = [
    ("model.layers.0.self_attn.rotary_emb.inv_freq", [2]),
    ("model.layers.2.mlp.up_proj.weight", [12, 8]),
    ("mtp.fc.weight", [8, 16]),
    ("norm.weight", [8]),
    ("strange", [3]),
]
NAMES = [name for name, _, _ in tiny.tensors()]


@pytest.mark.parametrize("config", [tiny.CONFIG, tiny.TIED], ids=["untied", "tied"])
@given(
    gone=st.sets(st.sampled_from(NAMES)),
    flipped=st.sets(st.sampled_from(NAMES)),
    extra=st.sets(st.sampled_from(range(len(EXTRA)))),
)
def test_every_step_leads_to_the_next(
    config: dict[str, object], gone: set[str], flipped: set[str], extra: set[int]
) -> None:
    shapes = {name: shape[::-1] if name in flipped else shape for name, _, shape in tiny.tensors() if name not in gone}
    shapes.update(EXTRA[number] for number in extra)
    entries = {name: Entry("BF16", tuple(shape), (0, 0)) for name, shape in shapes.items()}
    checkpoint = assemble("memory", Kind.SINGLE, [Shard("model.safetensors", None, Header(entries, {}, 0))])
    answer = archcount.verify(config, checkpoint)
    assert answer.ladder[0].total == sum(entry.elements for entry in entries.values())
    for before, step in pairwise(answer.ladder):
        assert step.total == before.total + (step.elements or 0)
    totals = {step.label: step.total for step in answer.ladder}
    assert totals["parameters in the files"] == answer.parameters
    assert totals["the config's count"] == archcount.load(config).totals.parameters
