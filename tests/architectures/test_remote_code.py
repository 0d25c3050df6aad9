"""Published families whose code lives in their repository: transformers builds none of them, so these are the fixtures.

A source with a figure is the repository's index (`total_size`, in bytes); without one, its safetensors metadata or its
model card; `≈` marks a card that rounds.
"""

import pytest

import archcount
from archcount.errors import ConfigValueError

from .remote_configs import ARCTIC, DEEPSEEK_MOE, ELM, GLM_1, GLM_2, KIMI, MINIMAX, MOLMO, PHI_2, sizes

Shapes = dict[str, tuple[int, ...]]


@pytest.mark.parametrize(
    ("config", "parameters", "source"),
    [
        ({"model_type": "internlm"}, 7_321_948_160, "internlm-7b ≈ 7.3B"),
        (
            {"model_type": "internlm", "bias": False, **sizes(5120, 60, 40, 13824), "num_key_value_heads": 40},
            20_088_714_240,
            "internlm-20b, index 40,177,428,480",
        ),
        (
            {"model_type": "internlm2", "bias": False, "num_key_value_heads": 8, **sizes(4096, 32, 32, 14336, 92544)},
            7_737_708_544,
            "internlm2-7b, index 15,475,417,088",
        ),
        ({"model_type": "baichuan", "vocab_size": 64000}, 7_000_559_616, "Baichuan-7B"),
        ({"model_type": "baichuan", **sizes(5120, 40, 40, 13696, 64000)}, 13_264_901_120, "Baichuan-13B"),
        ({"model_type": "baichuan"}, 7_505_973_248, "Baichuan2-7B"),
        ({"model_type": "baichuan", **sizes(5120, 40, 40, 13696)}, 13_896_668_160, "Baichuan2-13B"),
        ({"model_type": "qwen"}, 7_721_324_544, "Qwen-7B"),
        ({"model_type": "qwen", **sizes(5120, 40, 40, 27392, 152064)}, 14_167_290_880, "Qwen-14B"),
        (
            {"model_type": "qwen", **sizes(8192, 80, 64, 49152, 152064)},
            72_287_920_128,
            "Qwen-72B, index 144,575,840,256",
        ),
        ({"model_type": "qwen", **sizes(2048, 24, 16, 11008)}, 1_836_828_672, "Qwen-1_8B"),
        (GLM_1, 6_173_286_400, "chatglm-6b ≈ 6.2B; its index: test_the_index_of_chatglm_6b"),
        (GLM_2, 6_243_584_000, "chatglm2-6b, chatglm3-6b: index 12,487,168,064 with 32 frequencies"),
        (
            {**GLM_2, "padded_vocab_size": 151552, "num_layers": 40},
            9_399_951_360,
            "glm-4-9b: index 18,799,902,784 with 32 frequencies",
        ),
        ({**ELM, "num_transformer_layers": 16, "model_dim": 1280}, 271_527_168, "OpenELM-270M"),
        ({**ELM, "num_transformer_layers": 20, "model_dim": 1536}, 457_179_136, "OpenELM-450M"),
        ({**ELM, "num_transformer_layers": 28, "model_dim": 2048}, 1_079_891_456, "OpenELM-1_1B"),
        ({**ELM, "num_transformer_layers": 36, "model_dim": 3072, "head_dim": 128}, 3_036_647_424, "OpenELM-3B"),
        (DEEPSEEK_MOE, 16_375_728_128, "deepseek-moe-16b"),
        (KIMI, 1_026_408_232_448, "Kimi-K2, without its quantization's scales"),
        (MINIMAX, 456_089_655_296, "MiniMax-Text-01, MiniMax-M1"),
        ({"model_type": "minicpm", **sizes(2304, 40, 36, 5760, 122753)}, 2_724_880_896, "MiniCPM-2B"),
        ({"model_type": "phi3small"}, 7_392_272_384, "Phi-3-small ≈ 7.39B"),
        ({"model_type": "phi-msft", **PHI_2}, 2_779_683_840, "phi-2, index 5,559,367,680 in 16 bits"),
        (
            {"model_type": "mixformer-sequential", **PHI_2},
            2_779_683_840,
            "phi-2 in its first form, 11,118,735,360 in 32",
        ),
        ({"model_type": "phi-msft", **PHI_2, "n_embd": 2048, "n_layer": 24}, 1_418_270_720, "phi-1_5"),
        ({"model_type": "xverse", "vocab_size": 100534}, 13_717_652_480, "XVERSE-13B ≈ 13.7B"),
        ({"model_type": "orion", "hidden_size": 5120}, 14_498_703_360, "Orion-14B ≈ 14.5B"),
        ({"model_type": "Yi"}, 6_061_035_520, "Yi-6B"),
        ({"model_type": "Yi", "num_key_value_heads": 8, **sizes(7168, 60, 56, 20480)}, 34_388_917_248, "Yi-34B"),
        ({"model_type": "stablelm_epoch"}, 2_795_443_200, "stablelm-3b-4e1t"),
        ({"model_type": "aquila"}, 7_295_537_152, "Aquila-7B ≈ 7.3B"),
        ({"model_type": "skywork", **sizes(4608, 52, 36, 12288, 65519)}, 13_854_113_280, "Skywork-13B ≈ 13.85B"),
        ({"model_type": "telechat"}, 7_200_018_432, "telechat-7B ≈ 7B"),
        ({"model_type": "plamo", **sizes(5120, 40, 40, 16640, 50432)}, 13_099_545_600, "plamo-13b ≈ 13.1B"),
        (
            {"model_type": "PanguEmbedded"},
            8_030_887_936,
            "openPangu-Embedded-7B, index 16,061,784,576 with frequencies",
        ),
        (
            {"model_type": "grok-1", "num_key_value_heads": 8, **sizes(6144, 64, 48, 32768, 131072)},
            315_684_820_992,
            "grok-1 ≈ 314B",
        ),
        (ARCTIC, 478_584_608_768, "snowflake-arctic ≈ 480B"),
        (MOLMO, 8_021_025_280, "Molmo-7B-D-0924"),
        (
            {
                "model_type": "gpt_neox_reward_model",
                "architectures": ["GPTNeoXRewardModel"],
                **sizes(2048, 24, 16, 8192, 50288),
            },
            1_311_594_497,
            "oasst-rm-2.1-pythia-1.4b, index 5,246,377,988 in 32 bits",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_parameters_are_those_published(config: dict[str, object], parameters: int, source: str) -> None:
    assert archcount.load(config).totals.parameters == parameters, source


def test_the_index_of_chatglm_6b() -> None:
    """Its 13,744,473,856 bytes are those of the first vocabulary: norms in 32 bits, 32 frequencies a layer."""
    totals = archcount.load({**GLM_1, "vocab_size": 150528}).totals
    norms, frequencies = (2 * 28 + 1) * 2 * 4096, 28 * 32
    assert totals.stored == 13_744_473_856 // 2 - norms - frequencies


def test_chatglm_stores_its_tied_head() -> None:
    assert archcount.load(GLM_1).totals.stored == 6_173_286_400 + 130_528 * 4096
    untied = archcount.load({**GLM_1, "tie_word_embeddings": False}).totals
    assert untied.parameters == 6_173_286_400 + 130_528 * 4096


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({**GLM_1, "pre_seq_len": 128}, {"embedding.weight": (128, 2 * 28 * 4096)}),
        ({**GLM_2, "pre_seq_len": 128}, {"embedding.weight": (128, 2 * 28 * 256)}),
        (
            {**GLM_1, "pre_seq_len": 128, "prefix_projection": True},
            {
                "embedding.weight": (128, 4096),
                "trans.0.weight": (4096, 4096),
                "trans.0.bias": (4096,),
                "trans.2.weight": (229376, 4096),
                "trans.2.bias": (229376,),
            },
        ),
    ],
)
def test_a_tuned_prefix_of_chatglm_is_counted(config: dict[str, object], expected: Shapes) -> None:
    prefix = "transformer.prefix_encoder."
    tensors = archcount.load(config).tensors()
    found = {t.name.removeprefix(prefix): tuple(t.shape) for t in tensors if t.name.startswith(prefix)}
    assert found == expected


def test_a_classifier_of_chatglm_keeps_the_head_inside_its_model() -> None:
    config = {**GLM_2, "architectures": ["ChatGLMForSequenceClassification"], "num_labels": 3}
    names = {tensor.name: tuple(tensor.shape) for tensor in archcount.load(config).tensors()}
    assert names["classifier_head.weight"] == (3, 4096)
    assert names["transformer.output_layer.weight"] == (65024, 4096)


def test_the_layer_of_mimo_that_looks_ahead_stands_apart() -> None:
    config = {"model_type": "mimo", "num_key_value_heads": 8, "num_nextn_predict_layers": 1}
    totals = archcount.load({**config, **sizes(4096, 36, 32, 11008, 151680)}).totals
    assert totals.parameters == 7_622_619_136
    assert totals.parameters + totals.by_section["mtp"] == 7_833_409_536  # XiaomiMiMo/MiMo-7B-Base


def test_a_token_of_deepseek_moe_passes_six_experts_and_two_shared_ones() -> None:
    assert archcount.load(DEEPSEEK_MOE).totals.active == 2_828_650_496  # "2.8B" in the paper


def test_codet5p_looks_across_from_its_last_layer_alone() -> None:
    """codet5p-16b: 33,218,048,000 bytes, 16-bit weights and a byte for each place of each causal mask."""
    encoder = {"vocab_size": 51200, "n_embd": 1024, "n_layer": 20, "n_head": 16}
    decoder = {"vocab_size": 51200, "n_embd": 6144, "n_layer": 34, "n_head": 24}
    model = archcount.load({"model_type": "codet5p", "encoder": encoder, "decoder": decoder})
    masks = (20 + 34 + 1) * 2048 * 2048
    assert model.totals.stored == model.totals.parameters + masks
    assert 2 * model.totals.parameters + masks == 33_218_048_000
    across = [t.name for t in model.tensors() if "crossattention.q_attn" in t.name]
    assert across == ["decoder.transformer.h.33.crossattention.q_attn.weight"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**GLM_2, "eva_config": {"hidden_size": 1792}}, "eva_config.num_layers is missing"),
        ({"model_type": "xverse", "num_experts": 64}, "num_experts is 64: XVERSE's mixtures of experts are not known"),
        ({"model_type": "skywork", "num_experts": [16]}, r"num_experts is \[16\]: Skywork's mixtures"),
        ({"model_type": "qwen", "intermediate_size": 22017}, r"intermediate_size \(22017\) does not divide by 2"),
        ({**ELM, "num_query_heads": [4, 4]}, "num_query_heads has 2 entries: should have one for each of 12 layers"),
        ({**ELM, "qkv_multipliers": [0.5, 0.6, 1.0]}, "qkv_multipliers has 3 entries: should have two, or be a number"),
        ({**MINIMAX, "attn_type_list": [2] * 80}, r"attn_type_list holds 2: should be 0 \(lightning\) or 1 \(full\)"),
        ({**MINIMAX, "attn_type_list": [0]}, "has 1 entries: should have one for each of 80 layers"),
        ({**MOLMO, "moe_num_experts": 64}, "moe_num_experts, weight_tying: neither is known here for Molmo"),
        ({"model_type": "phi-msft", "tie_word_embeddings": True}, "the published class ties nothing"),
        (
            {"model_type": "phi3small", "ff_intermediate_size": None},
            "ff_intermediate_size is null: give the MLP's width",
        ),
    ],
)
def test_what_is_not_known_is_refused(config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load(config)
