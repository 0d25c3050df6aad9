"""What ExLlama's files hold: EXL2 without the lengths its writer chose, EXL3 by the list it writes."""

from __future__ import annotations

import pytest

import archcount
from archcount import ArchcountError
from archcount.model import Model
from tests.quantization.test_stored import LLAMA, MIXTRAL, model, stored

QWEN: dict[str, object] = {
    "model_type": "qwen2",
    "hidden_size": 128,
    "intermediate_size": 320,
    "vocab_size": 1_000,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "tie_word_embeddings": True,
    "torch_dtype": "float32",
}
LAYER = "model.layers.0"
MATRICES = ("q_proj", "k_proj", "v_proj", "o_proj"), ("gate_proj", "up_proj", "down_proj")


def listed(*, head: float = 6, bits: float = 4, codebook: str = "mcg", layers: int = 1) -> dict[str, object]:
    """exllamav3's `tensor_storage`, less the shapes, which are not asked for."""

    def exl3(module: str, width: float) -> dict[str, object]:
        names = [f"{module}.{last}" for last in ("suh", "svh", "trellis", codebook)]
        return {"stored_tensors": dict.fromkeys(names), "quant_format": "exl3", "bits_per_weight": width}

    attention, mlp = MATRICES
    names = [*(f"self_attn.{name}" for name in attention), *(f"mlp.{name}" for name in mlp)]
    modules = [f"model.layers.{layer}.{name}" for layer in range(layers) for name in names]
    plain: dict[str, object] = {
        name: {"stored_tensors": {f"{name}.weight": {}}} for name in ("model.embed_tokens", "model.norm")
    }
    return {**plain, **{name: exl3(name, bits) for name in modules}, "lm_head": exl3("lm_head", head)}


def exl3_of(base: dict[str, object], storage: object) -> Model:
    return model(base, quant_method="exl3", bits=4.0, head_bits=6, tensor_storage=storage)


def test_exl2_of_a_tiny_llama() -> None:
    found = stored(model(LLAMA, quant_method="exl2", bits=4.0, head_bits=6))
    layers = "model.layers.{0-1}"
    assert {name: shape for name, shape in found.items() if "down_proj" in name} == {
        f"{layers}.mlp.down_proj.q_weight": ((-1, 256), "I32"),
        f"{layers}.mlp.down_proj.q_scale": ((-1, 32), "I32"),
        f"{layers}.mlp.down_proj.q_scale_max": ((-1,), "F16"),
        f"{layers}.mlp.down_proj.q_groups": ((-1,), "I16"),
        f"{layers}.mlp.down_proj.q_invperm": ((512,), "I32"),
    }
    assert found["lm_head.q_weight"] == ((-1, 1_024), "I32")  # 1,000 outputs and 24 to fill them up
    assert found["lm_head.q_scale"] == ((-1, 128), "I32")
    plain = {f"{layers}.input_layernorm.weight", f"{layers}.post_attention_layernorm.weight"}
    assert {name for name in found if name.endswith(".weight")} == {
        *("model.embed_tokens.weight", "model.norm.weight"),
        *plain,
    }
    assert len(found) == 4 + 5 * 8


def test_exl2_keeps_a_tied_head_packed_and_biases_in_half_precision() -> None:
    loaded = model(QWEN, quant_method="exl2")
    found = stored(loaded)
    assert found["lm_head.q_weight"] == ((-1, 1_024), "I32")
    assert found["lm_head.q_invperm"] == ((128,), "I32")
    assert found["model.embed_tokens.weight"] == ((1_000, 128), "F16")  # whatever the config's own type
    assert found[f"{LAYER}.self_attn.k_proj.bias"] == ((64,), "F16")
    assert "lm_head.weight" not in found
    (head,) = [one for one in loaded.stored if one.pattern == "lm_head.q_weight"]
    assert (head.represents, head.row.tensor.storage.value) == (128_000, "copy")


def test_exl2_leaves_routers_as_they_are() -> None:
    found = stored(model(MIXTRAL, quant_method="exl2"))
    assert found["model.layers.{0-1}.block_sparse_moe.gate.weight"] == ((4, 256), "F16")
    assert found["model.layers.{0-1}.block_sparse_moe.experts.{0-3}.w2.q_weight"] == ((-1, 256), "I32")


def test_exl2_copies_a_tower_as_it_is() -> None:
    raw = archcount.load("qwen2.5-vl-3b").raw
    found = stored(archcount.load({**raw, "quantization_config": {"quant_method": "exl2"}}))
    assert {kind for name, kind in found.items() if name.endswith(".attn.qkv.weight")} == {((3_840, 1_280), None)}
    assert found["visual.merger.mlp.2.weight"] == ((2_048, 5_120), None)
    assert found["lm_head.q_weight"] == ((-1, 151_936), "I32")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("phi-3-mini", r"self_attn\.qkv_proj\.weight: it is stored in parts"),
        ("gpt2", r"attn\.c_attn\.weight: it is stored in parts"),
        ("gpt-oss-20b", r"mlp\.experts\.gate_up_proj: it is stored in parts"),
        ("deepseek-v3", r"self_attn\.q_a_proj\.weight: none of exllamav2's own names"),
    ],
)
def test_exl2_of_other_names_is_refused(name: str, reason: str) -> None:
    raw = {**archcount.load(name).raw, "quantization_config": {"quant_method": "exl2"}}
    with pytest.raises(ArchcountError, match=reason):
        _ = archcount.load(raw).stored


def test_no_total_is_told_where_the_writer_chose_the_size() -> None:
    loaded = model(LLAMA, quant_method="exl2", bits=4.0)
    assert (loaded.totals.stored, loaded.totals.bookkeeping, loaded.stored_bytes) == (None, None, None)
    assert loaded.totals.parameters == 1_824_000
    with pytest.raises(ArchcountError, match=r"q_proj\.weight is chosen by the quantizer: .*; give --dtype"):
        loaded.memory(64)
    assert loaded.memory(64, dtype="int4").weights_bytes == 912_000


def test_exl3_of_a_tiny_llama() -> None:
    loaded = exl3_of(LLAMA, listed(layers=2))
    found = stored(loaded)
    layers = "model.layers.{0-1}"
    assert {name: shape for name, shape in found.items() if "down_proj" in name} == {
        f"{layers}.mlp.down_proj.trellis": ((32, 16, 64), "I16"),
        f"{layers}.mlp.down_proj.suh": ((512,), "F16"),
        f"{layers}.mlp.down_proj.svh": ((256,), "F16"),
        f"{layers}.mlp.down_proj.mcg": ((), "I32"),
    }
    assert found["lm_head.trellis"] == ((16, 64, 96), "I16")  # outputs filled up to 1,024
    assert found["lm_head.svh"] == ((1_024,), "F16")
    packed = 2 * 655_360 * 4 // 16 + 1_024 * 256 * 6 // 16
    scales = 2 * (4 * 512 + 3 * 768) + 1_280 + 15  # and a mark for each of fifteen matrices
    assert loaded.totals.bookkeeping == scales
    assert loaded.totals.stored == packed + scales + 256_000 + 5 * 256
    assert loaded.stored_bytes == 2 * (loaded.totals.stored + 15)


def test_exl3_of_a_tied_qwen_has_a_head_of_its_own() -> None:
    loaded = exl3_of(QWEN, listed(bits=3.5, codebook="mul1"))
    found = stored(loaded)
    assert found[f"{LAYER}.mlp.gate_proj.trellis"] == ((8, 24, 56), "I16")  # 320 outputs filled up to 384
    assert found[f"{LAYER}.mlp.down_proj.trellis"] == ((24, 8, 56), "I16")
    assert found[f"{LAYER}.mlp.down_proj.suh"] == ((384,), "F16")
    assert found[f"{LAYER}.self_attn.k_proj.bias"] == ((128,), "F16")
    assert found[f"{LAYER}.mlp.up_proj.mul1"] == ((), "I32")
    assert found["lm_head.trellis"] == ((8, 64, 96), "I16")
    assert loaded.totals.copies == loaded.totals.tied == 128_000
    assert loaded.memory(64).weights_bytes == loaded.stored_bytes  # the packed head stands beside the table


def test_exl3_s_first_scales_were_signs() -> None:
    storage = listed()
    storage[f"{LAYER}.mlp.up_proj"] = {
        "stored_tensors": dict.fromkeys(f"{LAYER}.mlp.up_proj.{last}" for last in ("su", "sv", "trellis")),
        "quant_format": "exl3",
        "bits_per_weight": 4,
    }
    found = stored(exl3_of(QWEN, storage))
    assert {name.rpartition(".")[2]: kind for name, kind in found.items() if "up_proj" in name} == {
        "trellis": ((8, 24, 64), "I16"),
        "su": ((8,), "I16"),
        "sv": ((24,), "I16"),
    }


def test_exl3_keeps_what_is_listed_so_as_it_is() -> None:
    storage = {**listed(), "lm_head": {"stored_tensors": {"lm_head.weight": {}}}}
    untied = {**QWEN, "tie_word_embeddings": False}
    assert stored(exl3_of(untied, storage))["lm_head.weight"] == ((1_000, 128), "F16")


@pytest.mark.parametrize(
    ("storage", "reason"),
    [
        (None, "widths stand in tensor_storage, which is missing: keep the quantization_config.json"),
        ({"model.norm": {}}, r"tensor_storage lists no model\.layers\.0\.self_attn\.q_proj"),
        (listed(bits=3.3), r"gives model\.layers\.0\.self_attn\.q_proj 3\.3 bits"),
    ],
)
def test_exl3_without_a_width_for_each_matrix_is_refused(storage: object, reason: str) -> None:
    with pytest.raises(ArchcountError, match=reason):
        _ = exl3_of(QWEN, storage).stored
