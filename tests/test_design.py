"""Configs of the same shape with another number of parameters."""

import pytest

import archcount
from archcount.design import designs, parameters_of
from archcount.errors import UsageError


def test_each_config_counts_to_what_it_says() -> None:
    found = designs(archcount.load("llama-3.1-8b"), 3 * 10**9)
    assert len(found) == 10
    for design in found:
        assert archcount.load(design.config).totals.parameters == design.parameters
        assert design.difference == design.parameters - 3 * 10**9


def test_the_nearest_keeps_the_shape() -> None:
    best = designs(archcount.load("llama-3.1-8b"), 3 * 10**9)[0]
    assert abs(best.difference) < 3 * 10**7
    values = best.values
    assert values["hidden_size"] % 256 == values["intermediate_size"] % 256 == 0
    assert values["hidden_size"] // values["num_attention_heads"] == 128
    assert values["num_attention_heads"] // values["num_key_value_heads"] == 4
    assert 0.75 < values["intermediate_size"] / values["hidden_size"] / 3.5 < 1.25


def test_only_what_is_free_changes() -> None:
    best = designs(archcount.load("llama-3.1-8b"), 5 * 10**9, free=["num_hidden_layers"])[0]
    assert best.values == {
        "hidden_size": 4096, "num_hidden_layers": 18, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336,
    }  # fmt: skip
    assert best.parameters == 8_030_261_248 - 14 * 218_112_000 == 4_976_693_248


def test_one_width_is_solved_for() -> None:
    (only,) = designs(archcount.load("qwen3-8b"), 9 * 10**9, free=["intermediate_size"])
    per_step = 36 * 3 * 4096 * 256
    assert abs(only.difference) <= per_step / 2
    assert only.values["intermediate_size"] == 14_080


@pytest.mark.parametrize(("name", "grid"), [("gpt2", 64), ("gemma-3-4b", 256), ("qwen3-30b-a3b", 64), ("t5-base", 64)])
def test_other_spellings_and_nested_configs(name: str, grid: int) -> None:
    like = archcount.load(name)
    found = designs(like, like.totals.parameters * 2, multiple=grid)
    assert abs(found[0].difference) < like.totals.parameters / 10
    assert archcount.load(found[0].config).totals.parameters == found[0].parameters


def test_its_own_size_is_itself() -> None:
    best = designs(archcount.load("llama-3.1-8b"), 8_030_261_248)[0]
    assert (best.difference, best.distortion) == (0, 0.0)


@pytest.mark.parametrize(
    ("text", "count"), [("3B", 3 * 10**9), ("1.5b", 15 * 10**8), ("350M", 350 * 10**6), ("7_000", 7000)]
)
def test_counts_as_they_are_written(text: str, count: int) -> None:
    assert parameters_of(text) == count


@pytest.mark.parametrize("text", ["", "B", "three", "-1", "0", "1/0"])
def test_what_is_no_count(text: str) -> None:
    with pytest.raises(UsageError, match="--parameters"):
        parameters_of(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"free": ["vocab_size"]}, "--free vocab_size: should be one of hidden_size, num_hidden_layers"),
        ({"multiple": 0}, "--multiple-of 0: should be 1 or more"),
        ({"multiple": 1 << 20}, "nothing within a quarter of its ratios"),
    ],
)
def test_what_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        designs(archcount.load("llama-3.1-8b"), 3 * 10**9, **options)  # type: ignore[arg-type]


def test_a_size_far_beyond_the_model_is_refused() -> None:
    with pytest.raises(UsageError, match=r"more than 100 times the 8,030,261,248 of llama-3\.1-8b: start"):
        designs(archcount.load("llama-3.1-8b"), 10**30)
