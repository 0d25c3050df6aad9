"""What a user calls a model, and the config it means."""

import json
from pathlib import Path

import pytest

import archcount
from archcount.errors import UnknownModelError, UsageError
from archcount.sources.locate import config_called


def test_a_known_name_in_any_spelling_goes_by_its_own() -> None:
    assert config_called("Meta-Llama/LLAMA-3.1-8B", None)[1] == "llama-3.1-8b"


def test_a_path_that_exists_goes_before_a_known_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpt2").mkdir()
    (tmp_path / "gpt2" / "config.json").write_text('{"model_type": "llama"}')
    assert archcount.load("gpt2").model_type == "llama"


def test_a_path_object_is_only_a_path(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"model_type": "gpt2"}))
    assert archcount.load(path).name == str(path)
    with pytest.raises(archcount.ArchcountError, match=r"^gpt2: no such file$"):
        archcount.load(Path("gpt2"))


def test_a_mapping_is_the_config_itself() -> None:
    raw = {"model_type": "gpt2"}
    assert config_called(raw, None) == (raw, "config")


def test_a_long_name_is_cut_in_the_message() -> None:
    with pytest.raises(UnknownModelError) as caught:
        config_called("a" * 5000, None)
    assert str(caught.value).startswith(f"'{'a' * 80}…' is no known model")


def test_a_path_has_no_revision_of_the_hub(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"model_type": "gpt2"}))
    for source in (path, str(path)):
        with pytest.raises(UsageError, match=r"c\.json: is a path on this machine; --revision is the Hub's$"):
            archcount.load(source, revision="main")


def test_a_url_is_told_from_a_path() -> None:
    with pytest.raises(UnknownModelError, match=r"^https://huggingface\.co/gpt2: is a URL: give the repository id"):
        archcount.load("https://huggingface.co/gpt2")
