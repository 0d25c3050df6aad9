"""bitsandbytes: 8-bit with a scale for each output, or 4-bit in a flat run of bytes with nested scales."""

from __future__ import annotations

from ..checkpoint.dtypes import HEADER_BITS
from ..dim import ceil_div
from ..rows import Row
from .integers import matrix
from .stored import ANY_LENGTH, Stored, beside, packed

BLOCK, NESTED_BLOCK, CODES = 64, 256, 16


def eight_bit(row: Row) -> list[Stored]:
    """`weight` I8 [outputs, inputs], `SCB` F32 [outputs] and a byte that names the layout (Dettmers et al. 2022)."""
    outputs, _ = matrix(row)
    return [
        packed(row, "weight", row.tensor.shape, "I8"),
        beside(row, "SCB", (outputs,), "F32"),
        beside(row, "weight_format", (), "U8", is_optional=True),
    ]


def four_bit(row: Row, code: str, *, is_nested: bool, storage: str = "U8") -> list[Stored]:
    """`weight` [bytes, 1], two weights a byte, and a scale for each 64 of them, itself in 8 bits where nested.

    `code` is `nf4` or `fp4` (QLoRA, 2023); `storage` is the type the bytes are kept as, which may be wider than one.
    The state that goes with it is a JSON text, so its length is the writer's.
    """
    elements = row.tensor.elements
    blocks, width = ceil_div(elements, BLOCK), (HEADER_BITS[storage] // 8)
    stored = [
        packed(row, "weight", (ceil_div(ceil_div(elements, 2), width), 1), storage),
        beside(row, "weight.absmax", (blocks,), "U8" if is_nested else "F32"),
        beside(row, "weight.quant_map", (CODES,), "F32"),
        beside(row, f"weight.quant_state.bitsandbytes__{code}", (ANY_LENGTH,), "U8"),
    ]
    if is_nested:
        stored.append(beside(row, "weight.nested_absmax", (ceil_div(blocks, NESTED_BLOCK),), "F32"))
        stored.append(beside(row, "weight.nested_quant_map", (NESTED_BLOCK,), "F32"))
    return stored
