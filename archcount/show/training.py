"""What training takes on one device."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from .document import identity
from .page import Column, Line, Note, Page, Table
from .units import both
from .words import title

if TYPE_CHECKING:
    from ..costs.training import Training
    from ..model import Model

COLUMNS = (Column("part", "on one device"), Column("bytes", "bytes", "count"), Column("size", "size"),
           Column("remark", "remark", aside=True))  # fmt: skip
ESTIMATE = "an estimate, by Korthikanti et al. 2022: a 4 × wide MLP, 16 bits, dropout"
SPLIT = "experts are split by expert × tensor, keys and values held again where devices outnumber their heads"


def training_page(model: Model, found: Training) -> Page:
    """Weights, gradients, optimizer and activations of the fullest device."""
    recipe, degrees = found.recipe, found.recipe.degrees
    lines = [
        ("weights", found.weights, f"at {recipe.dtype}"),
        ("gradients", found.gradients, f"at {recipe.gradients or recipe.dtype}"),
        ("master copy", found.master, recipe.master or "float32, where weights are narrower"),
        ("optimizer", found.optimizer, recipe.optimizer),
        ("activations", found.activations, f"{ESTIMATE}; recomputed: {recipe.recompute}"),
    ]
    table = Table(COLUMNS, (*(Line((part, count, both(count), remark)) for part, count, remark in lines),
                            Line(("total", found.total, both(found.total), ""), rank="total")))  # fmt: skip
    ways = f"tensor {degrees.tensor} × pipeline {degrees.pipeline} × data {degrees.data}"
    notes = [Note(f"devices: {degrees.devices} = {ways}; experts over {degrees.expert}; ZeRO stage {degrees.zero}")]
    if degrees.pipeline > 1:
        notes.append(Note(f"the fullest pipeline stage is number {found.stage + 1} of {degrees.pipeline}"))
    if degrees.tensor > 1 or degrees.expert > 1:
        notes.append(Note(SPLIT))
    heading = f"{title(model)}, training on {found.context:,} tokens × {found.batch:,}"
    return Page(heading, (table, *notes), lambda: document(model, found))


def document(model: Model, found: Training) -> dict[str, object]:
    """The same in bytes, with the recipe."""
    recipe = asdict(found.recipe)
    return {
        **identity(model),
        "context": found.context,
        "batch": found.batch,
        **recipe,
        "devices": found.recipe.degrees.devices,
        "weights_bytes": found.weights,
        "gradients_bytes": found.gradients,
        "master_bytes": found.master,
        "optimizer_bytes": found.optimizer,
        "activations_bytes_estimated": found.activations,
        "total_bytes": found.total,
        "fullest_stage": found.stage,
    }
