"""Experts as a format wants them: those the model packs in one tensor one by one, those it has one by one stacked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..dim import exact_div
from ..rows import Row

GATE_UP, DOWN = "gate_up_proj", "down_proj"
BIAS = "_bias"  # the end of the name of their biases
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
    if last == DOWN:
        yield _expert(row, experts, DOWN, (outputs, inputs))
        return
    for name in ("gate_proj", "up_proj"):
        yield _expert(row, experts, name, (exact_div(outputs, 2), inputs))


def biases_one_by_one(row: Row) -> Iterator[Row]:
    """The biases [experts, outputs] of packed experts as one of each matrix: `experts.0.gate_proj.bias` …"""
    experts, outputs = row.tensor.shape
    name = str(row.path[-1]).removesuffix(BIAS)
    parts = ("gate_proj", "up_proj") if name == GATE_UP else (DOWN,)
    for part in parts:
        shape = (exact_div(outputs, len(parts)),)
        path = (*row.path[:-1], range(int(experts)), part, "bias")
        yield replace(row, path=path, tensor=replace(row.tensor, shape=shape))


def _expert(row: Row, experts: int, name: str, shape: tuple[int, int]) -> Row:
    path = (*row.path[:-1], range(int(experts)), name, "weight")
    return replace(row, path=path, tensor=replace(row.tensor, shape=shape))


def stacked(row: Row) -> Row:
    """Experts stored one by one as MLX keeps them: one tensor a layer, under `switch_mlp`. Other rows as they are."""
    if row.routed is None or "experts" not in row.path:
        return row
    at = row.path.index("experts")
    numbers = row.path[at + 1]
    if isinstance(numbers, str):
        return row
    shape = (len(numbers), *row.tensor.shape)
    rest = tuple(GATED.get(step, step) if isinstance(step, str) else step for step in row.path[at + 2 :])
    return replace(row, path=(*row.path[:at], SWITCH, *rest), tensor=replace(row.tensor, shape=shape))


def in_parts(row: Row, *, is_transposed: bool) -> Iterator[Row]:
    """Packed experts as MLX keeps them: gate and up apart, each [experts, outputs, inputs], with their biases.

    They stay under `experts` where the model has them transposed (gpt-oss), and move to `switch_mlp` elsewhere.
    """
    last = str(row.path[-1])
    name, is_bias = last.removesuffix("_bias"), last.endswith("_bias")
    if row.routed is None or name not in (GATE_UP, DOWN):
        yield row
        return
    experts, *size = row.tensor.shape
    if is_transposed and not is_bias:
        size.reverse()
    base = row.path[:-1] if is_transposed or is_bias else (*row.path[:-2], SWITCH)
    parts = ("gate_proj", "up_proj") if name == GATE_UP else (DOWN,)
    for part in parts:
        shape = (experts, exact_div(size[0], len(parts)), *size[1:])
        yield replace(
            row,
            path=(*base, part, "bias" if is_bias else "weight"),
            tensor=replace(row.tensor, shape=shape),
        )
