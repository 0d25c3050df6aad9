"""What the quantizers' own packages wrote of tiny models is what archcount foretells, by name, shape and type.

`written.jsonl` holds a file a line: the package and version that wrote it, the config beside it, and its header.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount import Verdict
from archcount.verification.findings import Kind, Verification

from ..verification.files import write_headers

LINES = Path(__file__).with_name("written.jsonl").read_text(encoding="utf-8").splitlines()
FILES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
LEFT_OUT = ("gemma3", "llama4")  # by mlx-lm, their towers
SCALES = ("scales", "weight_scale", "weight_scale_inv", "s_channel", "centroids.weight")


def name(file: dict[str, Any]) -> str:
    entry = file["config"].get("quantization") or file["config"]["quantization_config"]
    words = (entry.get("quant_method"), entry.get("data_type"), entry.get("mode"), entry.get("bits"))
    return " ".join(str(word) for word in (file["writer"], file["config"]["model_type"], *words) if word)


def verified(file: dict[str, Any], folder: Path, without: str = "") -> Verification:
    (folder / "config.json").write_text(json.dumps(file["config"]), encoding="utf-8")
    tensors = ((name, dtype, shape) for name, (dtype, shape) in file["tensors"].items() if name != without)
    write_headers(folder / "model.safetensors", tensors)
    return archcount.verify(folder)


@pytest.mark.parametrize("file", FILES, ids=map(name, FILES))
def test_every_tensor_is_foretold(file: dict[str, Any], tmp_path: Path) -> None:
    answer = verified(file, tmp_path)
    against = [finding for finding in answer.findings if not finding.is_note]
    assert against == []
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    if file["config"]["model_type"] not in LEFT_OUT:
        assert answer.parameters == answer.declared


@pytest.mark.parametrize("file", FILES, ids=map(name, FILES))
def test_a_scale_that_is_gone_is_missed(file: dict[str, Any], tmp_path: Path) -> None:
    gone = next(name for name in file["tensors"] if name.endswith(SCALES))
    answer = verified(file, tmp_path, without=gone)
    assert [finding.count for finding in answer.findings if finding.kind is Kind.MISSING] == [1]
