"""Tensors of two models, matched by name."""

from __future__ import annotations

import archcount
from archcount.difference import Difference, RowKind


def changes(before: str, after: str, **settings: object) -> list[tuple[str, str, int]]:
    found = archcount.diff(archcount.load(before), archcount.load(after, settings))
    return [(row.kind.value, row.some.pattern, row.delta) for row in found.rows]


def test_more_layers_make_rows_longer() -> None:
    found = archcount.diff("llama-3.2-1b", archcount.load("llama-3.2-1b", {"num_hidden_layers": 20}))
    assert {row.kind for row in found.rows} == {RowKind.RESIZED}
    first = found.rows[0]
    assert first.before is not None
    assert first.after is not None
    assert (first.before.pattern, first.before.times) == ("model.layers.{0-15}.self_attn.q_proj.weight", 16)
    assert (first.after.pattern, first.after.times, first.delta) == (
        "model.layers.{0-19}.self_attn.q_proj.weight",
        20,
        4 * 2048 * 2048,
    )


def test_a_wider_mlp_is_reshaped_and_biases_are_added() -> None:
    assert changes("llama-3.1-8b", "llama-3.1-8b", intermediate_size=14592, attention_bias=True) == [
        ("reshaped", "model.layers.{0-31}.mlp.gate_proj.weight", 33_554_432),
        ("reshaped", "model.layers.{0-31}.mlp.up_proj.weight", 33_554_432),
        ("reshaped", "model.layers.{0-31}.mlp.down_proj.weight", 33_554_432),
        ("added", "model.layers.{0-31}.self_attn.q_proj.bias", 131_072),
        ("added", "model.layers.{0-31}.self_attn.k_proj.bias", 32_768),
        ("added", "model.layers.{0-31}.self_attn.v_proj.bias", 32_768),
        ("added", "model.layers.{0-31}.self_attn.o_proj.bias", 131_072),
    ]


def test_a_head_that_is_no_longer_tied() -> None:
    assert changes("llama-3.2-1b", "llama-3.2-1b", tie_word_embeddings=False) == [
        ("stored otherwise", "lm_head.weight", 262_668_288)
    ]


def test_fewer_experts_chosen_change_no_tensor_but_what_is_active() -> None:
    found = archcount.diff("mixtral-8x7b", archcount.load("mixtral-8x7b", {"num_experts_per_tok": 1}))
    assert {row.kind for row in found.rows} == {RowKind.ROUTED}
    assert sum(row.delta for row in found.rows) == 0
    assert sum(row.active_delta for row in found.rows) == -5_637_144_576
    assert [figure.delta for figure in found.figures if figure.name == "active"] == [-5_637_144_576]


def test_a_layer_that_moves_is_removed_and_added() -> None:
    """Layer 0 dense, then layer 1 dense: as many tensors of each shape as before, under other names."""
    found = archcount.diff(dense("dense", "sparse", "sparse"), dense("sparse", "dense", "sparse"))
    gates = [(row.kind.value, row.some.pattern) for row in found.rows if row.some.pattern.endswith("mlp.gate.weight")]
    assert gates == [("added", "model.layers.0.mlp.gate.weight"), ("removed", "model.layers.1.mlp.gate.weight")]
    assert sum(row.delta for row in found.rows) == 0
    assert not found.is_empty


def dense(*layers: str) -> dict[str, object]:
    """A small Qwen3 of experts with dense layers where it is said."""
    return {
        "model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": len(layers), "num_attention_heads": 4,
        "num_key_value_heads": 2, "num_experts": 4, "num_experts_per_tok": 2, "vocab_size": 128,
        "mlp_only_layers": [index for index, kind in enumerate(layers) if kind == "dense"],
    }  # fmt: skip


def test_experts_of_deepseek_are_one_row_each() -> None:
    found = archcount.diff("deepseek-v2", "deepseek-v3")
    experts = [row for row in found.rows if ".experts." in row.some.pattern and row.section == ""]
    assert [(row.kind.value, row.some.pattern, row.some.times) for row in experts] == [
        ("reshaped", f"model.layers.{{3-60}}.mlp.experts.{{0-255}}.{name}.weight", 14_848)
        for name in ("gate_proj", "up_proj", "down_proj")
    ]


def test_mtp_stands_apart() -> None:
    found = archcount.diff("deepseek-v2", "deepseek-v3")
    ahead = [row for row in found.rows if row.section == "mtp"]
    assert {row.kind for row in ahead} == {RowKind.ADDED}
    assert sum(row.delta for row in ahead) == 11_610_068_224
    assert total(found) == 671_026_419_200 - 235_741_434_880


def total(found: Difference) -> int:
    return sum(row.delta for row in found.rows if row.section != "mtp")


def test_names_of_gpt2_and_llama_have_nothing_in_common() -> None:
    assert not archcount.diff("gpt2", "llama-3.1-8b").shares_names
    assert archcount.diff("qwen2.5-7b", "qwen3-8b").shares_names
    assert archcount.diff("mistral-7b", "mixtral-8x7b").shares_names


def test_layers_that_differ_among_themselves_are_compared_place_by_place() -> None:
    before = {"model_type": "openelm", "num_transformer_layers": 4, "model_dim": 256, "head_dim": 64}
    found = archcount.diff(before, {**before, "ffn_multipliers": [0.5, 3.0]})
    assert {row.kind for row in found.rows} == {RowKind.RESHAPED}
    assert total(found) == archcount.load({**before, "ffn_multipliers": [0.5, 3.0]}).totals.parameters - (
        archcount.load(before).totals.parameters
    )
