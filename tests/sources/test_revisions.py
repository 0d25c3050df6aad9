"""Configs at revisions of a git repository made here, with three commits of one config."""

from __future__ import annotations

from pathlib import Path

import pytest

import archcount
from archcount.errors import ArchcountError, ConfigNotFoundError, ConfigSyntaxError, UsageError
from archcount.sources.revisions import config_at, is_revision

from ..repository import commit, git, make_repository

SMALL = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 100,
}  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "models")
    commit(folder, "two layers", {"small/config.json": SMALL, "README": "models\n"})
    commit(folder, "four layers", {"small/config.json": {**SMALL, "num_hidden_layers": 4}})
    commit(folder, "wider", {"small/config.json": {**SMALL, "num_hidden_layers": 4, "intermediate_size": 192}})
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("repository")
def test_a_config_at_each_revision() -> None:
    layers_and_width = [
        (model.config.num_hidden_layers, model.config.intermediate_size)  # type: ignore[attr-defined]
        for model in (archcount.load(f"{revision}:small/config.json") for revision in ("HEAD~2", "main~1", "main"))
    ]
    assert layers_and_width == [(2, 128), (4, 128), (4, 192)]


@pytest.mark.usefixtures("repository")
def test_a_difference_between_revisions() -> None:
    found = archcount.diff("HEAD~2:small/config.json", "HEAD:small/config.json")
    assert [(change.key, change.before, change.after) for change in found.keys] == [
        ("intermediate_size", 128, 192),
        ("num_hidden_layers", 2, 4),
    ]
    assert found.figures[0].delta == 131_328


def test_a_revision_against_what_lies_in_the_folder(repository: Path) -> None:
    (repository / "small" / "config.json").write_text("""{"model_type": "llama", "num_hidden_layers": 1}""")
    assert not archcount.diff("HEAD:small", "small").is_empty
    git(repository, "restore", "small")
    assert archcount.diff("HEAD:small", "small").is_empty


def test_what_is_staged(repository: Path) -> None:
    commit(repository, "five", {"small/config.json": {**SMALL, "num_hidden_layers": 5}})
    (repository / "small" / "config.json").write_text("""{"model_type": "llama", "num_hidden_layers": 6}""")
    git(repository, "add", "small")
    assert config_at(":small/config.json")["num_hidden_layers"] == 6
    assert config_at(":small") == config_at(":small/") == config_at(":small/config.json")


def test_a_path_from_a_folder_within(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "small")
    assert config_at("HEAD:./config.json") == config_at("HEAD:small/config.json") == config_at("HEAD:./")
    assert config_at("HEAD:./config.json", repository / "small")["intermediate_size"] == 192


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("v9:small", "v9:small: no revision v9 in this git repository: git fetch it first"),
        ("HEAD:big/config.json", "HEAD:big/config.json: no file big/config.json at that revision"),
        ("HEAD:", "HEAD:: the folder holds neither config.json nor params.json at that revision"),
        ("--textconv:x", "--textconv:x: no revision --textconv in this git repository"),
        ("HEAD:a\nHEAD:b", "no revision and no path has a line break in it"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_not_there(source: str, message: str) -> None:
    with pytest.raises(ConfigNotFoundError) as caught:
        archcount.load(source)
    assert message in str(caught.value)


@pytest.mark.usefixtures("repository")
def test_a_file_that_is_no_config() -> None:
    with pytest.raises(ConfigSyntaxError, match=r"HEAD:README: not JSON at line 1, column 1"):
        archcount.load("HEAD:README")


def test_bytes_that_are_no_text(repository: Path) -> None:
    (repository / "config.json").write_bytes(b"\xff\xfe\x00")
    git(repository, "add", "config.json")
    with pytest.raises(ConfigSyntaxError, match=r":config\.json: not text \(byte 0\)"):
        archcount.load(":config.json")


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ConfigNotFoundError, match=r"HEAD:config\.json: not a git repository"):
        archcount.load("HEAD:config.json")


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigNotFoundError, match="git is not installed"):
        archcount.load("HEAD:config.json")


def test_a_revision_of_git_is_none_of_the_hub() -> None:
    with pytest.raises(UsageError, match="--revision is the Hub's"):
        archcount.load("HEAD:config.json", revision="main")


def test_what_is_spelled_like_a_revision() -> None:
    assert is_revision("main:config.json")
    assert is_revision(":config.json")
    assert not is_revision("C:\\models\\config.json")
    assert not is_revision("https://example.org/config.json")
    assert not is_revision("llama-3.1-8b")
    with pytest.raises(ArchcountError, match="no such file"):
        archcount.load("C:\\models\\config.json")
