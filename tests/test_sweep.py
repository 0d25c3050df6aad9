"""Every combination of some values."""

import pytest

import archcount
from archcount.errors import ConfigError, UsageError
from archcount.sweep import Point, parse, sweep

LLAMA = archcount.load("llama-3.1-8b").raw


def test_key_value_heads_of_llama() -> None:
    """The article's quarter of the cache for eight heads of 32, and 37.5% fewer attention weights."""
    points = sweep(LLAMA, parse(["num_key_value_heads=1,2,4,8,32"]), context=8192)
    assert [point.parameters for point in points] == [
        7_795_380_224, 7_828_934_656, 7_896_043_520, 8_030_261_248, 8_835_567_616,
    ]  # fmt: skip
    assert [points[-1].cache_bytes // point.cache_bytes for point in points] == [32, 16, 8, 4, 1]
    assert 1 - 41_943_040 / 67_108_864 == 0.375
    assert points[-1].parameters - points[-2].parameters == 32 * (67_108_864 - 41_943_040)


def test_combinations_the_last_key_fastest() -> None:
    points = sweep(LLAMA, parse(["num_hidden_layers=1,2", "mlp_bias=false,true"]), context=16)
    assert [tuple(point.values.values()) for point in points] == [(1, False), (1, True), (2, False), (2, True)]


def test_values_as_json_or_as_words() -> None:
    assert parse(["a=1,2.5,null", "b=x, y", "c=[1,2],[3]"]) == {
        "a": [1, 2.5, None],
        "b": ["x", "y"],
        "c": [[1, 2], [3]],
    }


def test_biases_on_every_matrix() -> None:
    """The article's 1,376,256: 0.017% of Llama 3.1 8B."""
    settings = parse(["attention_bias=true", "mlp_bias=true"])
    (point,) = sweep(LLAMA, settings, context=16)
    assert isinstance(point, Point)
    assert point.parameters - 8_030_261_248 == 1_376_256
    assert f"{1_376_256 / 8_030_261_248:.3%}" == "0.017%"


@pytest.mark.parametrize("text", ["num_hidden_layers", "=1", "num_hidden_layers="])
def test_what_is_no_setting(text: str) -> None:
    with pytest.raises(UsageError, match="write key=value,value"):
        parse([text])


def test_too_many() -> None:
    with pytest.raises(UsageError, match="more than 1,000 combinations"):
        sweep(LLAMA, {"num_hidden_layers": list(range(1, 1002))}, context=1)


def test_values_that_cannot_go_together_are_refused() -> None:
    with pytest.raises(ConfigError, match="does not divide"):
        sweep(LLAMA, parse(["num_key_value_heads=5"]), context=1)


def test_a_cache_needs_a_data_type() -> None:
    with pytest.raises(UsageError, match="give --cache-dtype"):
        sweep(archcount.load("gpt2").raw, {"n_layer": [1]}, context=1)
