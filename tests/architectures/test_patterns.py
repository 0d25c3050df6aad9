"""Patterns lose nothing: what is compressed expands to the same names and shapes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from .patterns import compress, compress_ties, expand, names_of

INDEX = st.integers(0, 12)
NAMES = st.builds("{}.{}.{}.{}.weight".format, st.sampled_from(["h", "layers"]), INDEX, st.sampled_from("ab"), INDEX)


@given(st.dictionaries(NAMES, st.sampled_from([(1,), (2, 3)]), max_size=60))
def test_expanding_gives_back_what_was_compressed(tensors: dict[str, tuple[int, ...]]) -> None:
    assert dict(expand(compress(tensors))) == tensors


def test_numbers_become_runs() -> None:
    tensors = {f"model.layers.{i}.experts.{j}.w": (4, 2) for i in (0, 1, 2, 5) for j in range(8)}
    assert compress(tensors) == {"model.layers.{0-2,5}.experts.{0-7}.w": [4, 2]}


def test_experts_of_a_name_each_are_a_run_too() -> None:
    tensors = {f"layers.{i}.experts.expert_{j}.w": (4, 2) for i in (1, 5) for j in range(128)}
    assert compress(tensors) == {"layers.{1,5}.experts.expert_{0-127}.w": [4, 2]}


def test_a_number_inside_a_word_is_part_of_the_word() -> None:
    assert compress({"fc1.weight": (2,), "fc2.weight": (2,)}) == {"fc1.weight": [2], "fc2.weight": [2]}


def test_ties_of_many_layers_are_one_group_of_patterns() -> None:
    layers = [[f"encoder.layers.{layer}.w", f"decoder.layers.{layer}.w"] for layer in range(3)]
    assert compress_ties([["embed", "head"], *layers]) == [
        ["embed", "head"],
        ["encoder.layers.{0-2}.w", "decoder.layers.{0-2}.w"],
    ]
    assert list(names_of("decoder.layers.{0-2}.w")) == [pair[1] for pair in layers]


def test_ties_between_layers_stay_as_they_are() -> None:
    assert compress_ties([["layers.0.w", "layers.1.w"]]) == [["layers.0.w", "layers.1.w"]]
