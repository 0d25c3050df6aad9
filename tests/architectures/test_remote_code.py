"""Published families whose code lives in their repository: transformers builds none of them, so these are the fixtures.

A source with a figure is the repository's index (`total_size`, in bytes); without one, its safetensors metadata or its
model card; `≈` marks a card that rounds.
"""

from collections.abc import Mapping

import pytest

import archcount
from archcount.errors import ConfigValueError

Shapes = dict[str, tuple[int, ...]]

GLM = {"model_type": "chatglm", "architectures": ["ChatGLMModel"], "add_qkv_bias": True}
GLM_MAP = {"auto_map": {"AutoModel": "modeling_chatglm.ChatGLMForConditionalGeneration"}}
GLM_2 = {**GLM, **GLM_MAP, "multi_query_attention": True, "multi_query_group_num": 2}
GLM_1 = {"model_type": "chatglm", "inner_hidden_size": 16384}
ELM = {
    "model_type": "openelm",
    "head_dim": 64,
    "num_gqa_groups": 4,
    "normalize_qk_projections": True,
    "share_input_output_layers": True,
    "ffn_multipliers": [0.5, 4.0],
    "qkv_multipliers": [0.5, 1.0],
}
MINIMAX = {
    "model_type": "minimax_m1",
    "vocab_size": 200064,
    "hidden_size": 6144,
    "intermediate_size": 9216,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "num_local_experts": 32,
    "num_experts_per_tok": 2,
    "attn_type_list": ([0] * 7 + [1]) * 10,
}
PHI_2 = {"vocab_size": 51200, "n_embd": 2560, "n_layer": 32, "n_head": 32}
MOLMO = {
    "model_type": "molmo",
    "vocab_size": 152064,
    "embedding_size": 152064,
    "hidden_size": 3584,
    "intermediate_size": 37888,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "qkv_bias": True,
}
DEEPSEEK_MOE = {
    "model_type": "deepseek",
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "moe_intermediate_size": 1408,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "n_shared_experts": 2,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "first_k_dense_replace": 1,
}
KIMI = {
    "model_type": "kimi_k2",
    "vocab_size": 163840,
    "n_routed_experts": 384,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "first_k_dense_replace": 1,
}
ARCTIC = {
    "model_type": "arctic",
    "hidden_size": 7168,
    "intermediate_size": 4864,
    "num_hidden_layers": 35,
    "num_attention_heads": 56,
    "num_key_value_heads": 8,
    "num_local_experts": 128,
    "num_experts_per_tok": 2,
    "moe_layer_frequency": 1,
    "parallel_attn_mlp_res": True,
}


def sizes(width: int, layers: int, heads: int, inner: int | None = None, vocab: int | None = None) -> dict[str, int]:
    """A config's usual keys."""
    given = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads}
    more = {"intermediate_size": inner, "vocab_size": vocab}
    return given | {key: value for key, value in more.items() if value is not None}


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


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            {"model_type": "internlm"},
            {"model.layers.31.self_attn.o_proj.bias": (4096,), "model.layers.0.mlp.gate_proj.weight": (11008, 4096)},
        ),
        (
            {"model_type": "internlm2", "bias": False, "num_key_value_heads": 8},
            {
                "model.tok_embeddings.weight": (103168, 4096),
                "model.layers.0.attention.wqkv.weight": (6144, 4096),
                "model.layers.0.attention.wo.weight": (4096, 4096),
                "model.layers.0.feed_forward.w2.weight": (4096, 11008),
                "model.layers.0.ffn_norm.weight": (4096,),
                "output.weight": (103168, 4096),
            },
        ),
        ({"model_type": "Yi"}, {"model.layers.0.ln1.weight": (4096,), "model.layers.31.ln2.weight": (4096,)}),
        ({"model_type": "baichuan"}, {"model.layers.0.self_attn.W_pack.weight": (12288, 4096)}),
        (
            {"model_type": "qwen", **sizes(5120, 40, 40, 27392, 152064)},
            {
                "transformer.h.39.attn.c_attn.weight": (15360, 5120),
                "transformer.h.39.attn.c_attn.bias": (15360,),
                "transformer.h.39.mlp.w1.weight": (13696, 5120),
                "transformer.h.39.mlp.w2.weight": (13696, 5120),
                "transformer.h.39.mlp.c_proj.weight": (5120, 13696),
            },
        ),
        (
            GLM_1,
            {
                "transformer.word_embeddings.weight": (130528, 4096),
                "transformer.layers.27.attention.query_key_value.bias": (12288,),
                "transformer.layers.27.mlp.dense_h_to_4h.weight": (16384, 4096),
                "transformer.final_layernorm.bias": (4096,),
                "lm_head.weight": (130528, 4096),
            },
        ),
        (
            GLM_2,
            {
                "transformer.embedding.word_embeddings.weight": (65024, 4096),
                "transformer.rotary_pos_emb.inv_freq": (32,),
                "transformer.encoder.layers.27.self_attention.query_key_value.weight": (4608, 4096),
                "transformer.encoder.layers.27.self_attention.query_key_value.bias": (4608,),
                "transformer.encoder.layers.27.mlp.dense_h_to_4h.weight": (27392, 4096),
                "transformer.encoder.final_layernorm.weight": (4096,),
                "transformer.output_layer.weight": (65024, 4096),
            },
        ),
        (
            {**ELM, "num_transformer_layers": 16, "model_dim": 1280},
            {
                "transformer.token_embeddings.weight": (32000, 1280),
                "transformer.layers.0.attn.qkv_proj.weight": (18 * 64, 1280),
                "transformer.layers.15.attn.qkv_proj.weight": (30 * 64, 1280),
                "transformer.layers.15.attn.q_norm.weight": (64,),
                "transformer.layers.0.ffn.proj_1.weight": (2 * 768, 1280),
                "transformer.layers.15.ffn.proj_2.weight": (1280, 5120),
            },
        ),
        (
            DEEPSEEK_MOE,
            {
                "model.layers.0.mlp.gate_proj.weight": (10944, 2048),
                "model.layers.1.mlp.gate.weight": (64, 2048),
                "model.layers.27.mlp.experts.63.down_proj.weight": (2048, 1408),
                "model.layers.27.mlp.shared_experts.up_proj.weight": (2816, 2048),
            },
        ),
        (
            MINIMAX,
            {
                "model.layers.0.self_attn.qkv_proj.weight": (24576, 6144),
                "model.layers.0.self_attn.norm.weight": (8192,),
                "model.layers.7.self_attn.k_proj.weight": (1024, 6144),
                "model.layers.7.block_sparse_moe.experts.31.w2.weight": (6144, 9216),
            },
        ),
        (
            {"model_type": "mixformer-sequential", **PHI_2},
            {
                "layers.0.wte.weight": (51200, 2560),
                "layers.1.mixer.Wqkv.weight": (7680, 2560),
                "layers.32.mlp.fc1.bias": (10240,),
                "layers.33.ln.weight": (2560,),
                "layers.33.linear.bias": (51200,),
            },
        ),
        (
            {"model_type": "phi-msft", **PHI_2},
            {
                "transformer.embd.wte.weight": (51200, 2560),
                "transformer.h.31.mixer.out_proj.weight": (2560, 2560),
                "lm_head.ln.bias": (2560,),
                "lm_head.linear.weight": (51200, 2560),
            },
        ),
        (
            {"model_type": "phi3small"},
            {
                "model.layers.0.self_attn.query_key_value.weight": (6144, 4096),
                "model.layers.0.mlp.up_proj.bias": (28672,),
                "model.final_layernorm.bias": (4096,),
            },
        ),
        (
            {"model_type": "orion", "hidden_size": 5120},
            {"model.norm.bias": (5120,), "model.layers.0.input_layernorm.bias": (5120,)},
        ),
        (
            {"model_type": "telechat"},
            {
                "transformer.h.0.self_attention.key_value.weight": (8192, 4096),
                "transformer.h.0.self_attention.dense.bias": (4096,),
                "transformer.h.0.mlp.down_proj.bias": (4096,),
                "transformer.ln_f.weight": (4096,),
            },
        ),
        (
            {"model_type": "plamo", **sizes(5120, 40, 40, 16640)},
            {
                "model.layers.layers.39.self_attn.k_proj.weight": (640, 5120),
                "model.layers.layers.39.norm.weight": (5120,),
            },
        ),
        (
            {"model_type": "grok-1", "num_key_value_heads": 8, **sizes(6144, 64, 48, 32768)},
            {
                "model.layers.63.attn.k_proj.weight": (1024, 6144),
                "model.layers.63.moe_block.gate.weight": (8, 6144),
                "model.layers.63.moe_block.experts.7.linear_1.weight": (6144, 32768),
                "model.layers.63.post_moe_norm.scale": (6144,),
                "model.norm.scale": (6144,),
            },
        ),
        (
            {**ARCTIC, "moe_layer_frequency": 2},
            {
                "model.layers.0.block_sparse_moe.mlp.w1.weight": (4864, 7168),
                "model.layers.1.block_sparse_moe.experts.127.w3.weight": (4864, 7168),
                "model.layers.1.residual_mlp.w2.weight": (7168, 7168),
                "model.layers.1.residual_layernorm.weight": (7168,),
            },
        ),
        (
            MOLMO,
            {
                "model.transformer.wte.embedding": (152064, 3584),
                "model.transformer.wte.new_embedding": (128, 3584),
                "model.transformer.blocks.27.att_proj.bias": (4608,),
                "model.transformer.blocks.27.ff_proj.weight": (37888, 3584),
                "model.transformer.ff_out.weight": (152064, 3584),
                "model.vision_backbone.image_vit.positional_embedding": (577, 1024),
                "model.vision_backbone.image_vit.transformer.resblocks.22.attention.wq.weight": (1024, 1024),
                "model.vision_backbone.image_pooling_2d.wk.weight": (1024, 2048),
                "model.vision_backbone.image_projector.w2.weight": (3584, 18944),
            },
        ),
        (
            {"model_type": "minicpm", "num_experts": 8, "num_experts_per_tok": 2},
            {"model.layers.0.mlp.gate.weight": (8, 4096), "model.layers.0.mlp.experts.7.w2.weight": (4096, 11008)},
        ),
        (
            {"model_type": "deci", "num_hidden_layers": 2, "num_key_value_heads_per_layer": [4, 1]},
            {
                "model.layers.0.self_attn.k_proj.weight": (512, 4096),
                "model.layers.1.self_attn.v_proj.weight": (128, 4096),
            },
        ),
        (
            {"model_type": "step1", "num_attention_groups": 4, **sizes(3072, 2, 48, 8192, 65536)},
            {"model.layers.1.self_attn.k_proj.weight": (256, 3072), "model.embed_tokens.weight": (65536, 3072)},
        ),
    ],
    ids=lambda value: value.get("model_type", "") if isinstance(value, dict) else "",
)
def test_names_and_shapes_are_the_file_s(config: dict[str, object], expected: Shapes) -> None:
    found = {tensor.name: tuple(tensor.shape) for tensor in archcount.load(config).tensors()}
    assert {name: found.get(name) for name in expected} == expected


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


NAS = {"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64}


def nas(*blocks: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    return {**NAS, "num_hidden_layers": len(blocks), "block_configs": list(blocks)}


def test_a_block_found_by_search_holds_what_it_keeps() -> None:
    nothing, straight = {"no_op": True}, {"replace_with_linear": True}
    model = archcount.load(
        nas(
            {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}},
            {"attention": nothing, "ffn": {"ffn_mult": 1.3125}},
            {"attention": straight, "ffn": straight},
            {"attention": {"n_heads_in_group": 16, "window_length": 1024}, "ffn": nothing},
        )
    )
    found = {tensor.name: tuple(tensor.shape) for tensor in model.tensors()}
    inside = {name.removeprefix("model.layers."): shape for name, shape in found.items() if ".layers." in name}
    norms = {f"{layer}.{name}.weight": (8192,) for layer, name in _NORMS}
    assert inside == norms | {
        "0.self_attn.q_proj.weight": (8192, 8192),
        "0.self_attn.k_proj.weight": (1024, 8192),
        "0.self_attn.v_proj.weight": (1024, 8192),
        "0.self_attn.o_proj.weight": (8192, 8192),
        "0.mlp.gate_proj.weight": (28672, 8192),
        "0.mlp.up_proj.weight": (28672, 8192),
        "0.mlp.down_proj.weight": (8192, 28672),
        "1.mlp.gate_proj.weight": (7168, 8192),
        "1.mlp.up_proj.weight": (7168, 8192),
        "1.mlp.down_proj.weight": (8192, 7168),
        "2.self_attn.linear_attn.weight": (8192, 8192),
        "2.mlp.linear_mlp.weight": (8192, 8192),
        "3.self_attn.q_proj.weight": (8192, 8192),
        "3.self_attn.k_proj.weight": (512, 8192),
        "3.self_attn.v_proj.weight": (512, 8192),
        "3.self_attn.o_proj.weight": (8192, 8192),
    }


_NORMS = [
    (0, "input_layernorm"),
    (0, "post_attention_layernorm"),
    (1, "post_attention_layernorm"),
    (2, "input_layernorm"),
    (2, "post_attention_layernorm"),
    (3, "input_layernorm"),
]


def test_blocks_found_by_search_that_are_all_llama_count_as_llama_70b() -> None:
    whole: dict[str, dict[str, object]] = {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}}
    assert archcount.load(nas(*[whole] * 80)).totals.parameters == 70_553_706_496


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
        (
            nas({"attention": {}, "ffn": {"ffn_mult": 1.0}}),
            r"block_configs\[0\]\.attention\.n_heads_in_group is missing: give it, or no_op or replace_with_linear",
        ),
        (
            nas({"attention": {"no_op": True}, "ffn": {}}),
            r"block_configs\[0\]\.ffn\.ffn_mult is missing",
        ),
        ({**NAS, "num_hidden_layers": 3, "block_configs": []}, "block_configs has 0 entries"),
    ],
)
def test_what_is_not_known_is_refused(config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load(config)
