"""Layers that predict further tokens, which transformers drops: their names are those public loaders read."""

from pathlib import Path

import pytest

import archcount
from archcount import registry

from .look_ahead import ahead

NOT_KNOWN = ["axk1", "axk2", "dots3_note_text", "glm5_next_text", "mistral4", "sarvam_moe", "step3_text"]


@pytest.mark.parametrize("model_type", NOT_KNOWN)
def test_layers_whose_names_are_not_known_are_said_not_to_be_read(model_type: str) -> None:
    model = archcount.load({"model_type": model_type, "num_nextn_predict_layers": 1})
    assert "mtp" not in model.totals.by_section
    assert model.config.unread() == {"num_nextn_predict_layers": 1}


def test_the_page_lists_the_types_that_count_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "architectures-and-classes.md").read_text(encoding="utf-8")
    rows = page.partition("## Layers that look ahead")[2].split("|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    listed = [name for row in rows for name in row.split("|")[1].strip().split(", ")]
    schemas = {model_type: registry.find(model_type).schema for model_type in registry.model_types()}
    keys = {"num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers", "mtp_config"}
    built = [name for name, schema in schemas.items() if keys & schema.model_fields.keys() - schema.unbuilt]
    assert sorted(listed) == sorted(built)


def test_ling_3() -> None:
    """vLLM bailing_moe_v3_mtp.py and exllamav3 bailing_moe_v3_mtp.py: MLA and experts, after the last layer."""
    config: dict[str, object] = {"model_type": "bailing_hybrid"}
    assert archcount.load(config).totals.by_section == {"main": 124_414_211_552, "mtp": 3_072_194_048}
    assert ahead(config) == {
        "model.layers.42.attention.q_proj.weight": (6144, 2560),
        "model.layers.42.attention.kv_a_proj_with_mqa.weight": (576, 2560),
        "model.layers.42.attention.kv_a_layernorm.weight": (512,),
        "model.layers.42.attention.kv_b_proj.weight": (8192, 512),
        "model.layers.42.attention.dense.weight": (2560, 4096),
        "model.layers.42.attention.g_proj.weight": (32, 2560),
        "model.layers.42.mlp.gate.weight": (512, 2560),
        "model.layers.42.mlp.gate.expert_bias": (512,),
        "model.layers.42.mlp.shared_experts.gate_proj.weight": (768, 2560),
        "model.layers.42.mlp.shared_experts.up_proj.weight": (768, 2560),
        "model.layers.42.mlp.shared_experts.down_proj.weight": (2560, 768),
        "model.layers.42.input_layernorm.weight": (2560,),
        "model.layers.42.post_attention_layernorm.weight": (2560,),
        "model.layers.42.enorm.weight": (2560,),
        "model.layers.42.hnorm.weight": (2560,),
        "model.layers.42.eh_proj.weight": (2560, 5120),
        "model.layers.42.final_layernorm.weight": (2560,),
    }
    assert "mtp" not in archcount.load({**config, "num_mtp_layers": 0}).totals.by_section


def test_glm_ocr_repeats_its_table_and_head() -> None:
    """Its published header: 526 tensors; 217,852,416 elements in layer 16, 1,107,405,824 in all the others."""
    text = {
        "model_type": "glm_ocr_text",
        "hidden_size": 1536,
        "intermediate_size": 4608,
        "head_dim": 128,
        "num_nextn_predict_layers": 1,
    }
    model = archcount.load({"model_type": "glm_ocr", "text_config": text, "vision_config": {"out_hidden_size": 1536}})
    again = 2 * 59392 * 1536
    assert model.totals.parameters == 1_107_405_824
    assert model.totals.by_section["mtp"] + again == 217_852_416
    assert model.totals.copies == again
    assert model.totals.stored == 1_107_405_824 + 217_852_416
    names = {tensor.name for tensor in model.tensors()}
    assert len(names) == 526
    assert {
        "model.language_model.layers.16.eh_proj.weight",
        "model.language_model.layers.16.shared_head.norm.weight",
        "model.language_model.layers.16.shared_head.head.weight",
        "model.language_model.layers.16.embed_tokens.weight",
        "model.language_model.layers.16.post_mlp_layernorm.weight",
    } < names


def test_deepseek_v4() -> None:
    """DeepSeek-V4-Flash in FP8: 69,187 tensors, 797 weights of them `mtp.0.…`; the base model's hold two more.

    Loaders: vLLM deepseek_v4_mtp.py, SGLang deepseek_v4_nextn.py.
    """
    ratios = [0, 0, *[4, 128] * 20, 4, 0]
    model = archcount.load({"model_type": "deepseek_v4", "compress_ratios": ratios, "num_nextn_predict_layers": 1})
    stored = [tensor for tensor in model.tensors() if tensor.storage.is_in_file]
    own = [tensor.name for tensor in stored if tensor.section == "mtp"]
    packed = (
        "wq_a.weight",
        "wq_b.weight",
        "wkv.weight",
        "wo_a.weight",
        "wo_b.weight",
        "e_proj.weight",
        "h_proj.weight",
    )
    scaled = [
        tensor.name
        for tensor in stored
        if (".compressor." not in tensor.name and tensor.name.endswith(packed)) or "experts." in tensor.name
    ]
    assert len(own) == 797
    assert len(stored) + len(scaled) == 69_187
    assert model.totals.by_section == {"main": 284_332_240_471, "mtp": 6_610_048_891}
    shapes = ahead({"model_type": "deepseek_v4"})
    assert shapes["mtp.0.e_proj.weight"] == shapes["mtp.0.h_proj.weight"] == (4096, 4096)
    assert shapes["mtp.0.attn.wkv.weight"] == (512, 4096)
    assert shapes["mtp.0.hc_head_fn"] == (4, 16384)
    assert shapes["mtp.0.hc_attn_base"] == (24,)
    assert shapes["mtp.0.emb.tok_emb.weight"] == shapes["mtp.0.head.weight"] == (129280, 4096)


def test_deepseek_v4_with_dspark_holds_other_layers() -> None:
    model = archcount.load({"model_type": "deepseek_v4", "dspark_block_size": 5, "dspark_markov_rank": 256})
    assert "mtp" not in model.totals.by_section
    assert model.config.unread() == {"dspark_markov_rank": 256}


def test_k_exaone_looks_ahead_with_a_dense_layer() -> None:
    """vLLM exaone_moe_mtp.py and SGLang exaone_moe_mtp.py; sizes of K-EXAONE-236B-A23B, whose card says 236B."""
    config: dict[str, object] = {
        "model_type": "exaone_moe",
        "vocab_size": 153600,
        "hidden_size": 6144,
        "intermediate_size": 18432,
        "num_hidden_layers": 48,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "moe_intermediate_size": 2048,
        "num_experts": 128,
        "num_nextn_predict_layers": 1,
        "mtp_share_layers": True,
        "mtp_layer_types": ["sliding_attention"],
    }
    assert archcount.load(config).totals.by_section == {"main": 236_571_156_352, "mtp": 528_513_280}
    assert ahead(config) == {
        "mtp.fc.weight": (6144, 12288),
        "mtp.layers.0.self_attn.q_proj.weight": (8192, 6144),
        "mtp.layers.0.self_attn.k_proj.weight": (1024, 6144),
        "mtp.layers.0.self_attn.v_proj.weight": (1024, 6144),
        "mtp.layers.0.self_attn.o_proj.weight": (6144, 8192),
        "mtp.layers.0.self_attn.q_norm.weight": (128,),
        "mtp.layers.0.self_attn.k_norm.weight": (128,),
        "mtp.layers.0.mlp.gate_proj.weight": (18432, 6144),
        "mtp.layers.0.mlp.up_proj.weight": (18432, 6144),
        "mtp.layers.0.mlp.down_proj.weight": (6144, 18432),
        "mtp.layers.0.input_layernorm.weight": (6144,),
        "mtp.layers.0.post_attention_layernorm.weight": (6144,),
        "mtp.norm.weight": (6144,),
        "mtp.pre_fc_norm_embedding.weight": (6144,),
        "mtp.pre_fc_norm_hidden.weight": (6144,),
    }


@pytest.mark.parametrize(("steps", "shares", "layers"), [(1, True, 1), (3, True, 1), (3, False, 3), (0, True, 0)])
def test_exaone_4_5_looks_ahead_beside_the_language_model(steps: int, shares: bool, layers: int) -> None:
    """vLLM exaone4_5_mtp.py, its index: norms after, no table, no head. A shared layer is stored once (llama.cpp)."""
    text = {
        "model_type": "exaone4_5_text",
        "vocab_size": 153600,
        "hidden_size": 5120,
        "intermediate_size": 27392,
        "num_hidden_layers": 64,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "num_nextn_predict_layers": steps,
        "mtp_share_layers": shares,
    }
    config = {"model_type": "exaone4_5", "text_config": text}
    assert archcount.load(config).totals.by_section["main"] == 32_527_504_384
    one, frame = 483_666_176, 52_444_160
    assert archcount.load(config).totals.by_section.get("mtp", 0) == (frame + layers * one if layers else 0)
    fixed = ["mtp.fc.weight", "mtp.norm.weight", "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight"]
    names = [name for name in ahead(config) if ".layers." not in name]
    norms = [name for name in ahead(config) if ".layers." in name and name.endswith("layernorm.weight")]
    assert names == (fixed if layers else [])
    assert norms == [
        f"mtp.layers.{index}.post_{part}_layernorm.weight"
        for index in range(layers)
        for part in ("attention", "feedforward")
    ]


def test_inkling() -> None:
    """Its mtp.safetensors: 160 tensors in 10,520,911,944 bytes, a header of 20,528 and its length among them."""
    further = {"num_nextn_predict_layers": 8, "chain_hidden_post_norm": False, "local_layer_ids": [0, 2, 4, 5, 6, 7]}
    config: dict[str, object] = {"model_type": "inkling_mm_model", "mtp_config": further}
    shapes = ahead(config)
    assert len(shapes) == 160
    assert 2 * archcount.load(config).totals.by_section["mtp"] == 10_520_911_944 - 20_528 - 8
    before = "model.mtp.layers.{}.transformer_block."
    assert shapes["model.mtp.layers.0.input_proj.weight"] == (6144, 12288)
    assert shapes[f"{before.format(0)}attn.k_sconv.weight"] == (2048, 1, 4)
    assert shapes[f"{before.format(1)}attn.k_sconv.weight"] == (1024, 1, 4)
    assert shapes[f"{before.format(0)}attn.rel_logits_proj.proj"] == (16, 512)
    assert shapes[f"{before.format(1)}attn.rel_logits_proj.proj"] == (16, 1024)
    assert shapes[f"{before.format(7)}mlp.w13_dn.weight"] == (49152, 6144)
    shared = ahead({"model_type": "inkling_mm_model", "mtp_config": {**further, "chain_hidden_post_norm": True}})
    assert set(shared) - set(shapes) == {"model.mtp.chain_norm.weight"}
    assert ahead({"model_type": "inkling_mm_model"}) == {}


def test_longcat_flash_stores_its_table_again() -> None:
    """vLLM longcat_flash_mtp.py and SGLang longcat_flash_nextn.py name all 17 tensors of the weights."""
    totals = archcount.load({"model_type": "longcat_flash", "num_nextn_predict_layers": 1}).totals
    assert totals.by_section == {"main": 560_664_980_480, "mtp": 392_593_408}
    assert totals.copies == 131_072 * 6_144
    assert totals.stored == 561_862_880_256  # Hub, meituan-longcat/LongCat-Flash-Chat
    assert ahead({"model_type": "longcat_flash", "num_nextn_predict_layers": 1}) == {
        "model.mtp.embed_tokens.weight": (131072, 6144),
        "model.mtp.layers.0.eh_proj.weight": (6144, 12288),
        "model.mtp.layers.0.enorm.m.weight": (6144,),
        "model.mtp.layers.0.hnorm.m.weight": (6144,),
        "model.mtp.layers.0.input_layernorm.weight": (6144,),
        "model.mtp.layers.0.self_attn.q_a_proj.weight": (1536, 6144),
        "model.mtp.layers.0.self_attn.q_a_layernorm.weight": (1536,),
        "model.mtp.layers.0.self_attn.q_b_proj.weight": (12288, 1536),
        "model.mtp.layers.0.self_attn.kv_a_proj_with_mqa.weight": (576, 6144),
        "model.mtp.layers.0.self_attn.kv_a_layernorm.weight": (512,),
        "model.mtp.layers.0.self_attn.kv_b_proj.weight": (16384, 512),
        "model.mtp.layers.0.self_attn.o_proj.weight": (6144, 8192),
        "model.mtp.layers.0.post_attention_layernorm.weight": (6144,),
        "model.mtp.layers.0.transformer_layer.mlp.gate_proj.weight": (12288, 6144),
        "model.mtp.layers.0.transformer_layer.mlp.up_proj.weight": (12288, 6144),
        "model.mtp.layers.0.transformer_layer.mlp.down_proj.weight": (6144, 12288),
        "model.mtp.norm.weight": (6144,),
    }
    assert ahead({"model_type": "longcat_flash"}) == {}


def test_mimo_v2_flash() -> None:
    """vLLM mimo_v2_mtp.py, SGLang mimo_v2_flash_nextn.py, llama.cpp conversion/mimo.py; card: 309B, 0.33B a layer."""
    config: dict[str, object] = {"model_type": "mimo_v2_flash", "num_nextn_predict_layers": 3}
    assert archcount.load(config).totals.by_section == {"main": 308_778_780_864, "mtp": 3 * 329_273_408}
    shapes = ahead(config)
    assert len(shapes) == 3 * 14
    first = {name: shape for name, shape in shapes.items() if name.startswith("model.mtp.layers.0.")}
    assert first == {
        "model.mtp.layers.0.enorm.weight": (4096,),
        "model.mtp.layers.0.hnorm.weight": (4096,),
        "model.mtp.layers.0.eh_proj.weight": (4096, 8192),
        "model.mtp.layers.0.input_layernorm.weight": (4096,),
        "model.mtp.layers.0.self_attn.q_proj.weight": (12288, 4096),
        "model.mtp.layers.0.self_attn.k_proj.weight": (1536, 4096),
        "model.mtp.layers.0.self_attn.v_proj.weight": (1024, 4096),
        "model.mtp.layers.0.self_attn.o_proj.weight": (4096, 8192),
        "model.mtp.layers.0.self_attn.attention_sink_bias": (64,),
        "model.mtp.layers.0.pre_mlp_layernorm.weight": (4096,),
        "model.mtp.layers.0.mlp.gate_proj.weight": (16384, 4096),
        "model.mtp.layers.0.mlp.up_proj.weight": (16384, 4096),
        "model.mtp.layers.0.mlp.down_proj.weight": (4096, 16384),
        "model.mtp.layers.0.final_layernorm.weight": (4096,),
    }
