"""What an optimizer keeps beside the weights, tensor by tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

from ..rows import Row
from ..tree import Role, Use

FULL = 4  # bytes: float32
BLOCK = 256  # elements that share a scale in 8-bit states (Dettmers et al. 2022, as bitsandbytes has it)
SMALLEST_8BIT = 4096  # elements; a smaller tensor's states stay in 32 bits


def _adamw(row: Row) -> int:
    """Two moments in float32 (Kingma and Ba 2014)."""
    return 2 * FULL * row.tensor.elements


def _adamw_8bit(row: Row) -> int:
    """Two moments in a byte each, and a float32 scale for each block of 256."""
    elements = row.tensor.elements
    return _adamw(row) if elements < SMALLEST_8BIT else 2 * (elements + FULL * math.ceil(elements / BLOCK))


def _muon(row: Row) -> int:
    """One momentum for a hidden matrix (Jordan et al. 2024), AdamW for the rest: tables, head, gains, biases."""
    is_hidden = row.tensor.use is Use.MATMUL and row.role is not Role.HEAD
    return FULL * row.tensor.elements if is_hidden else _adamw(row)


def _adafactor(row: Row) -> int:
    """A second moment as sums of rows and of columns, whole for a vector; no first (Shazeer and Stern 2018)."""
    shape, elements = tuple(map(int, row.tensor.shape)), row.tensor.elements
    if len(shape) < 2 or not elements:
        return FULL * elements
    return FULL * (elements // shape[-1] + elements // shape[-2])


def _momentum(row: Row) -> int:
    return FULL * row.tensor.elements


OPTIMIZERS: MappingProxyType[str, Callable[[Row], int]] = MappingProxyType(
    {
        "adamw": _adamw,
        "adamw-8bit": _adamw_8bit,
        "muon": _muon,
        "adafactor": _adafactor,
        "sgd": lambda row: 0,
        "sgd-momentum": _momentum,
    }
)
"""Bytes of state for one tensor of a row."""
