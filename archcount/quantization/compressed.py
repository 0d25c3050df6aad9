"""The compressed-tensors format: groups of modules, each with its own width, strategy and packing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..dim import ceil_div, exact_div
from ..errors import ConfigValueError
from ..rows import Row
from .integers import WORD, matrix
from .microscaling import NV_BLOCK, microscaled
from .stored import Stored, beside, packed

DENSE_SINCE = (0, 18)  # the version of compressed-tensors from which on weights of any width fill their words
MICROSCALED = {
    "mxfp4-pack-quantized": ("weight_packed", 4),
    "mxfp6-pack-quantized": ("weight_packed", 6),
    "mxfp8-quantized": ("weight", 8),
}
"""By the format's own word, what the weight is called and of how many bits it is."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How one group's weights are kept; `packing` is the format's own word for it."""

    packing: str
    bits: int
    is_float: bool
    strategy: str
    group_size: int | None
    block: tuple[int, int] | None
    is_symmetric: bool
    has_order: bool
    has_static_inputs: bool
    has_input_zeros: bool
    is_dense: bool | None

    @classmethod
    def read(cls, group: Mapping[str, Any], packing: str, version: object = None) -> Scheme:
        """The scheme of one entry of `config_groups`; `version` is that of the compressed-tensors that wrote it."""
        weights, inputs = group["weights"], group.get("input_activations") or {}
        block = weights.get("block_structure")
        is_static = bool(inputs) and inputs.get("dynamic", False) is not True  # "local" keeps a global scale
        return cls(
            packing=group.get("format") or packing,
            bits=weights["num_bits"],
            is_float=weights.get("type") == "float",
            strategy=weights.get("strategy") or ("group" if weights.get("group_size") else "tensor"),
            group_size=weights.get("group_size"),
            block=(block[0], block[1]) if block else None,
            is_symmetric=weights.get("symmetric", True),
            has_order=weights.get("actorder") in ("group", True),
            has_static_inputs=is_static,
            has_input_zeros=is_static and not inputs.get("symmetric", True),
            is_dense=_is_dense(version),
        )


def stored(row: Row, scheme: Scheme) -> list[Stored]:
    """The tensors of one weight [outputs, inputs] under a scheme.

    Raises ConfigValueError: a packing or strategy archcount has no layout for.
    """
    match scheme.packing:
        case "pack-quantized":
            return list(_packed_integers(row, scheme))
        case "float-quantized" | "int-quantized" | "naive-quantized":
            return list(_whole_bytes(row, scheme))
        case "nvfp4-pack-quantized":
            return list(_nvfp4(row, scheme))
        case packing if packing in MICROSCALED:
            return microscaled(row, *MICROSCALED[packing])
    raise ConfigValueError(f"compressed-tensors format {scheme.packing!r} has no layout here")


def _packed_integers(row: Row, scheme: Scheme) -> Iterator[Stored]:
    outputs, inputs = matrix(row)
    scales = _scales(row, scheme)
    yield packed(row, "weight_packed", (outputs, _words(inputs, scheme)), "I32")
    yield beside(row, "weight_scale", scales, None)
    yield beside(row, "weight_shape", (2,), "I64")
    if not scheme.is_symmetric:
        yield beside(row, "weight_zero_point", (_words(scales[0], scheme), *scales[1:]), "I32")
    if scheme.has_order:
        yield beside(row, "weight_g_idx", (inputs,), "I32", is_optional=True)
    yield from _input_scale(row, scheme)


def _whole_bytes(row: Row, scheme: Scheme) -> Iterator[Stored]:
    dtype = "F8_E4M3" if scheme.is_float else "I8"  # whole bytes, also of integers of fewer bits
    if scheme.bits > 8 or (scheme.is_float and scheme.bits < 8):
        raise ConfigValueError(f"compressed-tensors {scheme.packing!r} of {scheme.bits} bits has no layout here")
    scales = _scales(row, scheme)
    yield packed(row, "weight", row.tensor.shape, dtype)
    yield beside(row, "weight_scale", scales, None)
    if not scheme.is_symmetric:
        yield beside(row, "weight_zero_point", scales, "I8")
    yield from _input_scale(row, scheme)


def _nvfp4(row: Row, scheme: Scheme) -> Iterator[Stored]:
    outputs, inputs = matrix(row)
    yield packed(row, "weight_packed", (outputs, exact_div(inputs, 2)), "U8")
    yield beside(row, "weight_scale", (outputs, exact_div(inputs, scheme.group_size or NV_BLOCK)), "F8_E4M3")
    yield beside(row, "weight_global_scale", (1,), "F32")
    if scheme.has_static_inputs:
        yield beside(row, "input_global_scale", (1,), "F32", is_optional=True)


def _input_scale(row: Row, scheme: Scheme) -> Iterator[Stored]:
    if scheme.has_static_inputs:
        yield beside(row, "input_scale", (1,), None)
    if scheme.has_input_zeros:
        yield beside(row, "input_zero_point", (1,), "I8")


def _words(count: int, scheme: Scheme) -> int:
    """32-bit words for so many weights: as many whole ones to a word as fit, or one after the other without gaps."""
    if WORD % scheme.bits == 0:
        return ceil_div(count, WORD // scheme.bits)
    if scheme.is_dense is None:
        mend = "its config's version should say how weights of such a width are packed"
        raise ConfigValueError(f"compressed-tensors pack-quantized of {scheme.bits} bits has no layout here: {mend}")
    return ceil_div(count * scheme.bits, WORD) if scheme.is_dense else ceil_div(count, WORD // scheme.bits)


def _is_dense(version: object) -> bool | None:
    """Does this version pack without gaps? None where it is no version."""
    parts = str(version or "").split(".")[:2]
    return tuple(map(int, parts)) >= DENSE_SINCE if len(parts) == 2 and all(map(str.isdecimal, parts)) else None


def _scales(row: Row, scheme: Scheme) -> tuple[int, ...]:
    outputs, inputs = matrix(row)
    match scheme.strategy:
        case "tensor":
            return (1,)
        case "channel":
            return (outputs, 1)
        case "group" | "tensor_group" if scheme.group_size:
            return (outputs, ceil_div(inputs, scheme.group_size))
        case "block" if scheme.block:
            return (ceil_div(outputs, scheme.block[0]), ceil_div(inputs, scheme.block[1]))
    raise ConfigValueError(f"compressed-tensors strategy {scheme.strategy!r} has no layout here")
