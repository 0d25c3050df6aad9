"""A config file on this machine, read as a JSON object."""

import math
from pathlib import Path

import pytest

from archcount.errors import ConfigNotFoundError, ConfigSyntaxError
from archcount.sources.files import DEEPEST, LARGEST_CONFIG, config_path, is_on_disk, parse_object, read_object


def test_a_folder_means_its_config_and_else_its_params(tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text("{}")
    assert config_path(tmp_path) == tmp_path / "params.json"
    (tmp_path / "config.json").write_text("{}")
    assert config_path(tmp_path) == tmp_path / "config.json"
    assert config_path(tmp_path / "params.json") == tmp_path / "params.json"


def test_a_folder_named_config_json_is_no_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").mkdir()
    with pytest.raises(ConfigNotFoundError, match=r"holds neither config\.json nor params\.json$"):
        config_path(tmp_path)


@pytest.mark.parametrize("name", ["", "x\0y", "a" * 5000])
def test_what_can_be_no_path_is_none(name: str) -> None:
    assert not is_on_disk(name)


def test_special_numbers_are_read_in_both_spellings() -> None:
    found = parse_object('{"a": Infinity, "b": {"__float__": "-Infinity"}, "c": [NaN, {"__float__": "NaN"}]}', "c")
    assert found["a"] == math.inf
    assert found["b"] == -math.inf
    assert isinstance(found["c"], list)
    assert [math.isnan(each) for each in found["c"]] == [True, True]


@pytest.mark.parametrize("text", ['{"__float__": "one"}', '{"__float__": "NaN", "more": 1}'])
def test_an_object_that_only_looks_like_a_number_stays_one(text: str) -> None:
    assert isinstance(parse_object(f'{{"x": {text}}}', "c")["x"], dict)


def test_the_deepest_that_is_taken() -> None:
    assert parse_object(f'{{"x": {"[" * (DEEPEST - 1)}{"]" * (DEEPEST - 1)}}}', "c")
    with pytest.raises(ConfigSyntaxError, match=r"^c: nested deeper than 100 levels"):
        parse_object(f'{{"x": {"[" * DEEPEST}{"]" * DEEPEST}}}', "c")


def test_a_file_too_large_for_a_config_is_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_CONFIG + 1)
    with pytest.raises(ConfigSyntaxError, match=r"larger than 67,108,864 bytes, so not a config$"):
        read_object(path)
