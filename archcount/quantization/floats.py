"""Weights in 8-bit floating point: per tensor, per output, or per block of 128 × 128."""

from __future__ import annotations

from collections.abc import Sequence

from ..dim import ceil_div
from ..rows import Row
from .experts import GATE_UP
from .integers import matrix
from .stored import Stored, beside, packed


def block_scaled(row: Row, block: Sequence[int]) -> list[Stored]:
    """DeepSeek-V3's layout: `weight` F8_E4M3, `weight_scale_inv` [⌈outputs ÷ block⌉, ⌈inputs ÷ block⌉] F32.

    Packed experts keep their leading dimension.
    """
    *leading, outputs, inputs = row.tensor.shape
    scales = (*leading, ceil_div(outputs, block[0]), ceil_div(inputs, block[1]))
    name = str(row.path[-1])
    return [packed(row, name, row.tensor.shape, "F8_E4M3"), beside(row, f"{name}_scale_inv", scales, "F32")]


def tensor_scaled(row: Row, *, by_output: bool = False) -> list[Stored]:
    """Hugging Face's per-tensor layout: one `weight_scale_inv`; of packed experts one each, of gates and ups one each.

    `by_output` has as many scales as outputs, as GPTQModel writes them.
    """
    name = str(row.path[-1])
    scales = tuple(row.tensor.shape[-2:-1]) if by_output else ()
    if len(row.tensor.shape) == 3:
        scales = (row.tensor.shape[0], 2 if name == GATE_UP else 1, 1)
    return [packed(row, name, row.tensor.shape, "F8_E4M3"), beside(row, f"{name}_scale_inv", scales, "F32")]


def activation_scale(row: Row) -> Stored:
    """Of static activations the one `activation_scale` of a module; of packed experts one each, by their own name."""
    if len(row.tensor.shape) == 3:
        return beside(row, f"{row.path[-1]}_activation_scale", row.tensor.shape[:1], "F32")
    return beside(row, "activation_scale", (), "F32")


def output_scaled(row: Row) -> list[Stored]:
    """fbgemm_fp8's layout: `weight` F8_E4M3 and `weight_scale` [outputs, 1] F32.

    Llama 4's packed experts are [experts, inputs, outputs], under their own names, with scales [experts, 1, outputs];
    those of `down_proj` are [experts, outputs, 1].
    """
    name = str(row.path[-1])
    if len(row.tensor.shape) == 3:
        experts, inputs, outputs = row.tensor.shape
        scales = (experts, outputs, 1) if name == "down_proj" else (experts, 1, outputs)
        return [packed(row, name, (experts, inputs, outputs), "F8_E4M3"), beside(row, f"{name}_scale", scales, "F32")]
    outputs, _ = matrix(row)
    return [packed(row, "weight", row.tensor.shape, "F8_E4M3"), beside(row, "weight_scale", (outputs, 1), "F32")]


def flat_scaled(row: Row, *, by_output: bool, is_static: bool) -> list[Stored]:
    """AutoRound's FP8: `weight_scale` one number, or [outputs]; with static activations an `input_scale`."""
    outputs, _ = matrix(row)
    stored = [
        packed(row, "weight", row.tensor.shape, "F8_E4M3"),
        beside(row, "weight_scale", (outputs,) if by_output else (1,), None),
    ]
    return [*stored, beside(row, "input_scale", (1,), None)] if is_static else stored


def modelopt_float8(row: Row) -> list[Stored]:
    """Model Optimizer's FP8: `weight` F8_E4M3, `weight_scale` and `input_scale`, one number each."""
    return [
        packed(row, "weight", row.tensor.shape, "F8_E4M3"),
        beside(row, "weight_scale", (), "F32"),
        beside(row, "input_scale", (), "F32", is_optional=True),
    ]
