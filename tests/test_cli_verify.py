"""`archcount verify`: what it prints, and the exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from archcount.cli import main

from .verification import tiny
from .verification.files import Tensor, write_headers

Run = Callable[..., str]
BUFFER: Tensor = ("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", [2])
SWAPPED = {"model.layers.0.mlp.up_proj.weight": [8, 12], "model.layers.0.mlp.down_proj.weight": [12, 8]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model in the working folder, so that paths are short and the same everywhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    home = Path("tiny")
    home.mkdir()
    (home / "config.json").write_text(json.dumps(tiny.CONFIG), encoding="utf-8")
    write_headers(home / "model.safetensors", tiny.tensors())
    return home


def swap(folder: Path) -> None:
    write_headers(
        folder / "model.safetensors", [(name, dtype, SWAPPED.get(name, shape)) for name, dtype, shape in tiny.tensors()]
    )


def test_a_match(folder: Path, run: Run) -> None:
    assert run("verify", str(folder)) == (
        "tiny: llama, against tiny (single file)\n"
        "\n"
        "step                     elements    sum\n"
        "────────────────────────────────────────\n"
        "stored elements                    1,512\n"
        "parameters in the files            1,512\n"
        "the config's count                 1,512\n"
        "\n"
        "verdict: match\n"
    )


def test_a_mismatch_is_exit_code_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    swap(folder)
    assert main(["verify", "tiny"]) == 1
    assert capsys.readouterr().out == (
        "tiny: llama, against tiny (single file)\n"
        "\n"
        "finding      tensors                              ×  elements\n"
        "─────────────────────────────────────────────────────────────\n"
        "wrong shape  model.layers.0.mlp.up_proj.weight    1        96\n"
        "  predicted [12, 8], found [8, 12]: the other way round\n"
        "wrong shape  model.layers.0.mlp.down_proj.weight  1        96\n"
        "  predicted [8, 12], found [12, 8]: the other way round\n"
        "\n"
        "step                                elements    sum\n"
        "───────────────────────────────────────────────────\n"
        "stored elements                               1,512\n"
        "less tensors of another shape           -192  1,320\n"
        "parameters in the files                       1,320\n"
        "with the other shapes as predicted       192  1,512\n"
        "the config's count                            1,512\n"
        "\n"
        "verdict: mismatch\n"
    )


def test_notes_fail_where_they_are_told_to(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_headers(folder / "model.safetensors", [*tiny.tensors(), BUFFER])
    assert main(["verify", "tiny"]) == 0
    assert main(["verify", "tiny", "--strict"]) == 1
    assert "verdict: match with notes" in capsys.readouterr().out


def test_the_weights_may_be_elsewhere(folder: Path, run: Run) -> None:
    (folder / "model.safetensors").rename("other.safetensors")
    assert "against other.safetensors (single file)" in run("verify", "tiny", "other.safetensors")


def test_json(folder: Path, run: Run) -> None:
    write_headers(folder / "model.safetensors", [*tiny.tensors(), BUFFER])
    assert json.loads(run("verify", "tiny", "--json")) == {
        "model": "tiny",
        "model_type": "llama",
        "weights": "tiny",
        "revision": None,
        "files": "single file",
        "verdict": "match with notes",
        "fits": None,
        "stored": 1_514,
        "parameters": 1_512,
        "declared": 1_512,
        "findings": [
            {
                "kind": "buffer stored",
                "is_note": True,
                "subject": BUFFER[0],
                "count": 1,
                "elements": 2,
                "cause": "frequencies of rotary positions, no parameter",
                "expected": None,
                "found": "[2] F32",
                "names": [BUFFER[0]],
            }
        ],
        "ladder": [
            {"label": "stored elements", "elements": None, "total": 1_514, "is_aside": False},
            {"label": "less buffers", "elements": -2, "total": 1_512, "is_aside": False},
            {"label": "parameters in the files", "elements": None, "total": 1_512, "is_aside": False},
            {"label": "the config's count", "elements": None, "total": 1_512, "is_aside": False},
        ],
        "passed_over": [],
    }


def test_junit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    swap(folder)
    assert main(["verify", "tiny", "--format", "junit"]) == 1
    suites = ElementTree.fromstring(capsys.readouterr().out)
    (suite,) = suites
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "2")
    assert [case.attrib["name"] for case in suite] == [f"wrong shape: {name}" for name in SWAPPED]
    assert suite[0][0].attrib["message"] == "predicted [12, 8], found [8, 12]: the other way round"


def test_junit_of_a_match_is_one_case_that_passes(folder: Path, run: Run) -> None:
    (suite,) = ElementTree.fromstring(run("verify", str(folder), "--format", "junit"))
    assert (suite.attrib["failures"], len(suite), len(suite[0])) == ("0", 1, 0)


def test_junit_holds_no_character_that_xml_cannot(folder: Path, run: Run) -> None:
    strange = ("model.layers.0.\x07<&>.rotary_emb.inv_freq", "F32", [2])
    write_headers(folder / "model.safetensors", [*tiny.tensors(), strange])
    (suite,) = ElementTree.fromstring(run("verify", str(folder), "--format", "junit"))
    assert suite[0].attrib["name"] == "buffer stored: model.layers.0.\ufffd<&>.rotary_emb.inv_freq"


def test_markdown(folder: Path, run: Run) -> None:
    assert run("verify", str(folder), "--format", "markdown").startswith("## tiny: llama, against tiny (single file)\n")


def test_a_github_workflow_is_told_on_stderr(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    swap(folder)
    assert main(["verify", "tiny", "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["verdict"] == "mismatch"
    assert captured.err.splitlines()[0] == (
        "::error title=tiny%3A wrong shape::model.layers.0.mlp.up_proj.weight: "
        "predicted [12, 8], found [8, 12]: the other way round"
    )


def test_five_patterns_of_a_kind_and_how_many_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_headers(folder / "model.safetensors", [("lm_head.weight", "BF16", [32, 8])])
    assert main(["verify", "tiny"]) == 1
    assert "6 more patterns (--all-patterns)" in capsys.readouterr().out
    assert main(["verify", "tiny", "--all-patterns"]) == 1
    assert "more patterns" not in capsys.readouterr().out


def test_an_unknown_type_shows_what_the_headers_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.json").write_text('{"model_type": "nonesuch-of-all"}', encoding="utf-8")
    assert main(["verify", "tiny"]) == 2
    out = capsys.readouterr().out
    assert out.startswith("tiny (single file)\n")
    assert "by the headers' own account: no config was asked" in out
    assert "not verified: no rule for model_type 'nonesuch-of-all'" in " ".join(out.split())


def test_a_quantized_format_without_a_layout_does_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = {**tiny.CONFIG, "quantization_config": {"quant_method": "torchao"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert main(["verify", "tiny", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["elements"] == 1_512


def test_junit_has_no_case_for_what_cannot_be_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.json").write_text('{"model_type": "nonesuch-of-all"}', encoding="utf-8")
    assert main(["verify", "tiny", "--format", "junit"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err[:46]) == ("", "archcount: no rule for model_type 'nonesuch-of")


def test_an_adapter_s_folder_without_a_config_is_called_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config.json").unlink()
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    assert main(["verify", "tiny"]) == 2
    out = capsys.readouterr().out
    assert out.startswith("tiny (adapter)\n")
    assert "not verified: tiny: the folder holds neither config.json nor params.json" in " ".join(out.split())


def test_a_name_cannot_command_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write_headers(folder / "model.safetensors", [*tiny.tensors(), ("a\x1b[2J\nb\u202e", "BF16", [1])])
    assert main(["verify", "tiny"]) == 1
    captured = capsys.readouterr()
    assert "unexpected  a\\x1b[2J\\nb\\u202e  1" in captured.out
    assert "::a\\x1b[2J%0Ab\\u202e: [1] BF16" in captured.err
    write_headers(folder / "model.safetensors", [("a\x1b[2J", "BF16", [2**40, 2**40, 0])])
    assert main(["verify", "tiny"]) == 2
    assert "the shape of a\\x1b[2J overflows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify"], "name a model, or give --all for every known one (archcount verify --help)"),
        (["verify", "gpt2", "--all"], "--all is every known model: leave gpt2 out, or --all"),
        (
            ["verify", "--all", "--format", "junit"],
            "--format junit is for files that are verified: with --all, add --online",
        ),
        (["verify", "palm-8b"], "palm-8b: no weights of it are published: name the ones you mean"),
        (["verify", "gpt2", "./nothing"], "nothing: no such file or folder"),
    ],
)
def test_what_cannot_be_told_is_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"archcount: {message}\n"


def test_the_catalogue_counts_as_published(run: Run) -> None:
    lines = run("verify", "--all").splitlines()
    said = re.search(r"(\d+) of (\d+) known models count as published; (\d+) more are", " ".join(lines))
    exact = sum(line.endswith("  agrees") for line in lines)
    rounded = sum(line.endswith("  in round figures") for line in lines)
    assert said and [int(count) for count in said.groups()] == [exact, exact, rounded]
    for line in (
        "gpt2                          124,439,808        124,439,808  agrees",
        "deepseek-v3               671,026,419,200    671,026,419,200  agrees",
        "  active                   37,552,297,472     37,552,297,472",
        "palm-540b                 540,356,474,880            540.35B  in round figures",
    ):
        assert line in lines
