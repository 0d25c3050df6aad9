"""GGUF files, written by the gguf package."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy
import pytest

from archcount.checkpoint.faults import GgufError, MissingExtraError
from archcount.checkpoint.local import read_local
from archcount.checkpoint.result import Kind

gguf = pytest.importorskip("gguf")


def _write(path: Path) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tensor("token_embd.weight", numpy.zeros((8, 32), numpy.float32))
    writer.add_tensor(
        "blk.0.attn_q.weight", numpy.zeros((4, 18), numpy.uint8), raw_dtype=gguf.GGMLQuantizationType.Q4_0
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_names_shapes_and_types(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    _write(path)
    for source in (path, tmp_path):
        checkpoint = read_local(source)
        assert checkpoint.kind is Kind.GGUF
        assert {name: (entry.dtype, entry.shape, entry.bytes) for name, entry in checkpoint.entries.items()} == {
            "token_embd.weight": ("F32", (8, 32), 1024),
            "blk.0.attn_q.weight": ("Q4_0", (4, 32), 72),
        }
        assert checkpoint.shards[0].header.metadata == {"general.architecture": "llama"}


@pytest.mark.parametrize("length", [4, 12, 24, 60, 150, 400])
def test_a_file_cut_short(tmp_path: Path, length: int) -> None:
    path = tmp_path / "model.gguf"
    _write(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(GgufError, match=f"^{path}: not a readable GGUF file"):
        read_local(path)


def test_every_byte_of_the_head_may_be_wrong(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    _write(path)
    sound = path.read_bytes()
    for at in range(4, 200):
        path.write_bytes(sound[:at] + b"\xff" + sound[at + 1 :])
        try:
            read_local(path)
        except GgufError as error:
            assert str(error).startswith(f"{path}: ")


def test_without_the_package_the_mend_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.gguf"
    _write(path)
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'archcount\[gguf\]'"):
        read_local(path)
