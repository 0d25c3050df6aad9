"""What each optimizer keeps for one tensor."""

import pytest

from archcount.costs.optimizers import OPTIMIZERS
from archcount.rows import Row
from archcount.tree import Role, Tensor, Use

MATRIX = Row(("mlp", "weight"), Tensor((4096, 1024), Use.MATMUL), Role.MLP, "")
HEAD = Row(("head", "weight"), Tensor((4096, 1024), Use.MATMUL), Role.HEAD, "")
GAIN = Row(("norm", "weight"), Tensor((1024,), Use.SCALE), Role.NORM, "")
ELEMENTS = 4096 * 1024


@pytest.mark.parametrize(
    ("optimizer", "matrix", "head", "gain"),
    [
        ("adamw", 8 * ELEMENTS, 8 * ELEMENTS, 8192),
        ("adamw-8bit", 2 * (ELEMENTS + 4 * ELEMENTS // 256), 2 * (ELEMENTS + 4 * ELEMENTS // 256), 8192),
        ("muon", 4 * ELEMENTS, 8 * ELEMENTS, 8192),
        ("adafactor", 4 * (4096 + 1024), 4 * (4096 + 1024), 4096),
        ("sgd", 0, 0, 0),
        ("sgd-momentum", 4 * ELEMENTS, 4 * ELEMENTS, 4096),
    ],
)
def test_bytes_of_state(optimizer: str, matrix: int, head: int, gain: int) -> None:
    keep = OPTIMIZERS[optimizer]
    assert (keep(MATRIX), keep(HEAD), keep(GAIN)) == (matrix, head, gain)
