"""Latent attention's `kv_b_proj` as one matrix, or as keys and values apart: writers differ, and the file tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ..checkpoint.entries import Entry
from ..quantization import quantization_of, stored
from ..quantization.selection import inner
from ..rows import Row
from .prediction import Prediction

if TYPE_CHECKING:
    from ..model import Model

SCALES = ".scales"
LATENT = ("kv_b_proj", "weight")
MLX_NAMES = ("embed_q", "unembed_out")  # of mlx-lm since 0.30.5; before, `kv_b_proj`


def apart(model: Model, rows: Iterable[Row], names: tuple[str, str]) -> Iterator[Row]:
    """`kv_b_proj` [heads × (key + value), rank] as keys [heads, rank, key] and values [heads, value, rank]."""
    heads = {part.path: part.attends for part in model.parts if part.attends}
    for row in rows:
        attends = heads.get(row.path[:-2])
        if attends is None or row.path[-2:] != LATENT:
            yield row
            continue
        outputs, rank = row.tensor.shape
        count, value = attends.heads, attends.value_width
        shapes = ((count, rank, outputs // count - value), (count, value, rank))
        for name, shape in zip(names, shapes, strict=True):
            yield row.shaped(shape, (*row.path[:-2], name, "weight"))


def as_mlx(model: Model, prediction: Prediction, entries: Mapping[str, Entry]) -> Prediction:
    """The prediction for a file of MLX's, which tells what of a tower is packed, and whether latent attention is apart.

    MLX's loaders ask the file too: a module is packed where it has scales.
    """
    entry = quantization_of(model.raw)
    if entry is None or entry.get("quant_method") != "mlx":
        return prediction
    packed = frozenset(inner(name.removesuffix(SCALES)) for name in entries if name.endswith(SCALES))
    is_apart = any(f".{MLX_NAMES[0]}." in name for name in entries)
    rows = apart(model, model.rows, MLX_NAMES) if is_apart else model.rows
    return replace(prediction, stored=tuple(stored(rows, {**entry, "packed_apart": packed})))
