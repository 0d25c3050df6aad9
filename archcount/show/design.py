"""Configs near a target, and gated widths beside a plain one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .page import Column, Line, Note, Page, Table
from .words import title

if TYPE_CHECKING:
    from ..design import Design
    from ..matched import Matched
    from ..model import Model

SIZES = (Column("parameters", "parameters", "count"), Column("difference", "difference", "count"))
WIDTHS = (Column("width", "MLP width"), Column("inner", "inner", "mixed"), Column("parameters", "a layer", "mixed"),
          Column("remark", "remark", aside=True))  # fmt: skip


def design_page(model: Model, found: Sequence[Design]) -> Page:
    """A line for each config, the nearest first."""
    keys = list(found[0].values)
    columns = (*(Column(key, key, "count") for key in keys), *SIZES)
    lines = (Line((*(design.values[key] for key in keys), design.parameters, design.difference)) for design in found)
    shape = Note("like it in width to depth and inner width to width, to a quarter, and in width and sharing of heads")
    heading = f"like {title(model)}: {found[0].target:,} parameters wanted"
    return Page(heading, (Table(columns, tuple(lines)), shape), lambda: document(model, found))


def document(model: Model, found: Sequence[Design]) -> dict[str, object]:
    """Each config whole, as config.json has it."""
    return {
        "like": model.name,
        "target": found[0].target,
        "designs": [{"values": dict(design.values), "parameters": design.parameters, "difference": design.difference,
                     "distortion": design.distortion, "config": dict(design.config)} for design in found],
    }  # fmt: skip


def matched_page(found: Matched) -> Page:
    """Plain, exactly matched, rounded, and by LLaMA's rule."""
    exact = float(found.exact)
    step = f"rounded up to a multiple of {found.multiple:,}"
    rule = f"int({found.multiplier:g} × int(2 × {found.plain:,} ÷ 3)), {step}"
    lines = (
        Line(("plain", found.plain, found.plain_parameters, "two matrices")),
        Line(("gated, as many parameters", f"{exact:,.2f}".removesuffix(".00"), found.plain_parameters, "2/3 of it")),
        Line(("gated, on the grid", found.rounded, found.gated_parameters(found.rounded), step)),
        Line(("gated, by Meta's rule", found.by_meta, found.gated_parameters(found.by_meta), rule)),
    )
    document = {
        "width": found.width,
        "plain": found.plain,
        "exact": exact,
        "rounded": found.rounded,
        "by_meta": found.by_meta,
        "plain_parameters": found.plain_parameters,
        "rounded_parameters": found.gated_parameters(found.rounded),
        "by_meta_parameters": found.gated_parameters(found.by_meta),
    }
    return Page(f"an MLP on a width of {found.width:,}", (Table(WIDTHS, lines),), lambda: document)
