"""Figures that people disputed in public, each with the one that is right and the rule that makes it so."""

import pytest

import archcount

QWEN3 = {"model_type": "qwen3", "vocab_size": 151936, "num_key_value_heads": 8, "head_dim": 128}
LLAMA2_C = {"model_type": "llama", "vocab_size": 32000, "tie_word_embeddings": True}


def cache_bytes_per_token(model: archcount.Model) -> int:
    """At two bytes an element, while every layer is under its window."""
    return 2 * sum(part.cache.per_token * part.times for part in model.parts if part.cache)


def windows(model: archcount.Model) -> dict[int | None, int]:
    """How many layers cache how many tokens."""
    found: dict[int | None, int] = {}
    for part in model.parts:
        if part.cache:
            found[part.cache.window] = found.get(part.cache.window, 0) + part.times
    return found


def test_gpt2_with_a_head_of_its_own_is_163_million() -> None:
    untied = archcount.load("gpt2", set={"tie_word_embeddings": False}).totals
    assert untied.parameters == 163_037_184
    assert untied.parameters - archcount.load("gpt2").totals.parameters == 50_257 * 768


def test_the_matrices_of_gpt2_s_blocks_are_85_million() -> None:
    rows = [row for row in archcount.load("gpt2").rows if row.times == 12 and len(row.tensor.shape) == 2]
    assert sum(row.elements for row in rows) == 84_934_656


@pytest.mark.parametrize(
    ("hidden", "layers", "heads", "inner", "parameters"),
    [
        (288, 6, 6, 768, 15_191_712),
        (512, 8, 8, 1376, 41_689_600),
        (768, 12, 12, 2048, 109_529_856),
    ],
)
def test_the_stories_models_count_their_tied_table_once(
    hidden: int, layers: int, heads: int, inner: int, parameters: int
) -> None:
    sizes = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads}
    totals = archcount.load({**LLAMA2_C, **sizes, "intermediate_size": inner}).totals
    assert totals.parameters == parameters
    assert totals.parameters + totals.tied == parameters + 32_000 * hidden  # what a sum over the state dict says


def test_a_head_dim_given_is_not_the_width_shared_out() -> None:
    sizes = {"hidden_size": 2560, "num_hidden_layers": 36, "num_attention_heads": 32, "intermediate_size": 9728}
    model = archcount.load({**QWEN3, **sizes, "tie_word_embeddings": True})
    assert model.totals.parameters == 4_022_468_096
    assert cache_bytes_per_token(model) == 147_456
    query = next(row for row in model.rows if row.pattern.endswith("q_proj.weight"))
    assert query.tensor.shape == (4096, 2560)


def test_mistral_small_caches_heads_of_128() -> None:
    sizes = {"hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 32, "head_dim": 128}
    model = archcount.load({"model_type": "mistral", **sizes, "num_key_value_heads": 8, "sliding_window": None})
    assert cache_bytes_per_token(model) == 163_840
    assert windows(model) == {None: 40}


def test_a_null_head_dim_shares_the_width_out() -> None:
    assert archcount.load("mixtral-8x22b", set={"head_dim": None}).totals.parameters == 140_620_634_112
    assert archcount.load("mixtral-8x22b").totals.active == 39_152_031_744
    assert cache_bytes_per_token(archcount.load("mixtral-8x22b")) == 229_376


def test_a_sparse_gemma_3_takes_its_own_class_s_defaults_and_lists_them() -> None:
    text = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}
    model = archcount.load({**archcount.load("gemma-3-4b").raw, "text_config": text})
    assert model.totals.parameters == 4_300_079_472
    assert windows(model) == {1024: 29, None: 5}
    assert model.config.defaulted().items() >= {
        "text_config.num_attention_heads": 8,
        "text_config.num_key_value_heads": 4,
        "text_config.head_dim": 256,
        "text_config.vocab_size": 262_208,
        "text_config.sliding_window_pattern": 6,
        "tie_word_embeddings": True,
    }.items()  # fmt: skip
    assert windows(archcount.load("gemma-3-12b")) == {1024: 40, None: 8}


def test_what_is_active_depends_on_the_embeddings_one_counts() -> None:
    totals = archcount.load("qwen3-30b-a3b").totals
    assert totals.parameters == 30_532_122_624
    assert totals.active == 3_353_032_704
    assert totals.active_without_input_embedding == 3_041_867_776
    assert totals.active_without_embeddings == 3_041_867_776 - 151_936 * 2048


def test_a_tied_table_is_never_only_looked_up() -> None:
    totals = archcount.load("llama-3.2-1b").totals
    assert totals.active_without_input_embedding == totals.active == 1_235_814_400
    assert totals.active_without_embeddings == 1_235_814_400 - 128_256 * 2048


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {None: 32}),
        ({"sliding_window": 1000, "max_window_layers": 0}, {None: 32}),
        ({"use_sliding_window": True}, {None: 28, 4096: 4}),
        ({"use_sliding_window": True, "max_window_layers": 0}, {4096: 32}),
        ({"use_sliding_window": True, "sliding_window": None}, {None: 32}),
        ({"num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]}, {None: 2}),
    ],
)
def test_qwen_s_window_is_seldom_in_force(keys: dict[str, object], expected: dict[int | None, int]) -> None:
    assert windows(archcount.load({"model_type": "qwen2", **keys})) == expected


def test_a_list_of_layers_that_does_not_fit_is_refused() -> None:
    keys = {"model_type": "qwen2", "num_hidden_layers": 3}
    with pytest.raises(archcount.ArchcountError, match=r"^config: layer_types has 1 entries: should have one for each"):
        archcount.load({**keys, "layer_types": ["full_attention"]})
    with pytest.raises(archcount.ArchcountError, match=r"^config: layer_types\[2\] is 'chunked': should be one of "):
        archcount.load({**keys, "layer_types": ["full_attention", "full_attention", "chunked"]})


def test_qwen_1_5_72b_by_its_exact_formula() -> None:
    sizes = {"hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 64}
    config = {"model_type": "qwen2", "vocab_size": 152_064, "intermediate_size": 24_576, **sizes}
    assert archcount.load(config).totals.parameters == 72_287_920_128


@pytest.mark.parametrize(
    ("keys", "sparse"),
    [
        ({}, 6),
        ({"decoder_sparse_step": 2}, 3),
        ({"decoder_sparse_step": 4}, 1),
        ({"mlp_only_layers": [0, 5]}, 4),
        ({"mlp_only_layers": [1], "decoder_sparse_step": 2}, 2),
        ({"num_experts": 0}, 0),
    ],
)
def test_which_layers_of_qwen3_moe_hold_experts(keys: dict[str, object], sparse: int) -> None:
    model = archcount.load({"model_type": "qwen3_moe", "num_hidden_layers": 6, **keys})
    assert sum(row.times for row in model.rows if row.pattern.endswith("mlp.gate.weight")) == sparse
    assert sum(row.times for row in model.rows if row.pattern.endswith("mlp.up_proj.weight")) == 6 - sparse
