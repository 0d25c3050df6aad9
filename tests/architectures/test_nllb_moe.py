"""NLLB-MoE by what transformers 5.24 builds of facebook/nllb-moe-54b."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError

NLLB_54B: dict[str, object] = {
    "model_type": "nllb-moe",
    "d_model": 2048,
    "encoder_layers": 24,
    "decoder_layers": 24,
    "encoder_ffn_dim": 8192,
    "decoder_ffn_dim": 8192,
    "vocab_size": 256206,
}


@pytest.mark.parametrize(("class_name", "tensors"), [("ForConditionalGeneration", 7124), ("Model", 7123)])
def test_each_class(class_name: str, tensors: int) -> None:
    model = archcount.load({**NLLB_54B, "architectures": [f"NllbMoe{class_name}"]})
    assert (model.totals.parameters, len(list(model.tensors()))) == (54_500_569_088, tensors)


def test_a_token_visits_two_experts_of_128() -> None:
    expert = 2 * 2048 * 8192 + 2048 + 8192
    assert archcount.load(NLLB_54B).totals.active == 54_500_569_088 - 12 * 126 * expert


def test_a_step_of_none_leaves_no_experts() -> None:
    model = archcount.load({**NLLB_54B, "encoder_sparse_step": 0, "decoder_sparse_step": 1})
    routers = [tensor.section for tensor in model.tensors() if tensor.name.endswith("router.classifier.weight")]
    assert routers == ["decoder"] * 24


def test_a_class_of_the_decoder_alone_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no nllb-moe class of that name is known"):
        archcount.load({**NLLB_54B, "architectures": ["NllbMoeForCausalLM"]})
