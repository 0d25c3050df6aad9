"""Layers that predict further tokens, which transformers drops: their names are those public loaders read."""

import pytest

import archcount

Shapes = dict[str, tuple[int, ...]]

NOT_KNOWN = ["axk1", "axk2", "dots3_note_text", "glm5_next_text", "mistral4", "sarvam_moe", "step3_text"]


def ahead(config: dict[str, object]) -> Shapes:
    """The tensors of the section, an expert's left out."""
    tensors = archcount.load(config).tensors()
    return {
        tensor.name: tensor.shape for tensor in tensors if tensor.section == "mtp" and ".experts." not in tensor.name
    }


@pytest.mark.parametrize("model_type", NOT_KNOWN)
def test_layers_whose_names_are_not_known_are_said_not_to_be_read(model_type: str) -> None:
    model = archcount.load({"model_type": model_type, "num_nextn_predict_layers": 1})
    assert "mtp" not in model.totals.by_section
    assert model.config.unread() == {"num_nextn_predict_layers": 1}


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
