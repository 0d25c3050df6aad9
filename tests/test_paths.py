"""Paths say in one line where many equal tensors stand."""

import pytest

from archcount.paths import layer_numbers, layer_of, names, numbers, pattern, span, spans, words

EXPERTS = ("model", "layers", (3, 4), "mlp", "experts", range(2), "w")


@pytest.mark.parametrize(
    ("where", "braces", "dashes"),
    [
        ((7,), "7", "7"),
        (range(1), "0", "0"),
        (range(32), "{0-31}", "0–31"),
        ((0, 1, 2, 3, 4, 6, 7), "{0-4,6-7}", "0–4,6–7"),
        ((0, 2, 4), "{0,2,4}", "0,2,4"),
        ((3, 4), "{3-4}", "3–4"),
    ],
)
def test_indices_are_written_as_runs(where: tuple[int, ...], braces: str, dashes: str) -> None:
    assert (span(where), spans(where)) == (braces, dashes)


def test_a_pattern_stands_for_its_names() -> None:
    assert pattern(EXPERTS) == "model.layers.{3-4}.mlp.experts.{0-1}.w"
    assert list(names(EXPERTS)) == [
        "model.layers.3.mlp.experts.0.w",
        "model.layers.3.mlp.experts.1.w",
        "model.layers.4.mlp.experts.0.w",
        "model.layers.4.mlp.experts.1.w",
    ]


def test_a_path_is_taken_apart_into_words_and_numbers() -> None:
    assert words(EXPERTS) == ("model", "layers", "mlp", "experts", "w")
    assert numbers(EXPERTS) == [(3, 4), range(2)]


def test_the_layers_of_a_tensor_are_its_first_numbers() -> None:
    assert (layer_of(EXPERTS), layer_numbers(EXPERTS)) == (("model", "layers", (3, 4)), (3, 4))
    assert (layer_of(("lm_head", "weight")), layer_numbers(("lm_head", "weight"))) == ((), ())
