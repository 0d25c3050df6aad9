"""Files that the quantizers' own packages wrote of tiny models: every name, shape and type is the one foretold.

`written.jsonl` holds one a line: the package that wrote it with its version, the config, the header by pattern, the
shape after the type. The models have few layers and random weights; what is recorded is the writer's word, not ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount import Verdict
from archcount.verification.findings import Kind

from ..architectures.patterns import expand
from ..verification.files import Tensor, write_headers

LINES = Path(__file__).with_name("written.jsonl").read_text(encoding="utf-8").splitlines()
FILES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
KINDS = [f"{file['writer'].partition(',')[0]} {file['kind']}" for file in FILES]
LEFT_OUT = (("mlx-lm", "gemma3"), ("mlx-lm", "llama4"))  # whose towers mlx-lm drops
SCALES = (".absmax", ".SCB", ".scale", "scales", "weight_scale", "weight_scale_inv", ".s_channel", ".centroids.weight")


def tensors(file: dict[str, Any]) -> Iterator[Tensor]:
    for name, (dtype, *shape) in expand(file["tensors"]):
        yield name, str(dtype), list(shape)


@pytest.mark.parametrize("file", FILES, ids=KINDS)
def test_every_tensor_is_foretold(file: dict[str, Any], tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", tensors(file))
    answer = archcount.verify(file["config"], tmp_path)
    assert [finding for finding in answer.findings if not finding.is_note] == []
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    if (file["writer"].partition(" ")[0], file["config"]["model_type"]) not in LEFT_OUT:
        assert answer.parameters == answer.declared


@pytest.mark.parametrize("file", FILES, ids=KINDS)
def test_a_scale_that_is_gone_is_missed(file: dict[str, Any], tmp_path: Path) -> None:
    written = list(tensors(file))
    gone = next(name for name, _, _ in reversed(written) if name.endswith(SCALES))
    write_headers(tmp_path / "model.safetensors", (tensor for tensor in written if tensor[0] != gone))
    answer = archcount.verify(file["config"], tmp_path)
    (finding,) = (finding for finding in answer.findings if not finding.is_note)
    assert (finding.kind, finding.count) == (Kind.MISSING, 1)
    assert gone.endswith(finding.subject.removeprefix("model."))  # mlx-vlm has other names before it
