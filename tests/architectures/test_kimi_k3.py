"""Kimi K3, Kimi K2.5 and Kimi-VL, whole: what the published files hold, by a public listing of those of Kimi K3.

The listing (its repository at 9f62e4e): 497,220 tensors, 1,503,647,073,024 elements as they are packed, two of the
experts' four-bit numbers to a byte, and 1,560,860,324,864 bytes, which is its index's `total_size` too. What the pages
of the others say is recalled.
"""

import pytest

import archcount
from archcount.errors import ConfigValueError

FULL = [*range(4, 94, 4), 93]
KIMI_K3: dict[str, object] = {
    "model_type": "kimi_k3",
    "architectures": ["KimiK3ForConditionalGeneration"],
    "text_config": {
        "model_type": "kimi_linear",
        "attn_res_block_size": 12,
        "hidden_size": 7168,
        "intermediate_size": 33792,
        "latent_moe_use_norm": True,
        "linear_attn_config": {
            "full_attn_layers": FULL,
            "kda_layers": [index for index in range(1, 94) if index not in FULL],
            "head_dim": 128,
            "num_heads": 96,
            "short_conv_kernel_size": 4,
            "use_full_rank_gate": True,
        },
        "mla_use_output_gate": True,
        "moe_intermediate_size": 3072,
        "num_attention_heads": 96,
        "num_key_value_heads": 96,
        "num_experts": 896,
        "num_experts_per_token": 16,
        "num_hidden_layers": 93,
        "num_shared_experts": 2,
        "q_lora_rank": 1536,
        "routed_expert_hidden_size": 3584,
    },
    "tie_word_embeddings": False,
}
KIMI_K2_5: dict[str, object] = {
    "model_type": "kimi_k25",
    "text_config": {
        "model_type": "kimi_k2",
        "vocab_size": 163840,
        "num_attention_heads": 64,
        "n_routed_experts": 384,
        "first_k_dense_replace": 1,
        "tie_word_embeddings": False,
    },
}
KIMI_VL: dict[str, object] = {
    "model_type": "kimi_vl",
    "text_config": {
        "model_type": "deepseek_v3",
        "vocab_size": 163840,
        "hidden_size": 2048,
        "intermediate_size": 11264,
        "moe_intermediate_size": 1408,
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
        "n_shared_experts": 2,
        "n_routed_experts": 64,
        "num_experts_per_tok": 6,
        "first_k_dense_replace": 1,
        "q_lora_rank": None,
    },
}


def test_every_tensor_of_kimi_k3() -> None:
    rows = archcount.load(KIMI_K3).rows
    experts = [row for row in rows if ".experts." in row.pattern]
    packed = sum(row.elements for row in experts)
    rest = sum(row.elements for row in rows) - packed
    wide = (".A_log", ".dt_bias", "_conv1d.weight", ".o_norm.weight", ".e_score_correction_bias")  # float32
    twice = sum(row.elements for row in rows if row.pattern.endswith(wide))
    scales = packed // 32
    assert sum(row.times for row in (*rows, *experts)) == 497_220  # of each expert's matrix its scales too
    assert rest + packed // 2 + scales == 1_503_647_073_024
    assert 2 * (rest + twice) + packed // 2 + scales == 1_560_860_324_864


@pytest.mark.parametrize(
    ("config", "parameters", "active"),
    [
        (KIMI_K3, 2_779_931_837_184, 105_811_378_944),
        (KIMI_K2_5, 1_026_879_376_368, 33_332_644_848),  # Kimi K2 with eyes: its page says 1T, and 32B active
        (KIMI_VL, 16_407_656_048, 3_362_322_032),  # page: 16.4B
    ],
)
def test_totals(config: dict[str, object], parameters: int, active: int) -> None:
    totals = archcount.load(config).totals
    assert (totals.parameters, totals.active) == (parameters, active)


def test_eyes_without_biases() -> None:
    shapes = {row.pattern: tuple(row.tensor.shape) for row in archcount.load(KIMI_K3).rows}
    eyes = {pattern: shape for pattern, shape in shapes.items() if not pattern.startswith("language_model")}
    assert not any(pattern.endswith(".bias") for pattern in eyes)
    assert eyes["vision_tower.encoder.blocks.{0-26}.wqkv.weight"] == (4608, 1024)
    assert eyes["vision_tower.encoder.blocks.{0-26}.wo.weight"] == (1024, 1536)
    assert eyes["mm_projector.proj.2.weight"] == (7168, 4096)
    assert eyes["mm_projector.post_norm.weight"] == (7168,)
    assert shapes["language_model.model.layers.0.self_attn.A_log"] == (128,)  # of 96 heads


def test_a_norm_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="norm_type is 'batchnorm': should be layernorm or rmsnorm"):
        archcount.load({**KIMI_K3, "vision_config": {"norm_type": "batchnorm"}})
