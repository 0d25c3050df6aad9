"""The words for rotary positions name the base that the config gives, wherever it gives it."""

import pytest

from archcount.positions import Rotary


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "RoPE"),
        ({"rope_theta": 10000.0}, "RoPE 10,000"),
        ({"rope_theta": 1000000}, "RoPE 1,000,000"),
        ({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "RoPE 500,000"),
        ({"rope_parameters": {"rope_theta": 500000.0, "rope_type": "llama3"}}, "RoPE 500,000"),
        ({"rope_theta": 10000.0, "rope_parameters": {"rope_theta": 10000.0}}, "RoPE 10,000"),
        (
            {
                "rope_parameters": {
                    "full_attention": {"rope_theta": 1000000.0, "rope_type": "default"},
                    "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
                }
            },
            "RoPE 1,000,000 and 10,000",
        ),
    ],
)
def test_the_words_name_the_base(keys: dict[str, object], words: str) -> None:
    assert Rotary.model_validate(keys).rope == words
