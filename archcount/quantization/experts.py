"""Experts as a format wants them: those the model packs in one tensor one by one, those it has one by one stacked."""

from __future__ import annotations

from collections.abc import Iterator

from ..dim import exact_div
from ..rows import Row

GATE_UP, DOWN = "gate_up_proj", "down_proj"
BIAS = "_bias"  # the end of the name of their biases
APART = {GATE_UP: ("gate_proj", "up_proj"), DOWN: (DOWN,)}  # the matrices that each is packed of
SWITCH = "switch_mlp"  # MLX's name for a layer's experts
GATED = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}  # Mixtral's names, and what they became


def one_by_one(row: Row, *, is_transposed: bool) -> Iterator[Row]:
    """Packed experts [experts, outputs, inputs] as a matrix each: `experts.0.gate_proj.weight` …

    `is_transposed` where the model has them [experts, inputs, outputs]. Any other row comes back as it is.
    """
    last = row.path[-1]
    if row.routed is None or len(row.tensor.shape) != 3 or last not in (GATE_UP, DOWN):
        yield row
        return
    experts, outputs, inputs = row.tensor.shape
    if is_transposed:
        outputs, inputs = inputs, outputs
    yield from _apart(row, str(last), experts, (outputs, inputs), "weight")


def biases_one_by_one(row: Row) -> Iterator[Row]:
    """The biases [experts, outputs] of packed experts as one of each matrix: `experts.0.gate_proj.bias` …"""
    experts, outputs = row.tensor.shape
    yield from _apart(row, str(row.path[-1]).removesuffix(BIAS), experts, (outputs,), "bias")


def _apart(row: Row, packed: str, experts: int, shape: tuple[int, ...], last: str) -> Iterator[Row]:
    """The matrices that are `packed` in one, or their biases, of each expert; `shape` is of all of them together."""
    parts = APART[packed]
    outputs, *inputs = shape
    for part in parts:
        path = (*row.path[:-1], range(int(experts)), part, last)
        yield row.shaped((exact_div(outputs, len(parts)), *inputs), path)


def stacked(row: Row, name: str = "experts") -> Row:
    """Experts stored one by one as one tensor [experts, …] a layer, with `name` for theirs. Other rows as they are."""
    if row.routed is None or "experts" not in row.path:
        return row
    at = row.path.index("experts")
    numbers = row.path[at + 1]
    if isinstance(numbers, str):
        return row
    shape = (len(numbers), *row.tensor.shape)
    return row.shaped(shape, (*row.path[:at], name, *row.path[at + 2 :]))


def in_parts(row: Row, *, is_transposed: bool) -> Iterator[Row]:
    """Packed experts as MLX keeps them: gate and up apart, each [experts, outputs, inputs], with their biases.

    They stay under `experts` where the model has them transposed (gpt-oss), and move to `switch_mlp` elsewhere.
    """
    last = str(row.path[-1])
    name, is_bias = last.removesuffix(BIAS), last.endswith(BIAS)
    if row.routed is None or name not in (GATE_UP, DOWN):
        yield row
        return
    experts, *size = row.tensor.shape
    if is_transposed and not is_bias:
        size.reverse()
    base = row.path[:-1] if is_transposed or is_bias else (*row.path[:-2], SWITCH)
    for part in APART[name]:
        shape = (experts, exact_div(size[0], len(APART[name])), *size[1:])
        yield row.shaped(shape, (*base, part, "bias" if is_bias else "weight"))
