"""Short convolutions, RWKV, RG-LRU and delta rules hold what published weights hold."""

import pytest

from archcount import load
from archcount.errors import ConfigValueError

FULL = [4, 8, 12, 16, 20, 24, 27]
KDA = [layer for layer in range(1, 28) if layer not in FULL]
KIMI_LINEAR = {
    "model_type": "kimi_linear",
    "linear_attn_config": {
        "full_attn_layers": FULL,
        "kda_layers": KDA,
        "head_dim": 128,
        "num_heads": 32,
        "short_conv_kernel_size": 4,
    },
}
LFM2_1_2B = {
    "model_type": "lfm2",
    "hidden_size": 2048,
    "block_ff_dim": 12288,
    "num_hidden_layers": 16,
    "full_attn_idxs": [2, 5, 8, 10, 12, 14],
}
RECURRENT_GEMMA_2B = {"model_type": "recurrent_gemma", "intermediate_size": 15360, "num_key_value_heads": 1}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (LFM2_1_2B, 1_170_340_608),
        ({"model_type": "rwkv", "hidden_size": 768, "num_hidden_layers": 12}, 169_342_464),
        (RECURRENT_GEMMA_2B, 2_682_862_080),
        ({"model_type": "xlstm"}, 6_865_424_896),
        (KIMI_LINEAR, 49_122_681_728),
    ],
    ids=["LFM2-1.2B", "rwkv-4-169m-pile", "recurrentgemma-2b", "xLSTM-7b", "Kimi-Linear-48B-A3B"],
)
def test_published_weights(config: dict[str, object], parameters: int) -> None:
    assert load(config).totals.parameters == parameters


def test_qwen3_next_with_the_layer_that_looks_ahead() -> None:
    sections = load({"model_type": "qwen3_next", "num_nextn_predict_layers": 1}).totals.by_section
    assert sum(sections.values()) == 81_324_862_720  # Qwen3-Next-80B-A3B: the file
    assert sections["mtp"] == 1_650_471_424


def test_layers_counted_from_one_must_each_be_named_once() -> None:
    twice = {**KIMI_LINEAR, "linear_attn_config": {"full_attn_layers": [1, 2], "kda_layers": KDA}}
    with pytest.raises(ConfigValueError, match="should name each of the layers 1 to 27 once"):
        load(twice)


def test_a_dense_mlp_is_named_as_the_file_s_writer_names_it() -> None:
    published = {name.name for name in load(KIMI_LINEAR).tensors()}
    saved_anew = {name.name for name in load({**KIMI_LINEAR, "mlp_layer_types": ["dense"] + ["sparse"] * 26}).tensors()}
    assert "model.layers.0.mlp.gate_proj.weight" in published
    assert "model.layers.0.block_sparse_moe.gate_proj.weight" in saved_anew


def test_experts_at_a_latent_width_of_their_own() -> None:
    sizes = {"hidden_size": 7168, "routed_expert_hidden_size": 3584, "moe_intermediate_size": 3072}
    model = load({**KIMI_LINEAR, **sizes, "num_experts": 896, "num_experts_per_token": 16})
    expert = next(row for row in model.rows if row.pattern.endswith("experts.{0-895}.w1.weight"))
    assert expert.tensor.shape == (3072, 3584)
    downs = [row for row in model.rows if row.pattern.endswith("routed_expert_down_proj.weight")]
    assert {row.tensor.shape for row in downs} == {(3584, 7168)}
    assert sum(row.times for row in downs) == 26  # every layer but the dense first


def test_decay_tables_are_stored_and_not_parameters() -> None:
    totals = load({"model_type": "minimax"}).totals
    assert totals.parameters == 47_373_946_880
    assert totals.buffers == 16 * (32 + 2 * 32 * 256 + 32 * 256 * 256)
