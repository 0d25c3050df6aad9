"""What was given for a config and is none: one line, with the mend."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from archcount.errors import ConfigNotFoundError, ConfigSyntaxError
from archcount.sources.files import config_path, read_object


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'\x10\0\0\0\0\0\0\0{"a":{"dtype":1}}',
            "weights (safetensors), not a config: name the model first, then its weights",
        ),
        (b"GGUF\3\0\0\0", "weights (GGUF), not a config: name the model first, then its weights"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer, not the config: fetch the files with"),
        (b"\n<!DOCTYPE html><html>", "a page of HTML or XML, not a config: download the file itself"),
        (b"PK\3\4\x14\0", "a zip archive, not a config: unpack it, and name its folder"),
        ('{"model_type": "gpt2"}'.encode("utf-16"), "text as UTF-16: save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_config_is_told_as_what_it_is(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    with pytest.raises(ConfigSyntaxError) as raised:
        read_object(path)
    assert str(raised.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize("data", [b'{"a": 1}', b'  \n\n\n\n\n\n{"a": 1}', b'\xef\xbb\xbf{"a": 1}', b'{"aaaa":{"b":1}}'])
def test_json_is_taken_for_json(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    assert read_object(path)


def _refused(path: Path) -> str:
    with pytest.raises(ConfigNotFoundError) as raised:
        config_path(path)
    return str(raised.value)


def test_the_folder_above_a_model_s_names_it(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    neither = "the folder holds neither config.json nor params.json"
    assert _refused(tmp_path) == f"{tmp_path}: {neither}: name the model's own ({tmp_path}/a, {tmp_path}/b)"


def test_a_folder_of_the_hub_s_cache_names_its_snapshot(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshots" / "0123abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    assert _refused(tmp_path).endswith(f"name the model's own ({snapshot})")


def test_a_pipeline_names_its_parts(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text("{}")
    for name in ("vae", "unet", "text_encoder", "text_encoder_2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    named = ", ".join(str(tmp_path / name) for name in ("text_encoder", "text_encoder_2", "unet"))
    assert _refused(tmp_path) == f"{tmp_path}: a pipeline of diffusers: name one of its parts ({named} …)"


def test_a_link_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.json").symlink_to(tmp_path / "nothing")
    assert _refused(tmp_path).endswith("its config is a link to a file that is not there: fetch the model again")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may look into any folder")
def test_a_folder_that_may_not_be_looked_into(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0)
    assert _refused(folder).endswith(": Permission denied")
