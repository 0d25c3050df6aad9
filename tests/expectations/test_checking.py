"""What is expected, held against what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from archcount.expectations import Outcome, check, check_configs, read

from .project import PARAMETERS, only, outcomes, shapes_of, write, write_weights

HEAD = '[models.small]\nconfig = "small/config.json"\n'


@pytest.mark.parametrize(
    ("expected", "outcome", "said"),
    [
        ("parameters = 95_040", "holds", "95,040"),
        ("parameters = 95_041", "fails", "95,040, should be 95,041 (-1)"),
        ("parameters = 95_039", "fails", "95,040, should be 95,039 (+1)"),
        ("parameters = { max = 95_040 }", "holds", "95,040, at most 95,040"),
        ("active = { max = 95_039 }", "fails", "95,040, at most 95,039 (+1)"),
        ("active = { min = 95_041 }", "fails", "95,040, at least 95,041 (-1)"),
        ("active = { min = 1, max = 100_000 }", "holds", "95,040, at least 1, at most 100,000"),
        ("active_without_input_embedding = 88_640", "holds", "88,640"),
        ("active_without_embeddings = 82_240", "holds", "82,240"),
        ("stored = 95_040", "holds", "95,040"),
        ("cache_per_token = 256", "holds", "256"),
        ("flops_per_token = 176_640", "holds", "176,640"),
        (
            "bytes = 190_080",
            "could not tell",
            "bytes of small/config.json cannot be told: archcount small/config.json says why",
        ),
    ],
)
def test_a_figure(tmp_path: Path, expected: str, outcome: str, said: str) -> None:
    found = only(write(tmp_path, HEAD + expected))
    assert (found.what, found.outcome.value, found.said, found.line) == (expected.partition(" ")[0], outcome, said, 3)


def test_bytes_at_the_config_s_dtype(tmp_path: Path) -> None:
    assert only(write(tmp_path, HEAD + "bytes = 190_080", dtype="bfloat16")).outcome is Outcome.HOLDS


def test_a_known_name(tmp_path: Path) -> None:
    assert outcomes(write(tmp_path, '[models.llama]\nconfig = "llama-3.1-8b"\nparameters = 8_030_261_248')) == [
        ("parameters", "holds", "8,030,261,248")
    ]


def test_a_config_that_cannot_be_counted(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + "parameters = 1\nactive = 2", num_attention_heads=5)
    found = only(file)
    assert (found.what, found.outcome, found.file) == ("counts", Outcome.UNTOLD, tmp_path / "small" / "config.json")
    assert found.said.endswith("hidden_size (64) does not divide by num_attention_heads (5)")


def test_a_config_that_is_not_there(tmp_path: Path) -> None:
    file = write(tmp_path, '[models.big]\nconfig = "big/config.json"\nparameters = 1')
    assert outcomes(file) == [("counts", "could not tell", f"{tmp_path}/big/config.json: no such file")]


def test_config_files_by_name(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + "parameters = 95_041")
    config, other = tmp_path / "small" / "config.json", tmp_path / "config.json"
    other.write_text(config.read_text())
    said = [(each.what, each.outcome.value, each.said) for each in check_configs([config, other], read(file))]
    assert said == [
        ("parameters", "fails", "95,040, should be 95,041 (-1)"),
        ("counts", "holds", "95,040 parameters"),
    ]
    assert [each.said for each in check_configs([config.parent], read(file))] == ["95,040, should be 95,041 (-1)"]
    assert [each.said for each in check_configs([config], None)] == ["95,040 parameters"]


def test_weights(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD + 'weights = "small"')
    shapes = shapes_of(tmp_path / "small" / "config.json")
    write_weights(tmp_path / "small" / "model.safetensors", shapes)
    assert outcomes(file) == [("weights", "holds", "match, small")]
    del shapes["model.norm.weight"]
    write_weights(tmp_path / "small" / "model.safetensors", shapes)
    assert outcomes(file) == [("weights", "fails", "mismatch, small: missing model.norm.weight")]
    (tmp_path / "small" / "model.safetensors").unlink()
    assert [outcome for _, outcome, _ in outcomes(file)] == ["could not tell"]


def test_a_check_for_each_thing_in_order(tmp_path: Path) -> None:
    file = write(tmp_path, f"{HEAD}active = {PARAMETERS}\nparameters = {PARAMETERS}\n[models.b]\n{HEAD[15:]}stored = 1")
    assert [(each.model, each.what) for each in check(read(file))] == [
        ("small", "parameters"),
        ("small", "active"),
        ("b", "stored"),
    ]
