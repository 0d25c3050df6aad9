"""Published totals that once did not come out, each with where its figure stands.

"Hub" is the total that the Hub reads from the headers of the files, which hold predictions ahead and scales too.
"""

import pytest

import archcount

Config = dict[str, object]

FP8: Config = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
DEEPSEEK_V32: Config = {"model_type": "deepseek_v32", "num_nextn_predict_layers": 1}
GLM_5: Config = {
    "model_type": "glm_moe_dsa",
    "architectures": ["GlmMoeDsaForCausalLM"],
    "first_k_dense_replace": 3,
    "num_nextn_predict_layers": 1,
    "num_key_value_heads": 64,
}
LING_2: Config = {
    "model_type": "bailing_moe",
    "architectures": ["BailingMoeV2ForCausalLM"],
    "auto_map": {"AutoModelForCausalLM": "modeling_bailing_moe_v2.BailingMoeV2ForCausalLM"},
    "head_dim": 128,
    "num_experts": 256,
    "num_experts_per_tok": 8,
    "num_shared_experts": 1,
    "vocab_size": 157184,
    "use_qk_norm": True,
    "moe_router_enable_expert_bias": True,
}
GROK_2: Config = {
    "model_type": "git",
    "architectures": ["Grok1ForCausalLM"],
    "vocab_size": 131072,
    "hidden_size": 8192,
    "intermediate_size": 32768,
    "moe_intermediate_size": 16384,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
    "residual_moe": True,
    "num_hidden_layers": 64,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
}


def sizes(width: int, layers: int, heads: int, kv_heads: int, inner: int) -> Config:
    return {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": inner,
    }


@pytest.mark.parametrize(
    ("config", "stored"),
    [
        ({**DEEPSEEK_V32, "quantization_config": FP8}, 685_396_921_376),  # Hub, DeepSeek-V3.2-Exp
        (GLM_5, 753_864_139_008),  # Hub, zai-org/GLM-5
        ({**GLM_5, "quantization_config": FP8}, 753_910_024_032),  # Hub, zai-org/GLM-5-FP8
        ({**GLM_5, "index_topk_freq": 4, "index_skip_topk_offset": 3}, 753_329_940_480),  # Hub, zai-org/GLM-5.2
    ],
    ids=["DeepSeek-V3.2-Exp", "GLM-5", "GLM-5-FP8", "GLM-5.2"],
)
def test_files_with_an_indexer_leave_its_weights_of_heads_unpacked(config: Config, stored: int) -> None:
    assert archcount.load(config).totals.stored == stored


def test_glm_5_stores_no_second_table_or_head() -> None:
    totals = archcount.load(GLM_5).totals
    assert totals.copies == 0
    assert totals.tied == 2 * 154_880 * 6_144
    assert archcount.load(DEEPSEEK_V32).totals.copies == 2 * 129_280 * 7_168


@pytest.mark.parametrize(
    ("config", "stored", "ahead"),
    [
        (  # Hub, stepfun-ai/Step-3.5-Flash
            {
                "model_type": "step3p5",
                "vocab_size": 128896,
                "num_attention_groups": 8,
                "attention_other_setting": {"num_attention_heads": 96},
                "sliding_window": 512,
                "layer_types": ["full_attention", *["sliding_attention"] * 3] * 12,
                "num_nextn_predict_layers": 3,
            },
            199_384_301_376,
            3 * 809_390_336,
        ),
        ({"model_type": "hy_v3", "num_nextn_predict_layers": 1}, 298_786_155_776, 3_752_612_288),  # Hub, tencent/Hy3
    ],
    ids=["Step-3.5-Flash", "Hy3"],
)
def test_layers_that_predict_further_are_in_the_files(config: Config, stored: int, ahead: int) -> None:
    totals = archcount.load(config).totals
    assert totals.stored == stored
    assert totals.by_section["mtp"] == ahead
    assert totals.parameters == stored - ahead


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (  # Hub, inclusionAI/Ling-lite-1.5
            {
                "model_type": "bailing_moe",
                "architectures": ["BailingMoeForCausalLM"],
                **sizes(2048, 28, 16, 4, 1408),
                "moe_intermediate_size": 1408,
                "num_experts": 64,
                "num_experts_per_tok": 6,
                "num_shared_experts": 2,
                "vocab_size": 126464,
            },
            16_801_974_272,
        ),
        (  # Hub, inclusionAI/Ling-mini-2.0
            {**LING_2, **sizes(2048, 20, 16, 4, 5120), "moe_intermediate_size": 512, "first_k_dense_replace": 1},
            16_255_643_392,
        ),
        (  # Hub, inclusionAI/Ling-flash-2.0
            {**LING_2, **sizes(4096, 32, 32, 4, 9216), "moe_intermediate_size": 1024, "first_k_dense_replace": 1},
            102_889_705_216,
        ),
        (  # Hub, inclusionAI/Ling-1T
            {**LING_2, **sizes(8192, 80, 64, 8, 18432), "moe_intermediate_size": 2048, "first_k_dense_replace": 4},
            999_705_328_640,
        ),
    ],
    ids=["Ling-lite-1.5", "Ling-mini-2.0", "Ling-flash-2.0", "Ling-1T"],
)
def test_ling(config: Config, parameters: int) -> None:
    assert archcount.load(config).totals.parameters == parameters


def test_the_names_of_ling_2() -> None:
    inner = {"moe_intermediate_size": 512, "first_k_dense_replace": 1, "num_nextn_predict_layers": 1}
    model = archcount.load({**LING_2, **sizes(2048, 20, 16, 4, 5120), **inner})
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    expected = {
        "model.word_embeddings.weight": (157184, 2048),
        "model.layers.0.attention.query_key_value.weight": (3072, 2048),
        "model.layers.0.attention.dense.weight": (2048, 2048),
        "model.layers.0.attention.query_layernorm.weight": (128,),
        "model.layers.0.mlp.gate_proj.weight": (5120, 2048),
        "model.layers.1.mlp.gate.expert_bias": (256,),
        "model.layers.19.mlp.experts.255.down_proj.weight": (2048, 512),
        "model.layers.19.mlp.shared_experts.up_proj.weight": (512, 2048),
        "model.layers.20.eh_proj.weight": (2048, 4096),
        "model.layers.20.final_layernorm.weight": (2048,),
        "lm_head.weight": (157184, 2048),
    }
    assert {name: shapes[name] for name in expected} == expected


def test_grok_2_is_counted_by_its_class_whatever_its_model_type_says() -> None:
    """Its config says model_type "git"; the names are those SGLang loads, the total its release's 270B."""
    model = archcount.load(GROK_2)
    assert model.totals.parameters == 269_515_497_472
    assert model.totals.active == 114_896_674_816
    assert model.note == "counted by grok-1's rule, after its class Grok1ForCausalLM: its model_type is git"
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    assert shapes["model.layers.63.mlp.down_proj.weight"] == (8192, 32768)
    assert shapes["model.layers.63.block_sparse_moe.experts.7.w3.weight"] == (16384, 8192)
    assert shapes["model.layers.0.self_attn.k_proj.weight"] == (1024, 8192)
    assert shapes["lm_head.weight"] == (131072, 8192)


def test_exaone_4_spells_its_windows_in_letters() -> None:
    """Hub, LGAI-EXAONE/EXAONE-4.0-32B: three layers in four look through a window, the last one never."""
    config = {
        "model_type": "exaone4",
        **sizes(5120, 64, 40, 8, 27392),
        "head_dim": 128,
        "tie_word_embeddings": False,
        "sliding_window": 4096,
        "sliding_window_pattern": "LLLG",
    }
    model = archcount.load(config)
    assert model.totals.parameters == 32_003_216_384
    windows = [part.cache.window for part in model.parts for _ in range(part.times) if part.cache]
    assert sorted(windows, key=str) == [4096] * 48 + [None] * 16
    shorter = archcount.load({**config, "num_hidden_layers": 3})
    assert [part.cache.window for part in shorter.parts for _ in range(part.times) if part.cache] == [4096, 4096, None]


def test_letters_that_mean_nothing_are_refused() -> None:
    message = r"^config: sliding_window_pattern is 'LLX': should be letters L and G, or a number$"
    with pytest.raises(archcount.ArchcountError, match=message):
        archcount.load({"model_type": "exaone4", "sliding_window_pattern": "LLX"})


def test_longcat_flash_stores_nothing_for_its_experts_that_hand_on() -> None:
    """Hub: 561,862,880,256, a prediction layer with a table of its own in it, which the config does not declare."""
    ahead = (
        131_072 * 6_144  # the table
        + 2 * 6_144 * 6_144  # its projection
        + 3 * 6_144 * 12_288  # its MLP
        + (1_536 + 576) * 6_144 + 1_536 * 64 * 192 + 512 * 64 * 256 + 6_144 * 64 * 128 + 1_536 + 512  # its attention
        + 5 * 6_144  # its norms
    )  # fmt: skip
    assert archcount.load({"model_type": "longcat_flash"}).totals.parameters == 561_862_880_256 - ahead


def test_mpt_s_other_mlps_are_refused_and_the_published_one_is_not() -> None:
    """MosaicML's code knows a gated MLP too, whose third matrix Hugging Face's class would leave out."""
    with pytest.raises(
        archcount.ArchcountError, match=r"^config: ffn_config\.ffn_type is 'mptglu': should be 'mptmlp'$"
    ):
        archcount.load({"model_type": "mpt", "ffn_config": {"ffn_type": "mptglu"}})
    mpt_7b = {"d_model": 4096, "n_layers": 32, "n_heads": 32, "vocab_size": 50432}
    model = archcount.load({"model_type": "mpt", **mpt_7b, "ffn_config": {"ffn_type": "mptmlp"}})
    assert model.totals.parameters == 6_649_286_656  # Hub, mosaicml/mpt-7b
