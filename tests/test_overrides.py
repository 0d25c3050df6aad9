"""What if: settings laid over a config."""

import pytest

import archcount
from archcount.errors import UsageError
from archcount.overrides import apply, check_names, parse


def test_a_value_is_json_and_else_a_string() -> None:
    settings = ["a=2", "b=true", "c=null", "d=[1, 2]", "e=gelu", 'f="2"', "g=a=b", " h =1.5", "i="]
    assert parse(settings) == {
        "a": 2, "b": True, "c": None, "d": [1, 2], "e": "gelu", "f": "2", "g": "a=b", "h": 1.5, "i": "",
    }  # fmt: skip


def test_the_last_of_two_settings_holds() -> None:
    assert parse(["a=1", "a=2"]) == {"a": 2}


def test_dots_lead_into_nested_configs_and_make_those_that_are_missing() -> None:
    raw: dict[str, object] = {"text_config": {"hidden_size": 8, "head_dim": 2}, "vision_config": None}
    changed = apply(raw, {"text_config.hidden_size": 16, "vision_config.image_size": 4, "audio_config.depth": 1})
    assert changed == {
        "text_config": {"hidden_size": 16, "head_dim": 2},
        "vision_config": {"image_size": 4},
        "audio_config": {"depth": 1},
    }
    assert raw == {"text_config": {"hidden_size": 8, "head_dim": 2}, "vision_config": None}


def test_what_is_no_object_cannot_be_led_into() -> None:
    with pytest.raises(UsageError, match=r"^--set hidden_size\.x: hidden_size is not an object in this config$"):
        apply({"hidden_size": 8}, {"hidden_size.x": 1})


def test_a_slip_of_the_pen_is_not_a_silent_nothing() -> None:
    config = archcount.load("gemma-3-4b").config
    check_names(config, ["text_config.num_hidden_layers", "vision_config.image_size"])
    with pytest.raises(UsageError, match=r"no such key is read for this model; nearest: .*num_hidden_layers"):
        check_names(config, ["text_config.num_hiden_layers"])


def test_a_key_of_a_config_within_is_named_in_full() -> None:
    config = archcount.load("gemma-3-4b").config
    both = r"nearest: text_config\.num_hidden_layers, vision_config\.num_hidden_layers$"
    with pytest.raises(UsageError, match=both):
        check_names(config, ["num_hidden_layers"])


def test_a_value_nested_too_deep_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^--set a: the value is nested too deep$"):
        parse([f"a={'[' * 100_000}"])


def test_the_nearest_key_is_found_in_capitals_too() -> None:
    with pytest.raises(UsageError, match="nearest: hidden_size, "):
        archcount.load("llama-3.1-8b", {"HIDDEN_SIZE": 8})
