"""What a user gives as weights: a path or a repository id; neither the Hub's client nor gguf is loaded for a path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from archcount.checkpoint.faults import NoWeightsError
from archcount.checkpoint.sources import is_path, read_checkpoint

from .files import weights

PROGRAM = """
import sys
from archcount.checkpoint.sources import read_checkpoint
entries = read_checkpoint(sys.argv[1]).entries
print(len(entries), sorted({"huggingface_hub", "gguf", "numpy", "rich"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        *(("owner/name", False), ("gpt2", False), ("./owner/name", True), ("/a", True), ("~/a", True)),
        *(("a.safetensors", True), ("owner/name/model.safetensors", True), ("a/b/c", True), ("a\\b", True)),
    ],
)
def test_what_can_only_be_a_path(source: str, expected: bool) -> None:
    assert is_path(source) is expected


def test_a_path_loads_nothing_that_only_others_need(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(weights(3))
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout == "3 []\n"


def test_an_empty_name_is_not_the_folder_one_is_in() -> None:
    with pytest.raises(NoWeightsError, match=r"^the name of the weights is empty: leave it out, or give a file"):
        read_checkpoint("")
