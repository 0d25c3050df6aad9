"""LED by what transformers 5.24 builds of allenai/led-base-16384."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError

BASE: dict[str, object] = {
    "model_type": "led",
    "d_model": 768,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_ffn_dim": 3072,
    "decoder_ffn_dim": 3072,
    "encoder_attention_heads": 12,
    "decoder_attention_heads": 12,
    "attention_window": [1024] * 6,
}


@pytest.mark.parametrize(
    ("class_name", "parameters"),
    [
        ("LEDForConditionalGeneration", 161_844_480),
        ("LEDModel", 161_844_480),
        ("LEDForQuestionAnswering", 161_846_018),
    ],
)
def test_each_class(class_name: str, parameters: int) -> None:
    assert archcount.load({**BASE, "architectures": [class_name]}).totals.parameters == parameters


def test_a_class_of_the_decoder_alone_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no led class of that name is known"):
        archcount.load({**BASE, "architectures": ["LEDForCausalLM"]})


def test_a_token_of_the_source_meets_half_a_window_on_either_side() -> None:
    """A pair costs 2 × 12 heads × (64 + 64) FLOPs in each of 6 layers, of which one has a window of its own."""
    pair, narrow = 2 * 12 * 128, [512] + [1024] * 5
    wide = archcount.load(BASE).flops(context=1, source=4096)
    assert wide.encoder - archcount.load({**BASE, "attention_window": narrow}).flops(
        context=1, source=4096
    ).encoder == (4096 * pair * 512)
    assert wide.left_out == ("global tokens: what is computed for them",)


def test_a_list_of_windows_has_one_for_each_layer() -> None:
    with pytest.raises(ConfigValueError, match="attention_window has 5 entries: should have one for each of 6 layers"):
        archcount.load({**BASE, "attention_window": [1024] * 5})
