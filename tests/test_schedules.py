"""Which layer is of which kind: as a config lists it, or as its class derives it."""

import pytest

from archcount.errors import ConfigValueError
from archcount.schedules import (
    DENSE,
    FULL,
    LINEAR,
    SLIDING,
    SPARSE,
    dense_first,
    full_every,
    layer_kinds,
    mlp_layer_kinds,
    renewed,
    windows,
)  # fmt: skip


def test_a_list_goes_before_what_the_class_derives() -> None:
    assert mlp_layer_kinds(3, None, dense_first(1)) == [DENSE, SPARSE, SPARSE]
    assert mlp_layer_kinds(3, [SPARSE, DENSE, SPARSE], dense_first(1)) == [SPARSE, DENSE, SPARSE]


def test_every_nth_layer_sees_all() -> None:
    kinds = layer_kinds(6, None, full_every(3))
    assert kinds == [SLIDING, SLIDING, FULL] * 2
    assert windows(kinds, 4096) == [4096, 4096, None] * 2


def test_former_names_are_renewed() -> None:
    assert renewed(["mamba", "attention", "full_attention"]) == [LINEAR, FULL, FULL]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["dense"], "mlp_layer_types has 1 entries: should have one for each of 2 layers"),
        (["dense", "moe"], "mlp_layer_types[1] is 'moe': should be one of dense, sparse"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(given: list[str], message: str) -> None:
    with pytest.raises(ConfigValueError) as refused:
        mlp_layer_kinds(2, given, dense_first(1))
    assert str(refused.value) == message
