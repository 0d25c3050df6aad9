"""A file that matches, with one thing in it changed: a mismatch, or a note where writers differ in just that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount import Verdict, Verification
from archcount.verification.findings import Kind

from ..architectures.patterns import expand
from . import tiny
from .files import Tensor, write_headers

WRITTEN = Path(__file__).parents[1] / "quantization" / "written.jsonl"
FILES: list[dict[str, Any]] = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
MISSING, SHAPE, DTYPE = Kind.MISSING, Kind.WRONG_SHAPE, Kind.WRONG_DTYPE
FIRST, SECOND = "model.layers.0.", "model.layers.1."


def recorded(kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The config and the tensors of the first file of a kind that a quantizer's package wrote."""
    file = next(file for file in FILES if file["kind"] == kind)
    tensors = ((name, str(dtype), list(shape)) for name, (dtype, *shape) in expand(file["tensors"]))
    return file["config"], {tensor[0]: tensor for tensor in tensors}


def verified(folder: Path, config: dict[str, Any], tensors: dict[str, Tensor]) -> Verification:
    write_headers(folder / "model.safetensors", tensors.values())
    return archcount.verify(config, folder)


def against(answer: Verification) -> list[tuple[Kind, str]]:
    return [(finding.kind, finding.subject) for finding in answer.findings if not finding.is_note]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("bnb-llama-8bit", f"{FIRST}mlp.up_proj.weight_format"),
        ("llama-gptq-4", f"{SECOND}self_attn.q_proj.g_idx"),
        ("ct-llama-nvfp4", f"{SECOND}self_attn.q_proj.input_global_scale"),
        ("mo-llama-fp8kv", f"{FIRST}self_attn.q_proj.input_scale"),
        ("mo-llama-fp8kv", f"{FIRST}self_attn.k_proj.k_scale"),
        ("mo-llama-w4a8awq", f"{SECOND}self_attn.o_proj.pre_quant_scale"),
        ("hqqf-llama-4", f"{SECOND}mlp.up_proj.packing"),
    ],
)
def test_what_may_be_left_out_is_left_out_everywhere(tmp_path: Path, kind: str, name: str) -> None:
    config, tensors = recorded(kind)
    del tensors[name]
    answer = verified(tmp_path, config, tensors)
    assert against(answer) == [(MISSING, name)]
    assert (
        answer.findings[0].cause == "others of its kind are there, which are left out of a file together or not at all"
    )


def test_a_bias_of_zeros_beside_some_matrices_is_no_writers(tmp_path: Path) -> None:
    """Qwen2's biases, under a config that does not declare them: AutoGPTQ would have written one for every matrix."""
    config, tensors = recorded("llama-gptq-4")
    for name in ("q_proj", "k_proj", "v_proj"):
        module = f"{FIRST}self_attn.{name}"
        outputs = tensors[f"{module}.qweight"][2][1]
        tensors[f"{module}.bias"] = (f"{module}.bias", "F16", [outputs])
    answer = verified(tmp_path, config, tensors)
    assert {kind for kind, _ in against(answer)} == {MISSING}
    assert (MISSING, "model.layers.{0-1}.mlp.up_proj.bias") in against(answer)


def test_a_tower_is_left_out_whole(tmp_path: Path) -> None:
    config, tensors = recorded("gemma3-affine-4")  # mlx-lm's, which drops the tower
    assert verified(tmp_path, config, tensors).verdict is Verdict.MATCH_WITH_NOTES
    name = "vision_tower.post_layernorm.weight"
    answer = verified(tmp_path, config, {**tensors, name: (name, "BF16", [768])})
    assert (MISSING, "vision_tower.post_layernorm.bias") in against(answer)


@pytest.mark.parametrize(
    ("kind", "name", "dtype"),
    [
        ("ct-llama-fp8", f"{FIRST}mlp.up_proj.weight", "I8"),  # that is another format, of the same names and shapes
        ("ct-llama-w8chan", f"{FIRST}mlp.up_proj.weight_packed", "F32"),
        ("bnb-llama-8bit", f"{FIRST}mlp.up_proj.weight", "F8_E4M3"),
        ("ct-llama-mxfp8", f"{FIRST}mlp.up_proj.weight_scale", "F8_E4M3"),
        ("ct-llama-nvfp4", f"{FIRST}mlp.up_proj.weight_scale", "F32"),
        ("ct-llama-nvfp4", f"{FIRST}mlp.up_proj.weight_global_scale", "F8_E4M3"),
        ("llama-gptq-4", f"{FIRST}mlp.up_proj.scales", "I16"),
        ("llama-gptq-4", f"{FIRST}mlp.up_proj.qzeros", "F32"),
        ("llama-gptq-4", f"{FIRST}mlp.up_proj.qzeros", "I64"),
        ("llama-gptq-4", f"{FIRST}mlp.up_proj.g_idx", "F32"),
        ("llama-gptq-4", f"{FIRST}input_layernorm.weight", "I32"),
        ("bnb-llama-8bit", f"{FIRST}mlp.up_proj.SCB", "U8"),
    ],
)
def test_numbers_of_another_kind(tmp_path: Path, kind: str, name: str, dtype: str) -> None:
    config, tensors = recorded(kind)
    tensors[name] = (name, dtype, tensors[name][2])
    assert against(verified(tmp_path, config, tensors)) == [(DTYPE, name)]


@pytest.mark.parametrize(
    ("kind", "name", "dtype"),
    [
        ("ct-llama-w4asym", f"{FIRST}mlp.up_proj.weight_scale", "F32"),
        ("ct-llama-w4asym", f"{FIRST}mlp.up_proj.weight_shape", "I32"),
        ("fp8-llama-tensor", f"{FIRST}mlp.up_proj.weight_scale_inv", "F8_E8M0"),
        ("llama-gptq-4", f"{FIRST}mlp.up_proj.g_idx", "I64"),
        ("llama-gptq-4", f"{FIRST}input_layernorm.weight", "F32"),
    ],
)
def test_numbers_of_the_same_kind_in_another_width_are_a_note(tmp_path: Path, kind: str, name: str, dtype: str) -> None:
    config, tensors = recorded(kind)
    tensors[name] = (name, dtype, tensors[name][2])
    answer = verified(tmp_path, config, tensors)
    assert against(answer) == []
    assert (Kind.KEPT_WIDER, name) in [(finding.kind, finding.subject) for finding in answer.findings]


@pytest.mark.parametrize(
    ("kind", "name", "shape"),
    [
        ("mo-llama-w4a8awq", f"{SECOND}self_attn.o_proj.weight_scale", [256, 4]),  # of [256, 2]
        ("mo-llama-fp8_2d_blockwise_weight_only", f"{SECOND}self_attn.q_proj.weight_scale", [2, 1, 1, 1]),
        ("mo-llama-w4a8_nvfp4_fp8", f"{FIRST}mlp.up_proj.weight_scale", [512, 0]),
        ("bnb-llama-8bit", f"{FIRST}mlp.up_proj.SCB", [512, 1]),
        ("bnb-qwen3-fp4dq", f"{FIRST}mlp.up_proj.weight.quant_state.bitsandbytes__fp4", [0]),
    ],
)
def test_a_length_that_no_config_says(tmp_path: Path, kind: str, name: str, shape: list[int]) -> None:
    config, tensors = recorded(kind)
    tensors[name] = (name, tensors[name][1], shape)
    assert against(verified(tmp_path, config, tensors)) == [(SHAPE, name)]


@pytest.mark.parametrize("prefix", ["module.", "zz.", "language_model.", "base_model.model."])
def test_a_prefix_is_of_every_name_or_of_none(tmp_path: Path, prefix: str) -> None:
    name = f"{SECOND}mlp.up_proj.weight"
    tensors = {tensor[0]: tensor for tensor in tiny.tensors()}
    tensors[name] = (prefix + name, *tensors[name][1:])
    found = against(verified(tmp_path, tiny.CONFIG, tensors))
    assert found == [(MISSING, name), (Kind.UNEXPECTED, prefix + name)]


@pytest.mark.parametrize(
    ("name", "met"),
    [
        ("vision_tower.encoder.layers.1.mlp.fc1.weight", "language_model.vision_tower.encoder.layers.1.mlp.fc1.weight"),
        ("vision_tower.encoder.layers.1.mlp.fc1.weight", "encoder.layers.1.mlp.fc1.weight"),
        ("language_model.model.norm.weight", "language_model.language_model.model.norm.weight"),
    ],
)
def test_no_part_of_a_model_s_is_spelled_by_itself(tmp_path: Path, name: str, met: str) -> None:
    config, tensors = recorded("fp8-llava-b96")
    tensors[name] = (met, *tensors[name][1:])
    assert against(verified(tmp_path, config, tensors)) == [(MISSING, name), (Kind.UNEXPECTED, met)]


@pytest.mark.parametrize("prefix", ["zz.", "lm_head."])
def test_a_wrapper_s_prefix_stands_before_more_than_one_name(tmp_path: Path, prefix: str) -> None:
    tensors = {tensor[0]: tensor for tensor in tiny.tensors()}
    tensors["lm_head.weight"] = (f"{prefix}lm_head.weight", *tensors["lm_head.weight"][1:])
    found = against(verified(tmp_path, tiny.CONFIG, tensors))
    assert found == [(MISSING, "lm_head.weight"), (Kind.UNEXPECTED, f"{prefix}lm_head.weight")]


@pytest.mark.parametrize("name", ["model.mtp_layers.1.token_layernorm.weight", "model.layers.3.eh_proj.weight"])
def test_more_that_looks_ahead_than_is_declared(tmp_path: Path, name: str) -> None:
    mimo = {"model_type": "mimo", "architectures": ["MiMoForCausalLM"], "num_nextn_predict_layers": 1}
    config = {**tiny.CONFIG, **mimo}
    model = archcount.load(config)
    own = (one for one in model.tensors() if one.storage.is_in_file)
    tensors = {one.name: (one.name, "BF16", [int(size) for size in one.shape]) for one in own}
    assert against(verified(tmp_path, config, tensors)) == []
    answer = verified(tmp_path, config, {**tensors, name: (name, "BF16", [8])})
    assert against(answer) == [(Kind.UNEXPECTED, name)]


def test_meta_s_names_are_not_mixed_with_others(tmp_path: Path) -> None:
    name = f"{SECOND}mlp.up_proj.weight"
    tensors = {tensor[0]: tensor for tensor in tiny.tensors()}
    tensors[name] = ("layers.1.feed_forward.w3.weight", *tensors[name][1:])
    assert (MISSING, name) in against(verified(tmp_path, tiny.CONFIG, tensors))


def test_a_type_that_nobody_knows_cannot_be_held_against_a_file(tmp_path: Path) -> None:
    tensors = {tensor[0]: tensor for tensor in tiny.tensors()}
    with pytest.raises(archcount.ArchcountError, match="dtype 'bfloat61' is no type known here"):
        verified(tmp_path, {**tiny.CONFIG, "torch_dtype": "bfloat61"}, tensors)
