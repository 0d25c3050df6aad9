"""From a model_type to its rule, and nothing found by resemblance."""

import pytest

from archcount import registry
from archcount.architectures.__main__ import HERE, table
from archcount.config import ModelConfig
from archcount.errors import ConfigValueError, UnknownArchitectureError, UsageError
from archcount.tree import Module, module


def test_the_table_of_model_types_is_up_to_date() -> None:
    assert (HERE / "aliases.py").read_text(encoding="utf-8") == table()


@pytest.mark.parametrize("model_type", registry.model_types())
def test_every_model_type_of_the_table_has_a_rule(model_type: str) -> None:
    assert registry.find(model_type).model_type == model_type


def test_model_types_that_share_a_rule_have_defaults_of_their_own() -> None:
    t5, mt5 = registry.find("t5"), registry.find("mt5")
    assert t5.rule is mt5.rule
    assert t5.schema(model_type="t5").model_dump()["vocab_size"] == 32128
    assert mt5.schema(model_type="mt5").model_dump()["vocab_size"] == 250112


def test_a_second_owner_is_refused() -> None:
    def another(config: ModelConfig) -> Module:
        return module()

    registry.find("llama")
    with pytest.raises(UsageError, match=r"^model_type 'llama' has two owners: archcount\.architectures\.llama, "):
        registry.architecture("llama", config=ModelConfig)(another)
    assert registry.find("llama").rule.__module__ == "archcount.architectures.llama"


def test_an_unknown_model_type_names_the_nearest() -> None:
    with pytest.raises(UnknownArchitectureError) as caught:
        registry.find("lama")
    assert str(caught.value).startswith("no rule for model_type 'lama': nearest: llama")
    assert registry.look_up("lama") is None


@pytest.mark.parametrize(
    ("raw", "model_type"),
    [
        ({"model_type": "llama"}, "llama"),
        ({"dim": 4096, "n_layers": 32}, "params.json"),
        ({"model_type": "gpt2", "dim": 4096, "n_layers": 32}, "gpt2"),
    ],
)
def test_a_config_says_what_it_is_counted_by(raw: dict[str, object], model_type: str) -> None:
    assert registry.model_type_of(raw, "here") == model_type


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, "here: model_type is missing: add it to the config, or name one with --as (llama, qwen3 …)"),
        (
            {"model_type": ""},
            "here: model_type is missing: add it to the config, or name one with --as (llama, qwen3 …)",
        ),
        (
            {"_class_name": "UNet2DConditionModel"},
            "here: is the config of a class of diffusers, 'UNet2DConditionModel', which has no rule here; "
            "archcount weights adds up its files",
        ),
        ({"model_type": 7}, "here: model_type is 7: should be a string"),
    ],
)
def test_a_config_that_does_not_say_is_refused(raw: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError) as caught:
        registry.model_type_of(raw, "here")
    assert str(caught.value) == message
