"""Keys as config.json spells them: what is missing takes its class's default, what is wrong is named."""

from collections.abc import Mapping
from typing import ClassVar

import pytest

from archcount.config import Count, ModelConfig, Schema, Size, SizeOrZero, looks_like_a_size, read
from archcount.dim import formula
from archcount.errors import ConfigValueError


class Tower(Schema):
    width: Size = 64
    depths: tuple[Size, ...] = (2, 3)


class Config(ModelConfig):
    hidden_size: Size
    num_hidden_layers: Count = 12
    head_dim: Size | None = 128
    tail: SizeOrZero = 0
    tie_word_embeddings: bool = True
    vision_config: Tower = Tower()
    also_spelled: ClassVar[dict[str, str]] = {"n_embd": "hidden_size"}
    ignored: ClassVar[frozenset[str]] = frozenset({"n_ctx"})


class Heir(Config):
    also_spelled: ClassVar[dict[str, str]] = {"depth": "num_hidden_layers"}
    ignored: ClassVar[frozenset[str]] = frozenset({"rotary_dim"})


def config(**keys: object) -> Config:
    return read(Config, {"model_type": "made_up", "hidden_size": 96, **keys}, "here")


@pytest.mark.parametrize("word", ["no", "yes", "false", "0"])
def test_a_flag_is_no_word(word: str) -> None:
    """Hugging Face's classes took "false" for true, pydantic takes it for false: neither is said."""
    with pytest.raises(ConfigValueError) as raised:
        config(tie_word_embeddings=word)
    assert str(raised.value) == f"here: tie_word_embeddings is '{word}': should be true or false"


def test_a_size_remembers_its_key() -> None:
    found = config(vision_config={"width": 32, "depths": [4, 5]})
    assert formula(2 * found.hidden_size) == "2 × hidden_size"
    assert formula(found.vision_config.width) == "vision_config.width"
    assert formula(found.vision_config.depths[1]) == "vision_config.depths[1]"
    assert formula(config().num_hidden_layers) == "num_hidden_layers"


def test_null_equals_missing() -> None:
    assert config(num_hidden_layers=None, vision_config=None).num_hidden_layers == 12
    assert config(vision_config={"width": None}).vision_config.width == 64


def test_null_keeps_its_meaning_where_the_class_gives_it_one() -> None:
    assert config(head_dim=None).head_dim is None
    assert config().head_dim == 128


def test_another_spelling_is_read_and_a_key_s_own_wins() -> None:
    assert read(Config, {"model_type": "made_up", "n_embd": 80}, "here").hidden_size == 80
    assert config(n_embd=80).hidden_size == 96
    assert config(n_embd=80, hidden_size=None).hidden_size == 80


def test_spellings_and_ignored_keys_add_to_those_of_the_class_above() -> None:
    found = read(Heir, {"model_type": "heir", "n_embd": 80, "depth": 3, "n_ctx": 1, "rotary_dim": 2, "x": 4}, "here")
    assert (found.hidden_size, found.num_hidden_layers) == (80, 3)
    assert found.unread() == {"x": 4}


def test_what_was_not_given_is_listed_with_the_value_it_took() -> None:
    found = config(head_dim=64, vision_config={"width": 32})
    assert found.defaulted() == {
        "num_hidden_layers": 12,
        "tail": 0,
        "tie_word_embeddings": True,
        "vision_config.depths": (2, 3),
    }
    assert found.assumed() == []
    assert config().assumed() == ["vision_config"]


def test_what_nobody_reads_is_kept() -> None:
    found = config(expert_rank=7, n_ctx=1024, vision_config={"dropout": 0.1})
    assert found.unread() == {"expert_rank": 7, "vision_config.dropout": 0.1}


class Childless(Config):
    unbuilt: ClassVar[frozenset[str]] = frozenset({"tail"})


def test_a_field_of_the_class_above_that_the_rule_does_not_build_is_not_read() -> None:
    given = read(Childless, {"model_type": "made_up", "hidden_size": 96, "tail": 2}, "here")
    assert given.unread() == {"tail": 2}
    assert "tail" not in read(Childless, {"model_type": "made_up", "hidden_size": 96}, "here").defaulted()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"hidden_size": 0}, "here: hidden_size is 0: should be greater than or equal to 1"),
        ({"hidden_size": -1}, "here: hidden_size is -1: should be greater than or equal to 1"),
        ({"hidden_size": 40.5}, "here: hidden_size is 40.5: should be a whole number"),
        ({"hidden_size": 4096.0}, "here: hidden_size is 4096.0: should be a whole number"),
        ({"hidden_size": "4096"}, "here: hidden_size is '4096': should be a whole number"),
        ({"hidden_size": True}, "here: hidden_size is True: should be a whole number"),
        ({"hidden_size": float("nan")}, "here: hidden_size is nan: should be a whole number"),
        ({"hidden_size": float("inf")}, "here: hidden_size is inf: should be a whole number"),
        ({"hidden_size": 2**41}, "here: hidden_size is 2199023255552: should be less than or equal to 1099511627776"),
        ({"num_hidden_layers": 2**21}, "here: num_hidden_layers is 2097152: should be less than or equal to 1048576"),
        ({"tail": -1}, "here: tail is -1: should be greater than or equal to 0"),
        ({"vision_config": {"width": "x"}}, "here: vision_config.width is 'x': should be a whole number"),
        ({"vision_config": {"depths": [2, 0.5]}}, "here: vision_config.depths[1] is 0.5: should be a whole number"),
    ],
)  # fmt: skip
def test_a_size_no_model_can_have_is_named(keys: Mapping[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError) as caught:
        config(**keys)
    assert str(caught.value) == message


def test_a_key_without_a_default_is_asked_for() -> None:
    with pytest.raises(ConfigValueError) as caught:
        read(Config, {"model_type": "made_up"}, "config.json")
    assert str(caught.value) == (
        "config.json: hidden_size is missing, and its model_type has no default: "
        "give it in the config or with --set hidden_size=…"
    )


def test_a_huge_number_is_cut_short_in_the_message() -> None:
    with pytest.raises(ConfigValueError, match=r"hidden_size is 10{29}… \(int, 401 characters\): should be less"):
        config(hidden_size=10**400)


def test_further_faults_are_counted() -> None:
    with pytest.raises(ConfigValueError, match=r"\(and 1 more\)$"):
        config(hidden_size=0, tail=-1)


def test_the_class_and_its_labels() -> None:
    assert config().class_name == ""
    assert config(architectures=["MadeUpModel", "Other"]).class_name == "MadeUpModel"
    assert config().labels == 2
    assert config(num_labels=5).labels == 5
    assert formula(config(id2label={"0": "no", "1": "yes", "2": "perhaps"}).labels) == "id2label"


@pytest.mark.parametrize(
    ("version", "is_four"),
    [("4.50.0.dev0", True), ("4.33.1", True), ("5.24.0", False), ("10.0", False), (None, False), ("main", False)],
)
def test_which_transformers_wrote_a_checkpoint(version: str | None, is_four: bool) -> None:
    assert config(transformers_version=version).is_written_by_transformers_4 is is_four


@pytest.mark.parametrize(
    ("key", "is_size"),
    [
        ("routed_expert_hidden_size", True),
        ("q_lora_rank", True),
        ("vision_config.num_channels", True),
        ("n_heads", True),
        ("num_beams", False),
        ("vocab_size_note", False),
        ("rms_norm_eps", False),
    ],
)
def test_a_key_that_would_be_a_silent_factor_of_two(key: str, is_size: bool) -> None:
    assert looks_like_a_size(key) is is_size


def test_a_config_that_is_read_stays_as_it_is() -> None:
    found = config()
    with pytest.raises(ValueError, match="frozen"):
        found.__setattr__("hidden_size", 1)
