"""Which keys differ: defaults resolved, null as missing, NaN as itself."""

from __future__ import annotations

import math

import pytest

import archcount
from archcount.difference import KeyKind

Config = dict[str, object]
LLAMA: Config = {**archcount.load("llama-3.1-8b").raw}


def differing(before: Config, after: Config) -> dict[str, tuple[str, object, object]]:
    keys = archcount.diff(before, after).keys
    return {change.key: (change.kind.value, change.before, change.after) for change in keys}


def without(config: Config, *keys: str) -> Config:
    return {key: value for key, value in config.items() if key not in keys}


@pytest.mark.parametrize(
    "change",
    [
        {"mlp_bias": False},  # a default of the schema
        {"head_dim": 128},  # derived: the width over the heads
        {"head_dim": None},
        {"rms_norm_eps": 1e-5, "initializer_range": 0.02},  # defaults of keys no tensor depends on
        {"quantization_config": None},
        {"dtype": "torch.bfloat16", "torch_dtype": None},
        {"something_new": None},
        {"rope_scaling": {**LLAMA["rope_scaling"], "low_freq_factor": 1}},  # type: ignore[dict-item]
    ],
)
def test_what_says_the_same_is_no_difference(change: Config) -> None:
    found = archcount.diff(LLAMA, {**LLAMA, **change})
    assert found.is_empty
    assert (found.keys, found.rows) == ((), ())


def test_a_key_that_is_left_out_has_its_default() -> None:
    assert archcount.diff(LLAMA, without(LLAMA, "mlp_bias", "initializer_range", "use_cache", "hidden_act")).is_empty
    assert differing(LLAMA, without(LLAMA, "rms_norm_eps")) == {"rms_norm_eps": ("removed", 1e-05, 1e-06)}
    assert differing(without(LLAMA, "max_position_embeddings"), LLAMA) == {
        "max_position_embeddings": ("added", 2048, 131072)
    }


def test_heads_spelled_out_where_they_are_as_many_as_queries() -> None:
    llama_1 = archcount.load("llama-1-7b").raw
    assert archcount.diff(without(llama_1, "num_key_value_heads"), {**llama_1, "num_key_value_heads": 32}).is_empty
    assert differing(without(llama_1, "num_key_value_heads"), {**llama_1, "num_key_value_heads": 8}) == {
        "num_key_value_heads": ("added", None, 8)
    }


def test_layer_types_spelled_out_as_the_class_derives_them() -> None:
    gemma = archcount.load("gemma-2-2b").raw
    listed = ["sliding_attention" if index % 2 == 0 else "full_attention" for index in range(26)]
    assert archcount.diff(gemma, {**gemma, "layer_types": listed}).is_empty
    assert list(differing(gemma, {**gemma, "layer_types": listed[::-1]})) == ["layer_types"]


def test_nan_equals_nan_and_true_is_not_one() -> None:
    assert archcount.diff({**LLAMA, "limit": math.nan}, {**LLAMA, "limit": math.nan}).is_empty
    assert archcount.diff({**LLAMA, "limits": [math.nan, 1]}, {**LLAMA, "limits": [math.nan, 1]}).is_empty
    assert list(differing({**LLAMA, "limit": math.nan}, {**LLAMA, "limit": 0.0})) == ["limit"]
    assert differing({**LLAMA, "flag": True}, {**LLAMA, "flag": 1}) == {"flag": ("changed", True, 1)}


def test_rotary_positions_as_transformers_4_and_5_write_them() -> None:
    scaling = LLAMA["rope_scaling"]
    assert isinstance(scaling, dict)
    newer = {**without(LLAMA, "rope_scaling", "rope_theta"), "rope_parameters": {**scaling, "rope_theta": 500000.0}}
    assert archcount.diff(LLAMA, newer).is_empty
    older = {**LLAMA, "rope_scaling": {**without(scaling, "rope_type"), "type": "llama3"}}
    assert archcount.diff(older, newer).is_empty
    tuned = {**newer, "rope_parameters": {**scaling, "rope_theta": 500000.0, "factor": 32.0}}
    assert differing(newer, tuned) == {"rope_parameters.factor": ("changed", 8.0, 32.0)}
    assert differing(LLAMA, tuned) == {"rope_scaling.factor → rope_parameters.factor": ("changed", 8.0, 32.0)}


def test_null_has_its_meaning_where_the_published_class_gives_it_one() -> None:
    deepseek = archcount.load("deepseek-v3").raw
    found = archcount.diff(deepseek, {**deepseek, "q_lora_rank": None})
    assert [(change.key, change.before, change.after) for change in found.keys] == [("q_lora_rank", 1536, None)]
    assert {row.kind.value for row in found.rows} == {"added", "removed"}


def test_two_spellings_of_one_key_are_one_key() -> None:
    gpt2 = archcount.load("gpt2").raw
    assert archcount.diff(gpt2, {**without(gpt2, "n_embd"), "hidden_size": 768}).is_empty
    assert differing(gpt2, {**without(gpt2, "n_embd"), "hidden_size": 1536}) == {
        "n_embd → hidden_size": ("changed", 768, 1536)
    }


def test_keys_of_different_families_go_by_either_one_s_name() -> None:
    found = archcount.diff("gpt2", "llama-3.1-8b")
    pairs = {change.key: (change.before, change.after) for change in found.keys}
    assert pairs["n_embd → hidden_size"] == (768, 4096)
    assert pairs["n_layer → num_hidden_layers"] == (12, 32)
    assert all(change.alone is None for change in found.keys)


def test_a_language_config_inside_another_is_held_against_a_plain_one() -> None:
    found = archcount.diff("gemma-2-2b", "gemma-3-4b")
    pairs = {change.key: (change.before, change.after) for change in found.keys}
    assert pairs["hidden_size → text_config.hidden_size"] == (2304, 2560)
    assert pairs["vision_config.hidden_size"] == (None, 1152)


def test_labels_are_one_value() -> None:
    labelled: Config = {**LLAMA, "architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "a", "1": "b"}}
    found = archcount.diff(labelled, {**labelled, "id2label": {"0": "a", "1": "b", "2": "c"}})
    assert [change.key for change in found.keys] == ["id2label"]
    assert [row.delta for row in found.rows] == [4096]


def test_a_list_of_all_tensors_is_one_key() -> None:
    listed: Config = {"lm_head": {"bits_per_weight": 6, "quant_format": "exl3"}}
    entries = (
        {"quant_method": "exl3", "tensor_storage": storage} for storage in (listed, {**listed, "model.norm": {}})
    )
    before, after = ({**LLAMA, "quantization_config": entry} for entry in entries)
    found = archcount.diff(before, after)
    assert [change.key for change in found.keys] == ["quantization_config.tensor_storage"]


def test_kinds() -> None:
    found = archcount.diff({**LLAMA, "a": 1, "b": 1}, {**LLAMA, "b": 2, "c": 3})
    assert [(change.key, change.kind) for change in found.keys] == [
        ("a", KeyKind.REMOVED),
        ("b", KeyKind.CHANGED),
        ("c", KeyKind.ADDED),
    ]
