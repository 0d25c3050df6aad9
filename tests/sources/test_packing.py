"""The list of packed tensors that exllamav3 writes beside the config."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import archcount
from archcount.errors import ConfigSyntaxError
from tests.quantization.test_exllama import QWEN, listed


def folder_of(path: Path, entry: dict[str, object], beside: str) -> Path:
    (path / "config.json").write_text(json.dumps({**QWEN, "quantization_config": entry}), encoding="utf-8")
    (path / "quantization_config.json").write_text(beside, encoding="utf-8")
    return path


def test_the_list_is_read_from_beside_the_config(tmp_path: Path) -> None:
    entry = {"quant_method": "exl3", "bits": 4.0}
    folder = folder_of(tmp_path, entry, json.dumps({**entry, "tensor_storage": listed()}))
    for source in (folder, folder / "config.json"):
        trellis = next(one for one in archcount.load(source).stored if one.path[-1] == "trellis")
        assert trellis.shape == (8, 8, 64)


@pytest.mark.parametrize(
    ("entry", "beside"),
    [({"quant_method": "exl3", "tensor_storage": listed()}, "not read"), ({"quant_method": "exl2"}, "not read")],
)
def test_it_is_read_only_where_it_is_wanted(tmp_path: Path, entry: dict[str, object], beside: str) -> None:
    assert archcount.load(folder_of(tmp_path, entry, beside)).raw["quantization_config"] == entry


def test_a_list_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigSyntaxError, match=r"quantization_config\.json: not JSON"):
        archcount.load(folder_of(tmp_path, {"quant_method": "exl3"}, "{"))
    assert archcount.load(folder_of(tmp_path, {"quant_method": "exl3"}, "{}")).totals.stored is None
