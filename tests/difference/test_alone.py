"""What one key does by itself."""

from __future__ import annotations

import archcount
from archcount.difference import Alone, KeyChange


def effects(before: str, after: str) -> dict[str, Alone | None]:
    return {change.key: change.alone for change in archcount.diff(before, after).keys}


def test_llama_8b_to_70b_key_by_key() -> None:
    found = effects("llama-3.1-8b", "llama-3.1-70b")
    assert {key: alone and (alone.parameters, alone.cache_per_token) for key, alone in found.items()} == {
        "hidden_size": (10_714_615_808, 65_536),
        "intermediate_size": (5_637_144_576, 0),
        "num_hidden_layers": (10_469_376_000, 98_304),
        "num_attention_heads": (-134_217_728, -32_768),
    }


def test_an_effect_is_what_set_says() -> None:
    alone = effects("llama-3.1-8b", "llama-3.1-70b")["intermediate_size"]
    assert alone is not None
    changed = archcount.load("llama-3.1-8b", {"intermediate_size": 28672})
    assert alone.parameters == changed.totals.parameters - 8_030_261_248


def test_a_key_that_cannot_change_alone_says_why() -> None:
    alone = effects("mixtral-8x7b", "mixtral-8x22b")["num_attention_heads"]
    assert alone is not None
    assert alone.refused == "hidden_size (4096) does not divide by num_attention_heads (48)"


def test_keys_no_tensor_depends_on_have_no_effect() -> None:
    found = effects("llama-3-8b", "llama-3.1-8b")
    assert found["rope_scaling.factor"] is None
    assert found["max_position_embeddings"] == Alone()


def test_the_class_alone_takes_the_head_away() -> None:
    llama = archcount.load("llama-3.1-8b").raw
    (change,) = archcount.diff(llama, {**llama, "architectures": ["LlamaModel"]}).keys
    assert isinstance(change, KeyChange)
    assert change.alone is not None
    assert (change.key, change.alone.parameters) == ("architectures", -525_336_576)


def test_keys_behind_a_tensor() -> None:
    llama = archcount.load("llama-3.1-8b").raw
    found = archcount.diff(llama, {**llama, "attention_bias": True, "intermediate_size": 8192, "rope_theta": 1e6})
    behind = {row.some.pattern.rpartition("}.")[2]: found.keys_behind(row) for row in found.rows}
    assert behind["self_attn.q_proj.bias"] == ["attention_bias"]
    assert behind["mlp.down_proj.weight"] == ["intermediate_size"]


def test_a_key_of_a_nested_config() -> None:
    gemma = archcount.load("gemma-3-4b")
    found = archcount.diff(gemma, archcount.load("gemma-3-4b", {"text_config.num_hidden_layers": 30}))
    (change,) = found.keys
    assert change.key == "text_config.num_hidden_layers"
    assert change.alone is not None
    assert change.alone.parameters == -377_530_368
