"""Weights of few bits with a shared exponent or scale for each small block: MXFP4, MXFP6, MXFP8, NVFP4."""

from __future__ import annotations

from ..dim import ceil_div, exact_div
from ..rows import Row
from .integers import matrix
from .stored import Stored, beside, packed

MX_BLOCK = 32  # OCP Microscaling Formats 1.0, section 5.1
NV_BLOCK = 16


def gpt_oss_experts(row: Row) -> list[Stored]:
    """gpt-oss: `…_blocks` [experts, outputs, inputs ÷ 32, 16] of two weights a byte, `…_scales` [experts, outputs, …].

    The model's own tensor is [experts, inputs, outputs]; the file's blocks run along the inputs.
    """
    experts, inputs, outputs = row.tensor.shape
    blocks = exact_div(inputs, MX_BLOCK)
    name = str(row.path[-1])
    return [
        packed(row, f"{name}_blocks", (experts, outputs, blocks, MX_BLOCK // 2), "U8"),
        beside(row, f"{name}_scales", (experts, outputs, blocks), "U8"),
    ]


def microscaled(row: Row, name: str, bits: int) -> list[Stored]:
    """`name` [outputs, inputs × bits ÷ 8] in bytes, `weight_scale` [outputs, inputs ÷ 32] of 8 bits."""
    outputs, inputs = matrix(row)
    return [
        packed(row, name, (outputs, exact_div(inputs * bits, 8)), "F8_E4M3" if bits == 8 else "U8"),
        beside(row, "weight_scale", (outputs, exact_div(inputs, MX_BLOCK)), "U8"),
    ]


def fp4_experts(row: Row) -> list[Stored]:
    """FP8's experts in FP4, as transformers keeps them: `weight` I8 of two a byte, a scale for each 32 inputs."""
    *leading, inputs = row.tensor.shape
    name = str(row.path[-1])
    return [
        packed(row, name, (*leading, exact_div(inputs, 2)), "I8"),
        beside(row, f"{name}_scale_inv", (*leading, ceil_div(inputs, MX_BLOCK)), "F32"),
    ]


def modelopt_nvfp4(row: Row, groups: int | None = None) -> list[Stored]:
    """Model Optimizer's NVFP4: `weight` two to a byte, a scale for each 16 inputs, and one for the tensor.

    `groups` is another number of scales a row.
    """
    outputs, inputs = matrix(row)
    return [
        packed(row, "weight", (outputs, exact_div(inputs, 2)), "U8"),
        beside(row, "weight_scale", (outputs, groups or exact_div(inputs, NV_BLOCK)), "F8_E4M3"),
        beside(row, "weight_scale_2", (), "F32"),
        beside(row, "input_scale", (), "F32", is_optional=True),
    ]
