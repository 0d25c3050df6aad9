"""Rows added up: parameters, active, stored; by role, section and layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .checkpoint.dtypes import config_bits, header_bits
from .marks import MAIN, MTP
from .quantization import Stored
from .rows import Row
from .tree import Role, Storage, Use


@dataclass(frozen=True, slots=True)
class Totals:
    """What a model holds, each figure under its own name.

    `parameters` is every learned number once, in every section but `mtp` (multi-token prediction stands beside it in
    `by_section`, where the unnamed section is `main`). `active` is what one token passes through: less the routed
    experts not chosen. `active_without_input_embedding` leaves out the tables that are only looked up (a table tied
    to the head stays: the head multiplies by it); `active_without_embeddings` leaves out every table and the head.
    `stored` is elements in the file: parameters, MTP, copies, buffers, packed as the config's quantized format packs
    them, and `bookkeeping` (scales, zero points) with them; both None where archcount has no layout for the
    format, or its writer chose the sizes.
    """

    parameters: int
    active: int
    active_without_input_embedding: int
    active_without_embeddings: int
    stored: int | None
    bookkeeping: int | None
    copies: int
    buffers: int
    tied: int
    by_role: Mapping[str, int]
    by_section: Mapping[str, int]


def totals(rows: Iterable[Row], stored: Iterable[Stored] | None) -> Totals:
    """Add up the rows of one model; `stored` is what its files hold, None where that cannot be told."""
    sized = [(row, row.elements) for row in rows]
    held = None if stored is None else list(stored)
    files = None if held is None or any(each.is_unsized for each in held) else [(each, each.elements) for each in held]
    counted = [(row, elements) for row, elements in sized if row.tensor.storage.is_parameter]
    main = [(row, elements) for row, elements in counted if row.section != MTP]
    heads = {
        row.tensor.same_as for row, _ in sized if row.tensor.storage is Storage.TIED and row.tensor.use is Use.MATMUL
    }
    looked_up = [(row, elements) for row, elements in main if row.tensor.use is Use.LOOKUP]
    only_looked_up = sum(elements for row, elements in looked_up if row.pattern not in heads)
    tables = _sum(looked_up) + sum(elements for row, elements in main if row.role is Role.HEAD)
    active = sum(row.active if row.routed else elements for row, elements in main)
    by_storage = _sums((row.tensor.storage.value, elements) for row, elements in sized)
    return Totals(
        parameters=_sum(main),
        active=active,
        active_without_input_embedding=active - only_looked_up,
        active_without_embeddings=active - tables,
        stored=None if files is None else sum(elements for _, elements in files),
        bookkeeping=None if files is None else sum(elements for each, elements in files if each.is_bookkeeping),
        copies=by_storage[Storage.COPY.value] if held is None else _copies(held),
        buffers=by_storage[Storage.BUFFER.value],
        tied=by_storage[Storage.TIED.value],
        by_role=dict(_sums((row.role.value, elements) for row, elements in main)),
        by_section=dict(_sums((row.section or MAIN, elements) for row, elements in counted)),
    )


def bytes_of(stored: Iterable[Stored], dtype: str | None) -> int | None:
    """Bytes of what the files hold, a tensor without a type of its own at `dtype`; None where a width is unknown."""
    default = config_bits(dtype) if dtype else None
    bits = 0
    for each in stored:
        width = (header_bits(each.dtype) or config_bits(each.dtype)) if each.dtype else default
        if width is None:
            return None
        bits += each.elements * width
    return bits // 8


def _copies(stored: Iterable[Stored]) -> int:
    """Elements that the files hold a second time, unpacked."""
    return sum(each.represents * each.times for each in stored if each.row.tensor.storage is Storage.COPY)


def _sum(sized: Iterable[tuple[Row, int]]) -> int:
    return sum(elements for _, elements in sized)


def _sums(pairs: Iterable[tuple[str, int]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for key, elements in pairs:
        sums[key] += elements
    return sums
