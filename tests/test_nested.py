"""A config inside a config is read by its own model_type, and says what it took from its class."""

import pytest

import archcount
from archcount.dim import formula
from archcount.errors import ConfigValueError, UnknownArchitectureError, UsageError
from archcount.nested import size_of

GPT2 = {"model_type": "gpt2", "n_layer": 2}


def test_a_nested_config_is_read_by_the_schema_it_names() -> None:
    model = archcount.load({"model_type": "llava", "text_config": GPT2})
    names = {tensor.name for tensor in model.tensors()}
    assert "language_model.transformer.h.1.attn.c_attn.weight" in names
    assert "language_model.transformer.h.2.attn.c_attn.weight" not in names


def test_one_that_names_no_model_type_is_of_the_type_its_outer_class_has() -> None:
    model = archcount.load({"model_type": "llava", "text_config": {"num_hidden_layers": 1}})
    assert model.totals.by_section["main"] == 464_531_456
    assert model.config.assumed() == ["vision_config"]


def test_one_that_is_given_takes_its_own_class_s_defaults_and_not_those_of_an_absent_one() -> None:
    absent = archcount.load({"model_type": "llava"})
    given = archcount.load({"model_type": "llava", "vision_config": {"model_type": "clip_vision_model"}})
    assert absent.config.assumed() == ["text_config", "vision_config"]
    assert absent.config.defaulted()["vision_config.hidden_size"] == 1024
    assert given.config.assumed() == ["text_config"]
    assert given.config.defaulted()["vision_config.hidden_size"] == 768


def test_where_the_outer_class_keeps_its_values_one_that_is_given_takes_them_first() -> None:
    config = archcount.load({"model_type": "voxtral", "text_config": {"num_hidden_layers": 2, "head_dim": 64}}).config
    assert config.assumed() == ["audio_config"]
    defaulted = config.defaulted()
    assert (defaulted["text_config.hidden_size"], defaulted["text_config.num_attention_heads"]) == (3072, 32)
    assert not {"text_config.num_hidden_layers", "text_config.head_dim"} & defaulted.keys()


def test_sizes_are_named_by_their_whole_path_and_by_the_family_s_own_key() -> None:
    model = archcount.load({"model_type": "llava", "text_config": GPT2})
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    width = shapes["multi_modal_projector.linear_1.weight"]
    assert [formula(size) for size in width] == ["text_config.n_embd", "vision_config.hidden_size"]
    assert width == (768, 1024)


def test_a_part_without_such_a_size_is_refused() -> None:
    config = archcount.load({"model_type": "gpt2"}).config
    assert size_of(config, "hidden_size") == 768
    with pytest.raises(ConfigValueError, match=r"^model_type 'gpt2' has no patch_size: "):
        size_of(config, "patch_size")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ({"hidden_size": "x"}, "config: text_config.hidden_size is 'x': should be a whole number"),
        ({"model_type": 7}, "config: text_config.model_type is 7: should be a string"),
        (7, "config: text_config is 7: should be a valid dictionary or instance of ModelConfig"),
        (
            {"model_type": "llava", "text_config": {"hidden_size": 0}},
            "config: text_config.text_config.hidden_size is 0: should be greater than or equal to 1",
        ),
    ],
)
def test_a_fault_inside_is_named_by_its_whole_path(text: object, message: str) -> None:
    with pytest.raises(ConfigValueError) as caught:
        archcount.load({"model_type": "llava", "text_config": text})
    assert str(caught.value) == message


def test_a_nested_model_type_without_a_rule_is_refused() -> None:
    with pytest.raises(UnknownArchitectureError, match=r"^config: text_config: no rule for model_type 'nothing'; "):
        archcount.load({"model_type": "llava", "text_config": {"model_type": "nothing"}})


def test_what_if_reaches_into_a_nested_config_and_knows_its_keys() -> None:
    model = archcount.load({"model_type": "llava", "text_config": GPT2}, set={"text_config.n_layer": 1})
    assert "language_model.transformer.h.1.ln_1.weight" not in {tensor.name for tensor in model.tensors()}
    with pytest.raises(UsageError, match=r"^--set text_config\.n_layers: no such key .* nearest: n_layer, "):
        archcount.load({"model_type": "llava", "text_config": GPT2}, set={"text_config.n_layers": 1})
