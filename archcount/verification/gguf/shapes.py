"""One tensor of a model as other tensors of the same numbers: stacked, in parts, cut short, turned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

from ...dim import exact_div
from ...paths import Path, layer_numbers
from ...rows import Row

LEFT_OUT = "left out"  # the last step of a part of a tensor that no file holds
Form = tuple[Row, ...]


def parts(row: Row, names: Sequence[str]) -> Form:
    """The rows of a matrix, an expert's too, in equal parts under these names of a file."""
    last = "bias" if str(row.path[-1]).endswith("bias") else "weight"
    shape, axis = row.tensor.shape, int(row.routed is not None)  # an expert's rows stand behind the experts
    size = (*shape[:axis], exact_div(shape[axis], len(names)), *shape[axis + 1 :]) if len(names) > 1 else shape
    return tuple(row.shaped(size, (*placed(name, row), last)) for name in names)


def placed(name: str, row: Row) -> Path:
    """The steps of a name, `{}` the numbers of the row's layers, `{+1}` the next ones."""
    where = layer_numbers(row.path)
    steps = {"{}": where, "{+1}": tuple(number + 1 for number in where)}
    return tuple(steps.get(step, step) for step in name.split("."))


def cut(row: Row, kept: int) -> Form:
    """The rows of a table that a file keeps, and those it does not."""
    rows, *rest = row.tensor.shape
    return row.shaped((kept, *rest)), row.shaped((rows - kept, *rest), (*row.path, LEFT_OUT))


def gated(row: Row, width: int) -> Form:
    """Queries, keys and values, and the gate of so many outputs behind them."""
    rows, *rest = row.tensor.shape
    sizes = {"blk.{}.attn_qkv": rows - width, "blk.{}.attn_gate": width}
    return tuple(row.shaped((size, *rest), (*placed(name, row), "weight")) for name, size in sizes.items())


def listed(row: Row, path: Path) -> Row:
    """Tensors of a list as one, their number its first dimension."""
    return row.shaped((row.times, *row.tensor.shape), path)


def unrolled(row: Row, *, is_turned: bool) -> Row:
    """Experts one below the other [experts × inner, width] as [experts, outputs, inputs]."""
    experts = int(row.routed.total) if row.routed else 1
    rows, width = row.tensor.shape
    inner = exact_div(rows, experts)
    shape = (experts, width, inner) if is_turned else (experts, inner, width)
    return row.shaped(shape)


def frames(row: Row) -> Iterator[Row]:
    """A convolution over time as one over space for each of its frames: `v.patch_embd.weight`, `….weight.1`."""
    outputs, channels, frames, *space = row.tensor.shape
    for frame in range(int(frames)):
        number = (str(frame),) if frame else ()
        yield row.shaped((outputs, channels, *space), ("v", "patch_embd", "weight", *number))


def turned(row: Row) -> Row:
    """The first two dimensions the other way round."""
    first, second, *rest = row.tensor.shape
    return row.shaped((second, first, *rest))


def flat(row: Row) -> Row:
    """A grid of rows [height, width, size] as a list of them."""
    height, width, size = row.tensor.shape
    return row.shaped((height * width, size))


def squared(row: Row, channels: int = 3) -> Row | None:
    """A matrix over the pixels of square patches [width, channels × side × side] as a convolution, if it is one."""
    shape = row.tensor.shape
    side = isqrt(shape[-1] // channels)
    if len(shape) != 2 or shape[-1] != channels * side * side:
        return None
    return row.shaped((shape[0], channels, side, side))
