"""Weights packed into 32-bit words, with a scale and a zero point for each group: GPTQ, AWQ, HQQ, EETQ."""

from __future__ import annotations

from dataclasses import dataclass

from ..dim import ceil_div
from ..errors import ConfigValueError
from ..rows import Row
from .stored import Stored, beside, packed

WORD = 32


@dataclass(frozen=True, slots=True)
class Groups:
    """`bits` a weight; a scale for every `size` inputs, or for all of them where size is -1."""

    bits: int
    size: int

    def along(self, inputs: int) -> int:
        """How many groups a row of `inputs` weights has."""
        return 1 if self.size == -1 else ceil_div(inputs, self.size)


def words(count: int, bits: int) -> int:
    """32-bit words that hold `count` weights of `bits`, which may straddle them (3 bits: 32 weights in 3 words).

    Raises ConfigValueError: they do not fill whole words.
    """
    if int(count) * bits % WORD:
        raise ConfigValueError(f"{int(count)} weights of {bits} bits do not fill whole 32-bit words")
    return count * bits // WORD


def matrix(row: Row) -> tuple[int, int]:
    """Outputs and inputs of a weight.

    Raises ConfigValueError: not a matrix, so this format has no layout for it.
    """
    if len(row.tensor.shape) != 2:
        raise ConfigValueError(f"{row.pattern} is not a matrix, and its format has no layout for that")
    outputs, inputs = row.tensor.shape
    return outputs, inputs


def gptq(row: Row, groups: Groups) -> list[Stored]:
    """`qweight` [inputs × bits ÷ 32, outputs], `qzeros`, `scales` by group, `g_idx` [inputs] (Frantar et al. 2022)."""
    outputs, inputs = matrix(row)
    count = groups.along(inputs)
    return [
        packed(row, "qweight", (words(inputs, groups.bits), outputs), "I32"),
        beside(row, "qzeros", (count, words(outputs, groups.bits)), "I32"),
        beside(row, "scales", (count, outputs), "F16"),
        beside(row, "g_idx", (inputs,), "I32", is_optional=True),
    ]


def awq(row: Row, groups: Groups) -> list[Stored]:
    """`qweight` [inputs, outputs × bits ÷ 32], `qzeros` and `scales` by group (Lin et al. 2023; the GEMM layout)."""
    outputs, inputs = matrix(row)
    count = groups.along(inputs)
    return [
        packed(row, "qweight", (inputs, words(outputs, groups.bits)), "I32"),
        beside(row, "qzeros", (count, words(outputs, groups.bits)), "I32"),
        beside(row, "scales", (count, outputs), "F16"),
    ]


def eetq(row: Row) -> list[Stored]:
    """`weight` int8 [inputs, outputs], stored the other way round, and a scale for each output."""
    outputs, inputs = matrix(row)
    return [packed(row, "weight", (inputs, outputs), "I8"), beside(row, "weight_scales", (outputs,), "F16")]
