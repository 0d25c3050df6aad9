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


def _write(path: Path, name: str = "blk.0.attn_q.weight") -> None:
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tensor("token_embd.weight", numpy.zeros((8, 32), numpy.float32))
    writer.add_tensor(name, numpy.zeros((4, 18), numpy.uint8), raw_dtype=gguf.GGMLQuantizationType.Q4_0)
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


def _split(folder: Path, numbers: range) -> None:
    for number in numbers:
        _write(folder / f"model-{number:05}-of-00003.gguf", f"blk.{number}.attn_q.weight")


def test_a_split_is_read_as_one_from_any_of_its_files(tmp_path: Path) -> None:
    _split(tmp_path, range(1, 4))
    (tmp_path / "mmproj-model-f16.gguf").write_bytes((tmp_path / "model-00001-of-00003.gguf").read_bytes())
    for source in (tmp_path, tmp_path / "model-00001-of-00003.gguf", tmp_path / "model-00002-of-00003.gguf"):
        checkpoint = read_local(source)
        assert (checkpoint.kind, checkpoint.missing) == (Kind.GGUF, ())
        assert [shard.file for shard in checkpoint.shards] == [f"model-0000{n}-of-00003.gguf" for n in (1, 2, 3)]
        names = {"token_embd.weight", "blk.1.attn_q.weight", "blk.2.attn_q.weight", "blk.3.attn_q.weight"}
        assert set(checkpoint.entries) == names


def test_a_file_of_a_split_that_is_missing(tmp_path: Path) -> None:
    _split(tmp_path, range(1, 3))
    assert read_local(tmp_path / "model-00001-of-00003.gguf").missing == ("model-00003-of-00003.gguf",)


def test_how_many_tokens_the_vocabulary_has(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    writer.add_token_list(["a", "b", "c"])
    writer.add_tensor("token_embd.weight", numpy.zeros((4, 2), numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    metadata = read_local(tmp_path / "model.gguf").shards[0].header.metadata
    assert metadata == {"general.architecture": "llama", "tokenizer.ggml.tokens": "3"}
