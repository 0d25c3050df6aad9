"""Files and folders on this machine, written by the safetensors package or made of their bytes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy
import pytest
from safetensors.numpy import save_file

from archcount.checkpoint.faults import (
    FileLengthError,
    HeaderTruncatedError,
    IndexFileError,
    NoWeightsError,
    WrongFormatError,
)
from archcount.checkpoint.local import read_local
from archcount.checkpoint.result import Kind
from archcount.checkpoint.sources import read_checkpoint
from archcount.errors import CheckpointError

from .files import of_header_length, weights


def test_a_file_that_the_safetensors_package_wrote(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    tensors = {"b": numpy.zeros((2, 3), numpy.float16), "a": numpy.zeros((4,), numpy.int64), "s": numpy.float32(1.0)}
    save_file({name: numpy.asarray(value) for name, value in tensors.items()}, path, metadata={"format": "np"})
    checkpoint = read_local(path)
    assert {name: (entry.dtype, entry.shape) for name, entry in checkpoint.entries.items()} == {
        "a": ("I64", (4,)),
        "b": ("F16", (2, 3)),
        "s": ("F32", ()),
    }
    assert checkpoint.kind is Kind.SINGLE
    assert (checkpoint.elements, checkpoint.data_bytes) == (11, 48)
    assert checkpoint.file_bytes == path.stat().st_size
    assert checkpoint.shards[0].header.metadata == {"format": "np"}


def _sharded(folder: Path) -> None:
    (folder / "model-00001-of-00002.safetensors").write_bytes(weights(2, "a"))
    (folder / "model-00002-of-00002.safetensors").write_bytes(weights(3, "b"))


def test_shards_with_an_index(tmp_path: Path) -> None:
    _sharded(tmp_path)
    named = {"a.0.weight": "model-00001-of-00002.safetensors", "gone": "model-00003-of-00003.safetensors"}
    index = {"metadata": {"total_size": 80}, "weight_map": {**named, "b.0.weight": "model-00002-of-00002.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    steps: list[tuple[int, int]] = []
    checkpoint = read_checkpoint(tmp_path, on_progress=lambda done, total: steps.append((done, total)))
    assert checkpoint.kind is Kind.SHARDED
    assert [shard.file for shard in checkpoint.shards] == list(dict.fromkeys(checkpoint.files.values()))
    assert checkpoint.missing == ("model-00003-of-00003.safetensors",)
    assert checkpoint.files["b.2.weight"] == "model-00002-of-00002.safetensors"
    assert checkpoint.index is not None
    assert checkpoint.index.total_size == 80 == checkpoint.data_bytes
    assert steps == [(1, 2), (2, 2)]
    assert (checkpoint.repeated, checkpoint.identical) == ({}, ())
    assert read_local(tmp_path / "model.safetensors.index.json").entries == checkpoint.entries


def test_an_index_whose_shards_are_all_gone_gives_way_to_the_single_file(tmp_path: Path) -> None:
    index = {"weight_map": {"w": "model-00001-of-00001.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    checkpoint = read_local(tmp_path)
    assert (checkpoint.kind, checkpoint.missing) == (Kind.SHARDED, ("model-00001-of-00001.safetensors",))
    (tmp_path / "model.safetensors").write_bytes(weights())
    checkpoint = read_local(tmp_path)
    assert (checkpoint.kind, checkpoint.index, checkpoint.missing) == (Kind.SINGLE, None, ())
    assert [item.reason for item in checkpoint.passed_over] == ["an index of files that were not chosen"]


def test_shards_without_an_index(tmp_path: Path) -> None:
    _sharded(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").unlink()
    checkpoint = read_local(tmp_path)
    assert (checkpoint.kind, checkpoint.index) == (Kind.UNINDEXED, None)
    assert checkpoint.missing == ("model-00001-of-00002.safetensors",)
    assert len(checkpoint.entries) == 3


def test_names_in_two_shards_and_identical_shards(tmp_path: Path) -> None:
    first, second, third = (f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3))
    (tmp_path / first).write_bytes(weights(2))
    (tmp_path / second).write_bytes(weights(1))
    (tmp_path / third).write_bytes(weights(2))
    checkpoint = read_local(tmp_path)
    assert checkpoint.repeated == {"layers.0.weight": (first, second, third), "layers.1.weight": (first, third)}
    assert checkpoint.identical == ((first, third),)
    assert len(checkpoint.entries) == 2
    assert checkpoint.data_bytes == 80


def test_what_a_folder_holds_besides_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(weights())
    (tmp_path / "original").mkdir()
    (tmp_path / "original" / "consolidated.00.pth").write_bytes(b"PK\x03\x04")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "x.safetensors").write_bytes(b"")
    (tmp_path / "optimizer.bin").write_bytes(b"")
    assert [item.file for item in read_local(tmp_path).passed_over] == ["optimizer.bin", "original/consolidated.00.pth"]


def test_an_adapter_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "adapter_model.safetensors").write_bytes(weights())
    assert read_local(tmp_path).kind is Kind.ADAPTER
    assert read_local(tmp_path / "adapter_model.safetensors").kind is Kind.ADAPTER


def test_an_index_of_pickles_gives_names_and_total_only(tmp_path: Path) -> None:
    index = {"metadata": {"total_size": 24}, "weight_map": {"w": "pytorch_model-00001-of-00001.bin"}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    (tmp_path / "pytorch_model-00001-of-00001.bin").write_bytes(b"\x80\x02never read")
    checkpoint = read_local(tmp_path)
    assert (checkpoint.kind, checkpoint.shards, dict(checkpoint.entries)) == (Kind.NAMES_ONLY, (), {})
    assert checkpoint.index is not None
    assert (dict(checkpoint.index.weight_map), checkpoint.index.total_size) == (index["weight_map"], 24)


@pytest.mark.parametrize("length", [*range(65_520, 65_540), 99_993, 100_000, 100_001, 1_000_000])
def test_a_header_beside_the_first_reads_boundary_is_read_whole(tmp_path: Path, length: int) -> None:
    start, size = of_header_length(length)
    path = tmp_path / "model.safetensors"
    with path.open("wb") as stream:
        stream.write(start)
        stream.truncate(size)
    checkpoint = read_local(path)
    assert checkpoint.shards[0].header.length == length
    assert len(checkpoint.entries) == length // 90


def test_a_file_of_nine_hundred_gigabytes_costs_its_header(tmp_path: Path) -> None:
    header = b'{"w":{"dtype":"BF16","shape":[671026419200],"data_offsets":[0,1342052838400]}}'
    path = tmp_path / "model.safetensors"
    with path.open("wb") as stream:
        stream.write(len(header).to_bytes(8, "little") + header)
        stream.truncate(8 + len(header) + 1_342_052_838_400)
    assert read_local(path).elements == 671_026_419_200


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (weights()[:-1], FileLengthError),
        (weights()[:40], HeaderTruncatedError),
        (b"PK\x03\x04\0\0\0\0\0\0", WrongFormatError),
        (b"\x80\x04\x95", WrongFormatError),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, fault: type[CheckpointError]) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(fault, match=f"^{path}: "):
        read_local(tmp_path)


def test_what_is_not_there_or_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(NoWeightsError, match="no such file or folder"):
        read_checkpoint(tmp_path / "absent")
    with pytest.raises(NoWeightsError, match="no such file or folder"):
        read_checkpoint("./absent.safetensors")
    with pytest.raises(NoWeightsError, match="holds no weights"):
        read_local(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(IndexFileError):
        read_local(tmp_path)


@pytest.mark.parametrize("target", ["nothing", "model.safetensors"])
def test_a_link_that_leads_nowhere(target: str, tmp_path: Path) -> None:
    link = tmp_path / "model.safetensors"
    link.symlink_to(tmp_path / target)
    with pytest.raises(NoWeightsError) as raised:
        read_local(tmp_path)
    assert str(raised.value) == f"{link}: a link to a file that is not there: fetch the weights again"


def test_a_name_that_no_system_takes_is_a_file_that_is_not_there(tmp_path: Path) -> None:
    long = "a" * 5_000
    with pytest.raises(NoWeightsError, match=r"a…: cannot be read: File name too long"):
        read_checkpoint(long)
    with pytest.raises(NoWeightsError, match=r"cannot be read: File name too long"):
        read_checkpoint(f"./{long}.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"w": long}}))
    assert read_checkpoint(tmp_path).missing == (long,)


@pytest.mark.skipif(os.name != "posix", reason="pipes are named in the file system on POSIX only")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")
    with pytest.raises(NoWeightsError):
        read_local(tmp_path / "model.safetensors")
