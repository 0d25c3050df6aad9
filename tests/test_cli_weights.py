"""`archcount weights`: what headers hold by their own account."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from archcount.cli import main

from .verification.files import write_headers

Run = Callable[..., str]


def test_by_module_and_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.chdir(tmp_path)
    layers = [(f"h.{layer}.{name}.weight", "F16", [4, 4]) for layer in range(3) for name in ("up", "down")]
    write_headers(Path("model.safetensors"), [("wte.weight", "F16", [8, 4]), *layers, ("h.1.up.scales", "F32", [4])])
    assert run("weights", "model.safetensors") == (
        "model.safetensors (single file)\n"
        "\n"
        "module        type  tensors  elements  bytes\n"
        "────────────────────────────────────────────\n"
        "wte           F16         1        32     64\n"
        "h.{0-2}.up    F16         3        48     96\n"
        "h.{0-2}.down  F16         3        48     96\n"
        "h.1.up        F32         1         4     16\n"
        "────────────────────────────────────────────\n"
        "total                     8       132    272\n"
        "\n"
        "type  tensors  elements  bytes\n"
        "──────────────────────────────\n"
        "F16         7       128    256\n"
        "F32         1         4     16\n"
        "\n"
        "by the headers' own account: no config was asked, packed weights count as they\n"
        "  are stored\n"
    )


def test_an_adapter_is_called_one(tmp_path: Path, run: Run) -> None:
    write_headers(tmp_path / "adapter_model.safetensors", [("base.q.lora_A.weight", "F32", [2, 8])])
    document = json.loads(run("weights", str(tmp_path), "--json"))
    assert (document["files"], document["elements"], document["bytes"]) == ("adapter", 16, 64)


def test_an_index_of_pickles_has_names_alone(tmp_path: Path, run: Run) -> None:
    index = {"metadata": {"total_size": 3_024}, "weight_map": {"a.0.weight": "x.bin", "a.1.weight": "x.bin"}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    document = json.loads(run("weights", str(tmp_path), "--json"))
    assert document["modules"] == [{"module": "a.{0-1}", "dtype": "", "tensors": 2, "elements": None, "bytes": None}]
    assert (document["elements"], document["bytes"]) == (None, None)
    assert run("weights", str(tmp_path)).endswith(
        "───────────────────────────────────────\n"
        "total                2\n"
        "\n"
        "only names are known: a pickle is never opened\n"
        "by the index's own account, which nothing here proves: 3,024 bytes in all\n"
    )


def test_an_index_of_shards_that_are_gone_is_no_index_of_pickles(tmp_path: Path, run: Run) -> None:
    index = {"weight_map": {"a.weight": "model-00001-of-00001.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert "only names are known: none of the shards is there\n" in run("weights", str(tmp_path))


def test_a_type_that_the_format_does_not_have_is_said_in_json_too(tmp_path: Path, run: Run) -> None:
    write_headers(tmp_path / "model.safetensors", [("a.weight", "BF16", [4])])
    raw = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(raw.replace(b'"BF16"', b'"NF16"', 1))
    (remark,) = json.loads(run("weights", str(tmp_path), "--json"))["remarks"]
    assert remark.endswith("dtype 'NF16', unknown to the format, on 1 of its tensors: 16 bits by the offsets")


def test_a_file_without_tensors_is_read_all_the_same(tmp_path: Path, run: Run) -> None:
    write_headers(tmp_path / "model.safetensors", [])
    assert json.loads(run("weights", str(tmp_path), "--json"))["elements"] == 0


def test_nothing_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith("none: no such file or folder\n")
