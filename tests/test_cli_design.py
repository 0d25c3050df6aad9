"""`archcount design`: configs near a size, and widths that match."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import archcount
from archcount.cli import main

Run = Callable[..., str]


def test_a_config_that_counts_to_what_it_says(run: Run, tmp_path: Path) -> None:
    written = tmp_path / "config.json"
    found = json.loads(
        run("design", "--like", "llama-3.1-8b", "--parameters", "3B", "--output", str(written), "--json")
    )
    assert found["target"] == 3 * 10**9
    assert archcount.load(written).totals.parameters == found["designs"][0]["parameters"]
    assert json.loads(written.read_text(encoding="utf-8")) == found["designs"][0]["config"]


def test_a_table_of_them(run: Run) -> None:
    lines = run("design", "--like", "gpt2", "--parameters", "350M", "--multiple-of", "64").splitlines()
    assert lines[0] == "like gpt2: gpt2, GPT2LMHeadModel: 350,000,000 parameters wanted"
    assert lines[2].split() == ["n_embd", "n_layer", "n_head", "parameters", "difference"]


def test_llama_3_s_width(run: Run) -> None:
    matched = ["--match", "mlp", "--multiple-of", "1024", "--multiplier", "1.3"]
    assert run("design", "--like", "llama-3.1-8b", *matched).splitlines()[4:] == [
        "plain                      16,384     134,217,728",
        "  two matrices",
        "gated, as many parameters  10,922.67  134,217,728",
        "  2/3 of it",
        "gated, on the grid         11,264     138,412,032",
        "  rounded up to a multiple of 1,024",
        "gated, by Meta's rule      14,336     176,160,768",
        "  int(1.3 × int(2 × 16,384 ÷ 3)), rounded up to a multiple of 1,024",
    ]


def test_t5_s_width(run: Run) -> None:
    found = json.loads(run("design", "--like", "t5-base", "--match", "mlp", "--json"))
    assert (found["plain"], found["exact"]) == (3072, 2048)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --parameters N, or --match mlp"),
        (["--match", "cache"], "--match 'cache': should be mlp"),
        (["--parameters", "many"], "--parameters 'many': write a count"),
        (["--parameters", "3B", "--output", "/nowhere/config.json"], "--output /nowhere/config.json: No such file"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["design", "--like", "llama-3.1-8b", *arguments]) == 2
    assert message in capsys.readouterr().err
