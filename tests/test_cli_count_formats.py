"""`archcount MODEL` as JSON, CSV and Markdown, in colours or without."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., str]


def test_json_is_one_object_and_nothing_else(run: Run) -> None:
    document = json.loads(run("llama-3.1-8b", "--json"))
    assert document["parameters"] == document["stored"] == 8_030_261_248
    assert document["active_without_input_embedding"] == 7_504_924_672
    assert document["bytes"] == 16_060_522_496
    assert document["parameters_before_set"] is None
    (main_section,) = document["sections"]
    layers = main_section["parts"][1]
    assert (layers["part"], layers["kind"], layers["each"], layers["times"]) == (
        "layers 0–31", "pre-norm", 218_112_000, 32,
    )  # fmt: skip
    assert [part["each"] for part in layers["parts"]] == [41_943_040, 176_160_768, 8_192]
    assert layers["parts"][0]["parts"][1] == {
        "part": "k_proj",
        "kind": None,
        "name": "model.layers.{0-31}.self_attn.k_proj.weight",
        "each": 4_194_304,
        "times": 32,
        "parameters": 134_217_728,
        "formula": "num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size",
        "arithmetic": "8 × (4,096 ÷ 32) × 4,096",
        "tensors": [
            {
                "pattern": "model.layers.{0-31}.self_attn.k_proj.weight",
                "shape": [1024, 4096],
                "storage": "own",
                "same_as": None,
            }
        ],
    }
    assert sum(part["parameters"] for part in main_section["parts"]) == 8_030_261_248
    assert document["unread"]["rms_norm_eps"] == 1e-05
    assert run("llama-3.1-8b", "--format", "json") == run("llama-3.1-8b", "--json")


def test_json_never_writes_a_bare_infinity(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "a": [0.0, Infinity], "b": {"__float__": "-Infinity"}, "c": NaN}')

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(run(str(config), "--json"), parse_constant=refuse)
    assert document["unread"] == {
        "a": [0.0, {"__float__": "Infinity"}],
        "b": {"__float__": "-Infinity"},
        "c": {"__float__": "NaN"},
    }


def test_csv_holds_bare_numbers_with_the_level_of_each_line(run: Run) -> None:
    lines = list(csv.DictReader(io.StringIO(run("gpt2", "--format", "csv"))))
    assert lines[2]["part"] == "h 0–11 pre-norm"
    assert sum(int(line["parameters"]) for line in lines if line["level"] == "0") == 2 * 124_439_808  # with the total
    assert lines[4] == {
        "level": "2",
        "part": "c_attn",
        "formula": "n_embd × (3 × (n_head × (n_embd ÷ n_head))) + 3 × (n_head × (n_embd ÷ n_head))",
        "each": "1771776",
        "times": "12",
        "parameters": "21261312",
        "share": "0.17085619418506334",
    }


def test_markdown_is_a_table(run: Run) -> None:
    lines = run("gpt2", "--format", "markdown").splitlines()
    assert lines[:5] == [
        "## gpt2: gpt2, GPT2LMHeadModel",
        "",
        "| part | formula | each | × | parameters | share |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        "| embedding | vocab\\_size × n\\_embd | 38,597,376 | 1 | 38,597,376 | 31.0% |",
    ]


def test_no_colour_goes_into_a_pipe_and_the_width_is_kept(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run("gpt2")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1mgpt2: gpt2, GPT2LMHeadModel\x1b[0m" in run("gpt2")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in run("gpt2")  # no colours, though bold may stay
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, run("gpt2").splitlines())) <= 60
