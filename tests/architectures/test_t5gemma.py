"""T5Gemma by what transformers 5.24 builds of google/t5gemma-b-b-ul2."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError

SIDE: dict[str, object] = {
    "hidden_size": 768,
    "intermediate_size": 2048,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_key_value_heads": 12,
    "head_dim": 64,
}
BASE: dict[str, object] = {"model_type": "t5gemma", "encoder": SIDE, "decoder": SIDE}


@pytest.mark.parametrize(
    ("class_name", "has_decoder", "parameters", "tensors"),
    [
        ("T5GemmaForConditionalGeneration", True, 591_490_560, 341),
        ("T5GemmaModel", True, 591_490_560, 340),
        ("T5GemmaForSequenceClassification", True, 591_492_098, 342),
        ("T5GemmaForTokenClassification", True, 591_492_098, 342),
        ("T5GemmaForTokenClassification", False, 281_581_826, 136),
        ("T5GemmaEncoderModel", False, 281_580_288, 134),
    ],
)
def test_each_class(class_name: str, has_decoder: bool, parameters: int, tensors: int) -> None:
    model = archcount.load({**BASE, "architectures": [class_name], "is_encoder_decoder": has_decoder})
    assert (model.totals.parameters, len(list(model.tensors()))) == (parameters, tensors)


def test_only_the_decoder_keeps_keys_and_values() -> None:
    """12 layers keep 2 × 12 × 64 for each of 16 tokens, and of 100 source tokens too, at two bytes."""
    memory = archcount.load(BASE).memory(context=16, source=100, dtype="bf16")
    assert memory.cache_bytes == 2 * 12 * 2 * 12 * 64 * (16 + 100)


def test_another_class_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no t5gemma class of that name is known"):
        archcount.load({**BASE, "architectures": ["T5GemmaForQuestionAnswering"]})
