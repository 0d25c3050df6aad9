"""`archcount diff A B` as JSON, CSV and Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

Run = Callable[..., str]


def test_json(run: Run) -> None:
    found = json.loads(run("diff", "llama-3.1-8b", "llama-3.1-70b", "--json"))
    assert found["keys"][0] == {
        "key": "hidden_size", "change": "changed", "before": 4096, "after": 8192, "given": [True, True], "read": True,
        "alone": {"parameters": 10_714_615_808, "active": 10_714_615_808, "cache_per_token": 65_536}, "refused": None,
    }  # fmt: skip
    assert found["tensors"][1] == {
        "change": "reshaped",
        "section": "main",
        "before": {
            "pattern": "model.layers.{0-31}.self_attn.q_proj.weight", "times": 32, "shape": [4096, 4096],
            "formula": "num_attention_heads × (hidden_size ÷ num_attention_heads) × hidden_size", "storage": "own",
            "parameters": 536_870_912,
        },
        "after": {
            "pattern": "model.layers.{0-79}.self_attn.q_proj.weight", "times": 80, "shape": [8192, 8192],
            "formula": "num_attention_heads × (hidden_size ÷ num_attention_heads) × hidden_size", "storage": "own",
            "parameters": 5_368_709_120,
        },
        "parameters": 4_831_838_208,
        "active": 4_831_838_208,
        "keys": ["hidden_size", "num_hidden_layers"],
    }  # fmt: skip
    assert found["roles"][1] == {
        "section": "main", "role": "attention", "before": 1_342_177_280, "after": 12_079_595_520,
        "change": 10_737_418_240, "kinds_before": ["GQA 32/8"], "kinds_after": ["GQA 64/8"],
    }  # fmt: skip
    assert found["totals"]["parameters"] == {
        "before": 8_030_261_248, "after": 70_553_706_496, "change": 62_523_445_248,
    }  # fmt: skip


def test_csv_has_bare_numbers(run: Run) -> None:
    rows = list(csv.reader(io.StringIO(run("diff", "gpt2", "gpt2-xl", "--format", "csv", "--only", "totals"))))
    assert rows[1] == ["parameters", "124439808", "1557611200", "1433171392"]


LARGEST_COMMENT = 65_536  # characters that a comment on GitHub may have


def test_markdown_fits_a_comment(run: Run) -> None:
    printed = run("diff", "gpt2", "deepseek-v3", "--format", "markdown")
    assert printed.startswith("## gpt2 → deepseek-v3\n\n| key | before | after | alone | why |\n|")
    assert len(printed) < LARGEST_COMMENT
    longest = run("diff", "qwen3-0.6b", "qwen3-235b-a22b", "--format", "markdown")
    assert len(longest) < LARGEST_COMMENT
    assert "| model.layers.{0-93}.mlp.gate.weight |" in longest
