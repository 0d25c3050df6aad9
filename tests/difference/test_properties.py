"""What holds of every difference: nothing from nothing, there and back, and the parts add up to the whole."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import archcount
from archcount.difference import Difference, RowChange, RowKind
from archcount.sources import catalog

PAIRS = [
    ("llama-3-8b", "llama-3.1-8b"), ("llama-3.1-8b", "llama-3.1-70b"), ("qwen2.5-7b", "qwen3-8b"),
    ("mistral-7b", "mixtral-8x7b"), ("gemma-2-9b", "gemma-3-4b"), ("gemma-2-2b", "gemma-3-1b"),
    ("deepseek-v2", "deepseek-v3"), ("gpt2", "llama-3.1-8b"), ("llama-3.2-1b", "llama-3.1-8b"), ("t5-small", "gpt2"),
]  # fmt: skip
OTHER_WAY = {RowKind.ADDED: RowKind.REMOVED, RowKind.REMOVED: RowKind.ADDED}


def backwards(row: RowChange) -> RowChange:
    return RowChange(OTHER_WAY.get(row.kind, row.kind), row.after, row.before)


def check(there: Difference, back: Difference) -> None:
    """The deltas add up, by name and by role, and the way back is the way there."""
    parameters = there.after.totals.parameters - there.before.totals.parameters
    assert sum(row.delta for row in there.rows if row.section != "mtp") == parameters
    assert sum(role.delta for role in there.roles if role.section != "mtp") == parameters
    active = there.after.totals.active - there.before.totals.active
    assert sum(row.active_delta for row in there.rows if row.section != "mtp") == active
    assert set(map(backwards, there.rows)) == set(back.rows)
    assert {(pair.pair.after, pair.pair.before) for pair in there.keys if hashable(pair)} == {
        (pair.pair.before, pair.pair.after) for pair in back.keys if hashable(pair)
    }
    assert len(there.keys) == len(back.keys)
    assert [(figure.before, figure.after) for figure in there.figures] == [
        (figure.after, figure.before) for figure in back.figures
    ]


def hashable(change: archcount.difference.KeyChange) -> bool:
    return not isinstance(change.before, list | dict) and not isinstance(change.after, list | dict)


@pytest.mark.parametrize("name", catalog.names())
def test_a_model_does_not_differ_from_itself(name: str) -> None:
    found = archcount.diff(name, archcount.load(name).raw)
    assert (found.keys, found.rows, found.is_empty) == ((), (), True)
    assert all(role.delta == 0 for role in found.roles)


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_there_and_back(before: str, after: str) -> None:
    check(archcount.diff(before, after), archcount.diff(after, before))


def test_no_two_known_models_but_copies_are_without_a_difference() -> None:
    """Every neighbour in the catalogue: the deltas add up, and the difference is found."""
    for before, after in itertools.pairwise(catalog.names()):
        found = archcount.diff(before, after)
        assert not found.is_empty
        parameters = found.after.totals.parameters - found.before.totals.parameters
        assert sum(row.delta for row in found.rows if row.section != "mtp") == parameters


RECORDED = sorted((Path(__file__).parent.parent / "architectures" / "recorded" / "causal").glob("*.jsonl"))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_a_drawn_config_of_every_family(file: Path) -> None:
    """Against the family's default config: no key of any schema is in the way, and the deltas add up."""
    first, *_, last = [json.loads(line)["config"] for line in file.read_text(encoding="utf-8").splitlines() * 2]
    found = archcount.diff(first, last)
    parameters = found.after.totals.parameters - found.before.totals.parameters
    assert sum(row.delta for row in found.rows if row.section != "mtp") == parameters
    assert sum(role.delta for role in found.roles if role.section != "mtp") == parameters
    assert found.is_empty == (first == last)


SIZES = {
    "hidden_size": st.sampled_from([64, 128, 256]),
    "intermediate_size": st.integers(1, 300),
    "num_hidden_layers": st.integers(1, 6),
    "num_attention_heads": st.sampled_from([4, 8]),
    "num_key_value_heads": st.sampled_from([None, 1, 2, 4]),
    "head_dim": st.sampled_from([None, 8, 16, 32]),
    "num_experts": st.sampled_from([2, 4, 6]),
    "num_experts_per_tok": st.integers(1, 2),
    "decoder_sparse_step": st.integers(1, 3),
    "vocab_size": st.integers(1, 100),
    "attention_bias": st.booleans(),
    "tie_word_embeddings": st.booleans(),
    "rope_theta": st.sampled_from([10000.0, 1e6]),
}
CONFIGS = st.fixed_dictionaries({"model_type": st.sampled_from(["qwen3_moe", "llama", "mixtral"]), **SIZES})


@settings(max_examples=150)
@given(CONFIGS, CONFIGS)
def test_drawn_configs(before: dict[str, object], after: dict[str, object]) -> None:
    first, second = archcount.load(before), archcount.load(after)
    check(archcount.diff(first, second), archcount.diff(second, first))
    assert archcount.diff(first, before).is_empty
