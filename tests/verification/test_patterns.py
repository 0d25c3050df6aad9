"""Names in few lines, and nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from archcount.verification.patterns import by_pattern, common

PARTS = st.lists(st.sampled_from(["layers", "experts", "0", "1", "2", "10", "00", "w1", "w2"]), min_size=1, max_size=7)


def shown(*names: str) -> list[str]:
    return [pattern for pattern, _ in by_pattern(names)]


def test_numbers_become_ranges() -> None:
    assert shown("h.0.w", "h.1.w", "h.2.w", "h.5.w") == ["h.{0-2,5}.w"]
    assert shown("h.7.w") == ["h.7.w"]
    assert shown("a.0.b.0", "a.0.b.1", "a.1.b.0", "a.1.b.1") == ["a.{0-1}.b.{0-1}"]


def test_what_names_have_in_common_is_whole_parts() -> None:
    assert common(["mtp.fc.weight"]) == "mtp.fc.weight"
    assert common(["layers.61.mlp.w", "layers.61.mixer.w", "layers.61.mlp.v"]) == "layers.61.…"
    assert common(["layers.61.w", "layers.610.w"]) == "layers.…"
    assert common(["a.w", "b.w"]) == "…"


def test_what_is_no_product_is_several_patterns() -> None:
    assert shown("a.0.b.0", "a.0.b.1", "a.1.b.0") == ["a.0.b.{0-1}", "a.1.b.0"]


def test_a_number_in_a_word_or_with_a_zero_before_it_is_no_index() -> None:
    assert shown("w1.a", "w2.a") == ["w1.a", "w2.a"]
    assert shown("a.00", "a.01") == ["a.00", "a.01"]


def test_a_name_of_nothing_but_numbers_is_no_trouble() -> None:
    name = ".".join(["1"] * 2_000)
    assert shown(name, "9" * 5_000) == [name, "9" * 5_000]


@given(st.sets(PARTS.map(".".join), max_size=30))
def test_the_patterns_hold_every_name_once(names: set[str]) -> None:
    found = [name for _, group in by_pattern(names) for name in group]
    assert sorted(found) == sorted(names)
