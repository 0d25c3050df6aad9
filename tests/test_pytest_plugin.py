"""The helpers for tests of one's own model code, used here as such a test would use them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest

import archcount
from archcount import pytest_plugin
from archcount.errors import UnknownModelError
from archcount.pytest_plugin import assert_active, assert_parameters, assert_tensors

counted = pytest_plugin.counted  # for a run where archcount is not installed but lies here
TINY = {
    "model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
    "vocab_size": 10, "tie_word_embeddings": True,
}  # fmt: skip


def parameters() -> Iterator[tuple[str, SimpleNamespace]]:
    """As `module.named_parameters()` gives them."""
    for tensor in archcount.load(TINY).tensors():
        if tensor.storage.is_parameter:
            yield tensor.name, SimpleNamespace(shape=tensor.shape)


def test_what_holds() -> None:
    assert assert_parameters("llama-3.1-8b", 8_030_261_248).name == "llama-3.1-8b"
    assert_active("mixtral-8x7b", 12_879_925_248)
    assert_parameters(TINY, 744)
    model = assert_tensors(TINY, parameters())
    assert_tensors(model, {name: tensor.shape for name, tensor in parameters()})
    assert_tensors(model, {**dict(parameters()), "lm_head.weight": (10, 8)})  # tied: may be there


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: assert_parameters(TINY, 745), "config has 744 parameters, 745 were expected (-1)"),
        (
            lambda: assert_active("mixtral-8x7b", 12_879_925_000),
            "mixtral-8x7b has 12,879,925,248 active parameters, 12,879,925,000 were expected (+248)",
        ),
        (
            lambda: assert_tensors(TINY, {**dict(parameters()), "model.norm.weight": (9,), "head.bias": (10,)}),
            "config has other tensors: 1 unexpected: head.bias; 1 of another shape: "
            "model.norm.weight is [9], should be [8]",
        ),
        (
            lambda: assert_tensors(TINY, list(parameters())[:3]),
            "config has other tensors: 8 missing: model.layers.0.self_attn.v_proj.weight, "
            "model.layers.0.self_attn.o_proj.weight, model.layers.0.mlp.gate_proj.weight, "
            "model.layers.0.mlp.up_proj.weight, model.layers.0.mlp.down_proj.weight and 3 more",
        ),
    ],
)
def test_what_does_not_hold(check: Callable[[], object], message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check()
    assert str(caught.value) == message


def test_the_fixture(counted: Callable[[object], archcount.Model]) -> None:
    assert counted("gpt2").totals.parameters == 124_439_808
    assert counted("../known_configs/gpt2.json").totals.parameters == 124_439_808
    assert counted(TINY).totals.parameters == 744
    with pytest.raises(UnknownModelError):
        counted("none/config.json")


def test_pytest_finds_it_where_archcount_is_installed() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '"archcount.pytest_plugin" = "archcount.pytest_plugin"' in text
    assert {each.value for each in entry_points(group="pytest11") if "archcount" in each.value} <= {
        "archcount.pytest_plugin"
    }


OURS = """
from archcount.pytest_plugin import assert_parameters

def test_ours(counted):
    assert counted("config.json").config.num_hidden_layers == 1

def test_size(counted):
    assert_parameters(counted("config.json"), 745)
"""


def test_a_project_s_own_tests(tmp_path: Path) -> None:
    """In a process of their own: the message is the line that pytest ends with, and no helper is in the traceback."""
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    (tmp_path / "test_ours.py").write_text(OURS)
    command = [sys.executable, "-m", "pytest", "-p", "archcount.pytest_plugin", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert "1 failed, 1 passed" in done.stdout
    assert f"{tmp_path}/config.json has 744 parameters, 745 were expected (-1)" in done.stdout
    assert "_assert_figure" not in done.stdout
