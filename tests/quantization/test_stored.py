"""What quantized files hold by the config alone: published figures, and each rule of what is packed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

import archcount
from archcount import ArchcountError
from archcount.model import Model

LLAMA: dict[str, object] = {
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 512,
    "vocab_size": 1_000,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "torch_dtype": "float16",
}
MIXTRAL: dict[str, object] = {
    **LLAMA,
    "model_type": "mixtral",
    "num_key_value_heads": 4,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
}


def model(base: Mapping[str, object], **entry: object) -> Model:
    return archcount.load({**base, "quantization_config": entry})


def stored(loaded: Model) -> dict[str, tuple[tuple[int, ...], str | None]]:
    return {one.pattern: (tuple(map(int, one.shape)), one.dtype) for one in loaded.stored}


def by_type(loaded: Model) -> Counter[str | None]:
    counts: Counter[str | None] = Counter()
    for one in loaded.stored:
        counts[one.dtype] += one.elements
    return counts


def test_gpt_oss_20b() -> None:
    loaded = archcount.load("gpt-oss-20b")
    assert by_type(loaded) == {None: 1_804_459_584, "U8": 9_555_148_800 + 597_196_800}
    assert (loaded.totals.parameters, loaded.totals.bookkeeping) == (20_914_757_184, 597_196_800)


def test_deepseek_v3() -> None:
    totals = archcount.load("deepseek-v3").totals
    assert (totals.stored, totals.bookkeeping) == (684_531_386_000, 41_540_496)


def test_bytes_where_a_rule_names_a_type_as_configs_do() -> None:
    """DeepSeek-V4's tables of experts are int64: 8 bytes, whatever the model's own type."""
    loaded = archcount.load({"model_type": "deepseek_v4", "torch_dtype": "bfloat16"})
    counts = by_type(loaded)
    assert set(counts) == {None, "float32", "int64"}
    assert loaded.stored_bytes == 2 * counts[None] + 4 * counts["float32"] + 8 * counts["int64"]


def test_gpt2_in_four_bits() -> None:
    """Loaded so, its parameters() prints 81,972,480: 39,505,152 in 16 bits and 42,467,328 bytes of two weights."""
    loaded = model(
        archcount.load("gpt2").raw, quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_quant_type="nf4"
    )
    packed = sum(one.elements for one in loaded.stored if one.dtype == "U8" and not one.is_bookkeeping)
    plain = sum(one.elements for one in loaded.stored if one.dtype is None)
    assert (plain, packed) == (39_505_152, 42_467_328)
    assert plain + 2 * packed == loaded.totals.parameters == 124_439_808


def test_gpt2_s_matrices_lie_the_other_way_round() -> None:
    """GPTQ and 8-bit see 768 inputs and 2,304 outputs, though the model stores [768, 2304]."""
    gpt2 = archcount.load("gpt2").raw
    found = stored(model(gpt2, quant_method="gptq", bits=4, group_size=128))
    assert found["transformer.h.{0-11}.attn.c_attn.qweight"] == ((96, 2_304), "I32")
    assert found["transformer.h.{0-11}.mlp.c_proj.qweight"] == ((384, 768), "I32")
    assert stored(model(gpt2, load_in_8bit=True))["transformer.h.{0-11}.attn.c_attn.weight"] == ((2_304, 768), "I8")


def test_mlx_in_six_bits_packs_by_32_over_6() -> None:
    loaded = archcount.load({**LLAMA, "quantization": {"bits": 6, "group_size": 64}})
    found = stored(loaded)
    assert found["model.layers.{0-1}.mlp.down_proj.weight"] == ((256, 96), "U32")
    assert found["model.layers.{0-1}.mlp.down_proj.biases"] == ((256, 8), None)
    assert found["model.embed_tokens.weight"] == ((1_000, 48), "U32")
    assert found["model.norm.weight"] == ((256,), None)


def test_mlx_overrides_by_module() -> None:
    entry = {"bits": 4, "group_size": 64, "lm_head": {"bits": 8, "group_size": 32}, "model.layers.1.mlp.up_proj": False}
    found = stored(archcount.load({**LLAMA, "quantization": entry}))
    assert found["lm_head.weight"] == ((1_000, 64), "U32")
    assert found["lm_head.scales"] == ((1_000, 8), None)
    assert found["model.layers.1.mlp.up_proj.weight"] == ((512, 256), None)
    assert found["model.layers.0.mlp.up_proj.weight"] == ((512, 32), "U32")


def test_mlx_leaves_what_its_groups_do_not_divide() -> None:
    found = stored(archcount.load({**LLAMA, "intermediate_size": 400, "quantization": {"bits": 4, "group_size": 64}}))
    assert found["model.layers.{0-1}.mlp.down_proj.weight"] == ((256, 400), None)


def test_mlx_stacks_experts() -> None:
    found = stored(archcount.load({**MIXTRAL, "quantization": {"bits": 4, "group_size": 64}}))
    assert found["model.layers.{0-1}.block_sparse_moe.switch_mlp.gate_proj.weight"] == ((4, 512, 32), "U32")
    assert found["model.layers.{0-1}.block_sparse_moe.switch_mlp.down_proj.scales"] == ((4, 256, 8), None)
    assert found["model.layers.{0-1}.block_sparse_moe.gate.weight"] == ((4, 32), "U32")


def test_mlx_keeps_gpt_oss_s_gate_and_up_apart() -> None:
    raw = {**archcount.load("gpt-oss-20b").raw, "quantization": {"bits": 4, "group_size": 32, "mode": "mxfp4"}}
    found = stored(archcount.load({key: value for key, value in raw.items() if key != "quantization_config"}))
    names = {pattern.partition(".mlp.experts.")[2]: size for pattern, size in found.items() if ".experts." in pattern}
    assert names["gate_proj.weight"] == names["up_proj.weight"] == ((32, 2_880, 360), "U32")
    assert names["down_proj.scales"] == ((32, 2_880, 90), "U8")
    assert names["up_proj.bias"] == ((32, 2_880), None)


def test_gptq_by_patterns() -> None:
    dynamic = {r"-:.*\.down_proj": {}, r"+:.*layers\.1\..*": {"bits": 8, "group_size": 32}}
    found = stored(model(LLAMA, quant_method="gptq", bits=4, group_size=128, dynamic=dynamic))
    assert found["model.layers.{0-1}.mlp.down_proj.weight"] == ((256, 512), None)
    assert found["model.layers.0.mlp.up_proj.qweight"] == ((32, 512), "I32")
    assert found["model.layers.1.mlp.up_proj.qweight"] == ((64, 512), "I32")
    assert found["model.layers.1.mlp.up_proj.scales"] == ((8, 512), "F16")


def test_gptq_of_some_modules_of_a_block() -> None:
    inside = [["self_attn.q_proj", "self_attn.k_proj"]]
    found = stored(model(LLAMA, quant_method="gptq", bits=4, group_size=128, modules_in_block_to_quantize=inside))
    packed = {pattern for pattern in found if pattern.endswith("qweight")}
    assert packed == {"model.layers.{0-1}.self_attn.q_proj.qweight", "model.layers.{0-1}.self_attn.k_proj.qweight"}


def test_a_bias_of_zeros_is_foreseen_and_not_counted() -> None:
    loaded = model(LLAMA, quant_method="gptq", bits=4, group_size=128)
    (bias,) = [one for one in loaded.stored if one.pattern == "model.layers.{0-1}.mlp.down_proj.bias"]
    assert (bias.shape, bias.is_optional, bias.elements) == ((256,), True, 0)


def test_awq_s_gemv_pads_small_groups() -> None:
    found = stored(model(LLAMA, quant_method="awq", bits=4, group_size=32, version="gemv"))
    assert found["model.layers.{0-1}.mlp.up_proj.qweight"] == ((512, 32), "I32")
    assert found["model.layers.{0-1}.mlp.up_proj.qzeros"] == ((512, 4), "I32")
    assert found["model.layers.{0-1}.mlp.up_proj.scales"] == ((512, 32), "F16")


def test_bitsandbytes_in_wider_storage() -> None:
    found = stored(model(LLAMA, load_in_4bit=True, bnb_4bit_quant_storage="bfloat16"))
    assert found["model.layers.{0-1}.self_attn.q_proj.weight"] == ((16_384, 1), "BF16")


def test_block_scales_round_up() -> None:
    found = stored(model({**LLAMA, "intermediate_size": 300}, quant_method="fp8", weight_block_size=[128, 128]))
    assert found["model.layers.{0-1}.mlp.up_proj.weight_scale_inv"] == ((3, 2), "F32")


def test_compressed_tensors_in_several_groups() -> None:
    groups = {
        "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "strategy": "channel"}},
        "group_1": {"targets": ["re:.*mlp.*"], "weights": {"num_bits": 4, "group_size": 64}},
    }
    entry = {"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"]}
    found = stored(model(LLAMA, **entry, config_groups=groups))
    assert found["model.layers.{0-1}.self_attn.q_proj.weight_packed"] == ((256, 64), "I32")
    assert found["model.layers.{0-1}.self_attn.q_proj.weight_scale"] == ((256, 1), None)
    assert found["model.layers.{0-1}.mlp.down_proj.weight_packed"] == ((256, 64), "I32")
    assert found["model.layers.{0-1}.mlp.down_proj.weight_scale"] == ((256, 8), None)


def test_a_class_takes_every_linear_that_is_not_ignored() -> None:
    groups = {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "strategy": "channel"}}}
    entry = {"quant_method": "compressed-tensors", "format": "int-quantized", "config_groups": groups}
    found = stored(model(MIXTRAL, **entry, ignore=["re:.*gate$"]))
    assert found["lm_head.weight"] == ((1_000, 256), "I8")
    assert found["model.layers.{0-1}.block_sparse_moe.gate.weight"] == ((4, 256), None)
    assert stored(model(MIXTRAL, **entry))["model.layers.{0-1}.block_sparse_moe.gate.weight"] == ((4, 256), "I8")


def test_packed_experts_are_taken_apart() -> None:
    raw = {key: value for key, value in archcount.load("gpt-oss-20b").raw.items() if key != "quantization_config"}
    groups = {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "group_size": 32}}}
    entry = {"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["re:.*router", "lm_head"]}
    found = stored(model(raw, **entry, config_groups=groups))
    experts = {pattern.partition(".mlp.")[2]: size for pattern, size in found.items() if ".experts." in pattern}
    assert experts["experts.{0-31}.gate_proj.weight_packed"] == ((2_880, 360), "I32")
    assert experts["experts.{0-31}.down_proj.weight_scale"] == ((2_880, 90), None)


def test_model_optimizer_s_mixture() -> None:
    layers = {
        "model.layers.0.mlp.up_proj": {"quant_algo": "FP8"},
        "model.layers.1.mlp.up_proj": {"quant_algo": "NVFP4"},
    }
    found = stored(model(LLAMA, quant_method="modelopt", quant_algo="MIXED_PRECISION", quantized_layers=layers))
    assert found["model.layers.0.mlp.up_proj.weight"] == ((512, 256), "F8_E4M3")
    assert found["model.layers.1.mlp.up_proj.weight"] == ((512, 128), "U8")
    assert found["model.layers.{0-1}.mlp.down_proj.weight"] == ((256, 512), None)


@pytest.mark.parametrize("place", ["text_config", "top"])
def test_the_entry_may_be_nested(place: str) -> None:
    raw = archcount.load("gemma-3-4b").raw
    entry = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
    text = {**raw["text_config"], **entry} if place == "text_config" else raw["text_config"]  # type: ignore[dict-item]
    config = {**raw, "text_config": text, **(entry if place == "top" else {})}
    assert any(pattern.endswith("weight_scale_inv") for pattern in stored(archcount.load(config)))


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"quant_method": "torchao"}, "quant_type is missing"),
        ({"quant_method": "torchao", "quant_type": {"default": {"_type": "Int4WeightOnlyConfig"}}}, "2, by row"),
        ({"quant_method": "quanto"}, "transformers cannot save it"),
        ({"quant_method": "nonesuch"}, "archcount knows aqlm, auto-round, awq"),
        ({"quant_method": "exl3"}, "or ask where the Hub is reached"),
        (
            {"quant_method": "auto-round", "bits": 4, "group_size": 128, "packing_format": "auto_round:nogptq"},
            "packing_format 'auto_round:nogptq' has no layout",
        ),
        ({"bits": 4}, "names no quant_method"),
        ({"quant_method": "gptq"}, "bits is missing"),
        ({"quant_method": "gptq", "bits": 4, "checkpoint_format": "marlin"}, "kept as 'marlin' has no layout"),
        ({"quant_method": "gptq", "bits": "four", "group_size": 128}, "bits is 'four': should be a whole number"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128.5}, "group_size is 128.5"),
        ({"quant_method": "gptq", "bits": 4, "group_size": -2}, "group_size is -2: should be a whole number from -1"),
        ({"quant_method": "gptq", "bits": 4, "dynamic": {"-:[": {}}}, r"'\[' is no regular expression"),
        ({"quant_method": "awq", "bits": True}, "bits is True"),
        ({"quant_method": "fp8", "weight_block_size": "x"}, "weight_block_size is 'x': should be two whole numbers"),
        ({"quant_method": "fp8", "weight_block_size": [128, 0]}, r"weight_block_size is \[128, 0\]: should be two"),
        ({"quant_method": "fp8", "modules_to_not_convert": "lm_head"}, "is 'lm_head': should be a list of texts"),
        ({"quant_method": "fp8", "modules_to_not_convert": ["["]}, "is no regular expression"),
        ({"quant_method": "compressed-tensors", "ignore": ["re:["]}, r"'\[' is no regular expression"),
        ({"quant_method": "compressed-tensors", "config_groups": {"a": 4}}, "should be an object of objects"),
        ({"quant_method": "aqlm", "nbits_per_codebook": 10**30}, "should be a whole number from 1 to 64"),
        ({"quant_method": "hqq", "quant_config": "x"}, "quant_config is 'x': should be an object"),
        ({"load_in_4bit": True, "bnb_4bit_quant_storage": "float64"}, "bitsandbytes in 'float64' has no layout"),
        ({"quant_method": "torchao", "quant_type": "int4_weight_only"}, "torchao's 'int4_weight_only' has no layout"),
        ({"quant_method": "awq", "bits": 4, "version": "ipex"}, "AWQ version 'ipex'"),
        ({"quant_method": "modelopt", "quant_algo": "W4A8_MXFP4_FP8"}, "Model Optimizer's 'W4A8_MXFP4_FP8'"),
        ({"quant_method": "compressed-tensors", "sparsity_config": {"format": "sparse-24-bitmask"}}, "sparse weights"),
    ],
)
def test_what_has_no_layout_is_refused_with_the_reason(entry: dict[str, object], reason: str) -> None:
    with pytest.raises(ArchcountError, match=reason):
        _ = model(LLAMA, **entry).stored


@pytest.mark.parametrize(("block", "packed"), [("model.layers", 14), ("model.layers.1", 7), ("model.layer", 0)])
def test_a_block_that_auto_round_names_is_whole_steps(block: str, packed: int) -> None:
    entry = {"bits": 4, "group_size": 128, "packing_format": "auto_round:auto_gptq", "block_name_to_quantize": block}
    found = model(LLAMA, quant_method="auto-round", **entry).stored
    assert sum(one.times for one in found if one.path[-1] == "qweight") == packed


@pytest.mark.parametrize(("version", "words"), [("0.15.0", 26), ("0.17.1", 26), ("0.18.0", 24), ("0.20.1", 24)])
def test_three_bits_of_compressed_tensors_by_its_version(version: str, words: int) -> None:
    """Ten 3-bit weights to a word in compressed_tensors until 0.17; from 0.18.0 on 32 of them in three words."""
    groups = {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 3, "group_size": 64, "symmetric": False}}}
    entry = {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups}
    found = stored(model(LLAMA, **entry, version=version))
    assert found["model.layers.{0-1}.self_attn.q_proj.weight_packed"] == ((256, words), "I32")
    assert found["model.layers.{0-1}.self_attn.q_proj.weight_zero_point"] == ((words, 4), "I32")
    with pytest.raises(ArchcountError, match="its config's version should say"):
        _ = model(LLAMA, **entry).stored


@pytest.mark.parametrize(("version", "dtype"), [("5.24.0", None), ("4.57.6", "I8"), (None, "I8")])
def test_falcon_s_own_linear_by_the_version_of_transformers(version: str | None, dtype: str | None) -> None:
    """bitsandbytes 0.50.2 with either version wrote so: 5 takes torch's Linear alone, 4 what derives from it too."""
    base = {"model_type": "falcon", "hidden_size": 128, "num_attention_heads": 4, "transformers_version": version}
    found = stored(model(base, quant_method="bitsandbytes", load_in_8bit=True))
    assert found["transformer.h.{0-31}.mlp.dense_h_to_4h.weight"] == ((512, 128), dtype)
