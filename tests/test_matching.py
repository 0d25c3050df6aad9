"""Rows by a pattern a user types."""

import pytest

import archcount
from archcount.errors import UsageError
from archcount.matching import matching


def _patterns(model: str, wanted: str | None) -> list[str]:
    return [row.pattern for row in matching(archcount.load(model).rows, wanted, model)]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("k_proj", ["model.layers.{0-31}.self_attn.k_proj.weight"]),
        ("layers.7.self_attn.k", ["model.layers.7.self_attn.k_proj.weight"]),
        ("*.layers.?.self_attn.k_proj.weight", ["model.layers.{0-9}.self_attn.k_proj.weight"]),
        ("model.norm*", ["model.norm.weight"]),
        ("layers.1", []),
    ],
)
def test_a_part_of_a_name_or_a_pattern_of_the_whole(wanted: str, found: list[str]) -> None:
    if found:
        assert _patterns("llama-3.1-8b", wanted) == found
    else:  # layers 1 and 10 to 19
        assert _patterns("llama-3.1-8b", wanted)[0] == "model.layers.{1,10-19}.self_attn.q_proj.weight"


def test_signs_of_expressions_are_plain_signs() -> None:
    with pytest.raises(UsageError, match="no tensor of gpt2 is named like"):
        _patterns("gpt2", "w.e$|(")


def test_nothing_wanted_is_everything_wanted() -> None:
    assert len(_patterns("llama-3.1-8b", None)) == 12
