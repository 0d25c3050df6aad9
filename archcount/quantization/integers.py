"""Weights packed into 32-bit words, with a scale and a zero point for each group: GPTQ, AWQ, EETQ, BitNet."""

from __future__ import annotations

from dataclasses import dataclass

from ..dim import ceil_div, exact_div
from ..errors import ConfigValueError
from ..rows import Row
from .stored import Stored, beside, packed

WORD = 32
TILE = 16
GEMV_PADDING = {32: 4, 64: 2}  # AutoAWQ's gemv pads the zero points of small groups to so many words; 1 from 128 on

FAST = {"gemv_fast": "qzeros", "llm-awq": "scaled_zeros"}  # AWQ in 16-bit words, and what its zero points are called


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


def zero_bias(row: Row) -> Stored:
    """The bias of zeros that AutoGPTQ writes for a matrix that has none."""
    outputs, _ = matrix(row)
    return beside(row, "bias", (outputs,), "F16", is_optional=True, is_foretold=False)


def awq(row: Row, groups: Groups, version: str = "gemm") -> list[Stored]:
    """`qweight`, `qzeros` and `scales` by group (Lin et al. 2023), as AutoAWQ's kernels want them.

    gemm: [inputs, outputs × bits ÷ 32]; gemv: [outputs, inputs × bits ÷ 32], its groups padded; gemv_fast: 16-bit
    words, four outputs to a row; llm-awq: that, with its zero points scaled and called so.

    Raises ConfigValueError: another version.
    """
    if version != "gemm":
        return _gemv(row, groups, version)
    outputs, inputs = matrix(row)
    count = groups.along(inputs)
    return [
        packed(row, "qweight", (inputs, words(outputs, groups.bits)), "I32"),
        beside(row, "qzeros", (count, words(outputs, groups.bits)), "I32"),
        beside(row, "scales", (count, outputs), "F16"),
    ]


def _gemv(row: Row, groups: Groups, version: str) -> list[Stored]:
    """AWQ for kernels that multiply one vector: zero points a word at a time, so scales are padded with them."""
    outputs, inputs = matrix(row)
    each, padding = WORD // groups.bits, GEMV_PADDING.get(groups.size, 1)
    zeros = ceil_div(ceil_div(groups.along(inputs), each), padding) * padding
    if zeros_called := FAST.get(version):
        return [
            packed(row, "qweight", (exact_div(outputs, 4), inputs * groups.bits // 16 * 4), "I16"),
            beside(row, "scales", (zeros * each, outputs), "F16"),
            beside(row, zeros_called, (zeros * each, outputs), "F16"),
        ]
    if version != "gemv":
        known = ", ".join(("gemm", "gemv", *FAST))
        raise ConfigValueError(f"AWQ version {version!r} has no layout here: archcount knows {known}")
    return [
        packed(row, "qweight", (outputs, words(inputs, groups.bits)), "I32"),
        beside(row, "qzeros", (outputs, zeros), "I32"),
        beside(row, "scales", (outputs, zeros * each), "F16"),
    ]


def qqq(row: Row, groups: Groups) -> list[Stored]:
    """`B` in tiles of 16 inputs, `s_channel` by output and `s_group` by group, none where it is the whole row.

    Zhang et al. 2024, as GPTQModel stores it.
    """
    outputs, inputs = matrix(row)
    count = groups.along(inputs)
    return [
        packed(row, "B", (exact_div(inputs, TILE), words(outputs * TILE, groups.bits)), "I32"),
        beside(row, "s_channel", (1, outputs), "F32"),
        beside(row, "s_group", (count, outputs) if count > 1 else (0,), "F16"),
    ]


def eetq(row: Row) -> list[Stored]:
    """`weight` int8 [inputs, outputs], stored the other way round, and a scale for each output."""
    outputs, inputs = matrix(row)
    return [packed(row, "weight", (inputs, outputs), "I8"), beside(row, "weight_scales", (outputs,), "F16")]


def bitnet(row: Row) -> list[Stored]:
    """`weight` U8 [⌈outputs ÷ 4⌉, inputs] of four ternary weights, and one `weight_scale` (Ma et al. 2024)."""
    outputs, inputs = matrix(row)
    return [packed(row, "weight", (ceil_div(outputs, 4), inputs), "U8"), beside(row, "weight_scale", (1,), None)]
