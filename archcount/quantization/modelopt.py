"""What Model Optimizer stores of a matrix, by the algorithm that its config names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..dim import exact_div
from ..rows import Row
from . import floats, microscaling
from .integers import matrix
from .method import Layout
from .stored import ANY_LENGTH, Stored, beside, packed


def layout_of(algorithm: str, group: int | None) -> Layout | None:
    """The layout of an algorithm, None of one that is unknown here; `group` is how many inputs share a scale.

    Where the config does not say that, as Model Optimizer's often do not, the number of scales is the file's own.
    """
    made = LAYOUTS.get(algorithm.upper())
    return made(group) if made else None


def _awq(group: int | None, *, has_inputs: bool) -> Layout:
    """Two 4-bit weights of neighbouring outputs a byte, scales by group; W4A8 scales those, and the inputs, again."""

    def layout(row: Row) -> Iterator[Stored]:
        outputs, inputs = matrix(row)
        yield packed(row, "weight", (exact_div(outputs, 2), inputs), "U8")
        yield beside(row, "weight_scale", (outputs, exact_div(inputs, group) if group else ANY_LENGTH), "F32")
        if has_inputs:
            yield beside(row, "weight_scale_2", (), "F32")
            yield beside(row, "input_scale", (), "F32")
        yield _smoothing(row)

    return layout


def _smooth(row: Row) -> Iterator[Stored]:
    """SmoothQuant: whole bytes, a scale for each output, one for the inputs."""
    outputs, _ = matrix(row)
    yield packed(row, "weight", row.tensor.shape, "I8")
    yield beside(row, "weight_scale", (outputs,), "F32")
    yield beside(row, "input_scale", (), "F32")
    yield _smoothing(row)


def _smoothing(row: Row) -> Stored:
    """A factor for each input, unless it went into the norm or the matrix before: that is the model's matter."""
    return beside(row, "pre_quant_scale", (matrix(row)[1],), None, is_optional=True, is_foretold=False)


def _by_output(row: Row) -> Iterator[Stored]:
    yield packed(row, "weight", row.tensor.shape, "F8_E4M3")
    yield beside(row, "weight_scale", (matrix(row)[0],), "F32")


def _by_block(row: Row) -> Iterator[Stored]:
    """A scale for each square block, whose size no config tells."""
    yield packed(row, "weight", row.tensor.shape, "F8_E4M3")
    yield beside(row, "weight_scale", (ANY_LENGTH, 1, ANY_LENGTH, 1), "F32")


def _mixed_four(group: int | None) -> Layout:
    """NVFP4 for inputs of 8 bits, whose groups are larger."""
    return lambda row: microscaling.modelopt_nvfp4(row, exact_div(matrix(row)[1], group) if group else ANY_LENGTH)


LAYOUTS: Mapping[str, Callable[[int | None], Layout]] = {
    "FP8": lambda _: floats.modelopt_float8,
    "FP8_PB_WO": lambda _: _by_block,
    "FP8_PER_CHANNEL_PER_TOKEN": lambda _: _by_output,
    "MXFP4": lambda _: lambda row: microscaling.microscaled(row, "weight", 4),
    "MXFP8": lambda _: lambda row: microscaling.microscaled(row, "weight", 8),
    "NVFP4": lambda _: microscaling.modelopt_nvfp4,
    "W4A16_AWQ": lambda group: _awq(group, has_inputs=False),
    "W4A8_AWQ": lambda group: _awq(group, has_inputs=True),
    "W4A8_NVFP4_FP8": _mixed_four,
    "W8A8_SQ_PER_CHANNEL": lambda _: _smooth,
}
