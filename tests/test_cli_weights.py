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
    index = {"metadata": {}, "weight_map": {"a.0.weight": "x.bin", "a.1.weight": "x.bin"}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    document = json.loads(run("weights", str(tmp_path), "--json"))
    assert document["modules"] == [{"module": "a.{0-1}", "dtype": "", "tensors": 2, "elements": 0, "bytes": 0}]


def test_nothing_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith("none: no such file or folder\n")
