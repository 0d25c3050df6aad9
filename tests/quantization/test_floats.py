"""FP8 as transformers keeps it: of experts, of static activations, with experts in FP4."""

from __future__ import annotations

import pytest

import archcount
from archcount import ArchcountError

from .test_stored import LLAMA, model, stored


def test_fp8_of_experts_as_transformers_keeps_them() -> None:
    """`FP8Experts` of transformers 5.24: a scale an expert, for gates and ups apart, and of static activations."""
    base = {"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "num_local_experts": 4}
    config = {**base, "hidden_size": 256, "intermediate_size": 256, "num_hidden_layers": 2, "vocab_size": 512}
    found = stored(model(config, quant_method="fp8", activation_scheme="static"))
    experts = "model.layers.0.mlp.experts"
    assert found[f"{experts}.gate_up_proj_scale_inv"] == ((4, 2, 1), "F32")
    assert found[f"{experts}.down_proj_scale_inv"] == ((4, 1, 1), "F32")
    assert found[f"{experts}.gate_up_proj_activation_scale"] == ((4,), "F32")
    assert found[f"{experts}.down_proj_activation_scale"] == ((4,), "F32")


def test_static_activations_of_fp8_by_block_have_their_scale() -> None:
    found = stored(model(LLAMA, quant_method="fp8", activation_scheme="static", weight_block_size=[128, 128]))
    assert found["model.layers.{0-1}.self_attn.q_proj.weight_scale_inv"] == ((2, 2), "F32")
    assert found["model.layers.{0-1}.self_attn.q_proj.activation_scale"] == ((), "F32")


def test_fp8_with_experts_in_fp4() -> None:
    """Two weights a byte, kept as I8, and a scale for each 32 inputs of every output."""
    entry: dict[str, object] = {"quant_method": "fp8", "weight_block_size": [128, 128], "expert_dtype": "fp4"}
    found = stored(model(archcount.load("qwen3-30b-a3b").raw, **entry))
    expert = "model.layers.{0-47}.mlp.experts.{0-127}.gate_proj"
    assert found[f"{expert}.weight"] == ((768, 1_024), "I8")
    assert found[f"{expert}.weight_scale_inv"] == ((768, 64), "F32")
    assert found["model.layers.{0-47}.self_attn.k_proj.weight"] == ((512, 2_048), "F8_E4M3")
    with pytest.raises(ArchcountError, match="experts in 'int3' has no layout"):
        _ = model(LLAMA, **{**entry, "expert_dtype": "int3"}).stored
