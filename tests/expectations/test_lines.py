"""Where a key stands, in TOML and in JSON."""

from __future__ import annotations

import pytest

from archcount.expectations.lines import json_lines, toml_line

TOML = '''\
title = """
parameters = 1
[models.a]
"""
[models.a]
config = "parameters"
note = "x"
parameters = 5  # parameters
sizes = [
    1,
]
[models."b c"]
active = { max = 1 }
models.parameters = 3

[models]
d = { config = "y", parameters = 9 }
'''


@pytest.mark.parametrize(
    ("steps", "line"),
    [
        (("models", "a", "parameters"), 8),
        (("models", "a", "config"), 6),
        (("models", "a", "sizes"), 9),
        (("models", "b c", "active"), 13),
        (("models", "b c", "active", "max"), 13),
        (("models", "b c", "models", "parameters"), 14),
        (("models", "d", "parameters"), 17),
        (("title",), 1),
        (("models", "a", "bytes"), None),
        (("models", "e", "parameters"), None),
    ],
)
def test_a_key_of_toml(steps: tuple[str, ...], line: int | None) -> None:
    assert toml_line(TOML, steps) == line


def test_keys_of_json() -> None:
    text = """{
  "model_type": "gemma3", "eos_token_id": [1, 106],
  "text_config": {
    "hidden_size": 2560,
    "rope_scaling": {"factor": 8.0,
      "rope_type": "linear: {"}
  },
  "block_configs": [
    {"hidden_size": 1}
  ],
  "hidden_size"
    : 3
}"""
    assert json_lines(text) == {
        "model_type": 2,
        "eos_token_id": 2,
        "text_config": 3,
        "text_config.hidden_size": 4,
        "text_config.rope_scaling": 5,
        "text_config.rope_scaling.factor": 5,
        "text_config.rope_scaling.rope_type": 6,
        "block_configs": 8,
        "block_configs[].hidden_size": 9,
        "hidden_size": 12,
    }
