"""params.json as Meta and Mistral publish it: the MLP's width is derived, the vocabulary must be known."""

import json
from pathlib import Path

import pytest

import archcount
from archcount.dim import formula
from archcount.errors import ConfigValueError

LLAMA_2_7B = {"dim": 4096, "multiple_of": 256, "n_heads": 32, "n_layers": 32, "norm_eps": 1e-05, "vocab_size": -1}
LLAMA_2_13B = {**LLAMA_2_7B, "dim": 5120, "n_heads": 40, "n_layers": 40}
LLAMA_2_70B = {
    "dim": 8192, "multiple_of": 4096, "ffn_dim_multiplier": 1.3, "n_heads": 64, "n_kv_heads": 8, "n_layers": 80,
    "norm_eps": 1e-05, "vocab_size": -1,
}  # fmt: skip
LLAMA_3_8B = {
    "dim": 4096, "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "n_heads": 32, "n_kv_heads": 8, "n_layers": 32,
    "norm_eps": 1e-05, "rope_theta": 500000.0, "vocab_size": 128256,
}  # fmt: skip
LLAMA_3_2_1B = {
    "dim": 2048, "multiple_of": 256, "ffn_dim_multiplier": 1.5, "n_heads": 32, "n_kv_heads": 8, "n_layers": 16,
    "norm_eps": 1e-05, "rope_theta": 500000.0, "use_scaled_rope": True, "vocab_size": 128256,
}  # fmt: skip
MISTRAL_7B = {
    "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
    "norm_eps": 1e-05, "sliding_window": 4096, "vocab_size": 32000,
}  # fmt: skip
MIXTRAL_8X7B = {**MISTRAL_7B, "moe": {"num_experts_per_tok": 2, "num_experts": 8}}
del MIXTRAL_8X7B["sliding_window"]


@pytest.mark.parametrize(
    ("params", "parameters"),
    [
        ({**LLAMA_2_7B, "vocab_size": 32000}, 6_738_415_616),
        ({**LLAMA_2_13B, "vocab_size": 32000}, 13_015_864_320),
        ({**LLAMA_2_70B, "vocab_size": 32000}, 68_976_648_192),
        (LLAMA_3_8B, 8_030_261_248),
        ({**LLAMA_3_2_1B, "tied_embeddings": True}, 1_235_814_400),
        (MISTRAL_7B, 7_241_732_096),
        (MIXTRAL_8X7B, 46_702_792_704),
    ],
)
def test_the_count_is_that_of_the_published_weights(params: dict[str, object], parameters: int) -> None:
    assert archcount.load(params).totals.parameters == parameters


@pytest.mark.parametrize(
    ("params", "inner"),
    [
        (LLAMA_2_7B, 11008),
        (LLAMA_2_70B, 28672),
        (LLAMA_3_8B, 14336),
        (LLAMA_3_2_1B, 8192),
        (MISTRAL_7B, 14336),
    ],
)
def test_the_width_of_the_mlp(params: dict[str, object], inner: int) -> None:
    model = archcount.load(params, set={"vocab_size": 100})
    assert {row.tensor.shape[0] for row in model.rows if row.pattern.endswith("w1.weight")} == {inner}


def test_the_width_is_truncated_twice_and_then_rounded_up() -> None:
    row = next(row for row in archcount.load(LLAMA_3_8B).rows if row.pattern.endswith("w1.weight"))
    assert formula(row.tensor.shape[0]) == ("⌈int(ffn_dim_multiplier × (2 × 4 × dim ÷ 3)) ÷ multiple_of⌉ × multiple_of")


def test_an_unknown_vocabulary_is_asked_for() -> None:
    with pytest.raises(ConfigValueError) as caught:
        archcount.load(LLAMA_2_7B)
    assert str(caught.value) == (
        "config: vocab_size is -1: the tokenizer knows it, params.json does not: "
        "give it with --set vocab_size=32000 (Llama 1 and 2; it is 128256 for Llama 3)"
    )
    assert archcount.load(LLAMA_2_7B, set={"vocab_size": 32000}).totals.parameters == 6_738_415_616


def test_a_width_that_nothing_gives_is_asked_for() -> None:
    with pytest.raises(ConfigValueError, match=r"hidden_dim is missing .* and so is multiple_of"):
        archcount.load({"dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100})


def test_the_names_are_those_of_the_consolidated_files() -> None:
    layer = [tensor.name for tensor in archcount.load(MISTRAL_7B).tensors() if not tensor.name.startswith("layers.")]
    assert layer == ["tok_embeddings.weight", "norm.weight", "output.weight"]
    first = [tensor.name for tensor in archcount.load(MISTRAL_7B).tensors() if tensor.name.startswith("layers.0.")]
    assert sorted(first) == [
        "layers.0.attention.wk.weight",
        "layers.0.attention.wo.weight",
        "layers.0.attention.wq.weight",
        "layers.0.attention.wv.weight",
        "layers.0.attention_norm.weight",
        "layers.0.feed_forward.w1.weight",
        "layers.0.feed_forward.w2.weight",
        "layers.0.feed_forward.w3.weight",
        "layers.0.ffn_norm.weight",
    ]


def test_mixtral_names_its_experts_one_by_one() -> None:
    model = archcount.load(MIXTRAL_8X7B)
    assert [row.pattern for row in model.rows if "feed_forward" in row.pattern] == [
        "layers.{0-31}.feed_forward.gate.weight",
        "layers.{0-31}.feed_forward.experts.{0-7}.w1.weight",
        "layers.{0-31}.feed_forward.experts.{0-7}.w3.weight",
        "layers.{0-31}.feed_forward.experts.{0-7}.w2.weight",
    ]
    assert model.totals.active == 12_879_925_248


def test_mistral_s_window_is_in_force() -> None:
    assert {part.cache.window for part in archcount.load(MISTRAL_7B).parts if part.cache} == {4096}
    assert {part.cache.window for part in archcount.load(LLAMA_3_8B).parts if part.cache} == {None}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("vision_encoder", {"hidden_size": 1024, "num_hidden_layers": 24}),
        ("q_lora_rank", 1536),
        ("moe_args", {"num_experts": 16}),
        ("vision_num_cross_attention_layers", 8),
        ("quantization_args", {"scheme": "int4_weight_int8_dynamic_activation"}),
        ("use_biases", True),
    ],
)
def test_a_part_that_is_not_understood_is_refused(key: str, value: object) -> None:
    with pytest.raises(ConfigValueError, match=rf"^config: {key} is not understood in a params\.json: "):
        archcount.load({**MISTRAL_7B, key: value})


def test_a_mixture_of_another_kind_is_refused() -> None:
    moe = {"num_experts": 128, "num_experts_per_tok": 4, "expert_hidden_dim": 4096}
    with pytest.raises(ConfigValueError, match=r"^config: moe\.expert_hidden_dim is not understood"):
        archcount.load({**MISTRAL_7B, "moe": moe})


def test_what_stretches_positions_changes_nothing() -> None:
    yarn = {"yarn": {"factor": 16, "original_max_position_embeddings": 16384}, "llama_4_scaling": {"beta": 0.1}}
    assert archcount.load({**MISTRAL_7B, **yarn, "use_biases": False}).totals.parameters == 7_241_732_096


def test_a_folder_of_the_original_files_is_read(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text(json.dumps(LLAMA_3_8B))
    assert archcount.load(tmp_path).totals.parameters == 8_030_261_248
