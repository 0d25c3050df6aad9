"""The totals under a breakdown, each under its own name, every gap between two with its cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..marks import MTP
from .page import Column, Line, Table

if TYPE_CHECKING:
    from ..model import Model

COLUMNS = (Column("total", "total"), Column("count", "count", "count"), Column("remark", "remark"))


def totals_table(model: Model) -> Table:
    """Parameters, active, stored and bytes."""
    return Table(COLUMNS, tuple(_lines(model)), with_header=False)


def _lines(model: Model) -> Iterator[Line]:
    totals = model.totals
    yield Line(("parameters", totals.parameters, "every learned number, once"), rank="total")
    if totals.active != totals.parameters:
        yield Line(("active", totals.active, "for one token: less the experts it is not routed to"), rank="total")
    if totals.active_without_input_embedding != totals.active:
        is_sparse = totals.active != totals.parameters
        label = f"{'active ' if is_sparse else ''}without input embedding"
        yield Line((label, totals.active_without_input_embedding, "less the tables that are only looked up"))
    if totals.stored is not None:
        texts = sum(each.times for each in model.stored if each.is_uncounted)
        less = f", but for {texts:,} texts whose length is their writer's" if texts else ""
        yield Line(("stored", totals.stored, f"elements in the files{less}"), rank="total")
        yield from (Line((label, count, why), depth=1) for label, count, why in _gaps(model) if count)
    if model.stored_bytes is not None:
        packed = ", but for what is quantized" if totals.bookkeeping else ""
        yield Line(("bytes", model.stored_bytes, f"at the config's {model.dtype}{packed}"), rank="total")


def _gaps(model: Model) -> Iterator[tuple[str, int, str]]:
    """How the files come to hold another number of elements than there are parameters."""
    totals = model.totals
    mtp, bookkeeping = totals.by_section.get(MTP, 0), totals.bookkeeping or 0
    yield "multi-token prediction", mtp, "a section of its own, beside the parameters"
    yield "copies", totals.copies, "tensors stored a second time"
    yield "buffers", totals.buffers, "not learned: masks, position ids"
    yield "quantization", bookkeeping, "scales and zero points"
    whole = totals.parameters + mtp + totals.copies + totals.buffers + bookkeeping
    yield "packing", (totals.stored or 0) - whole, "several weights in one element"
