"""A model as llama.cpp's GGUF files hold it: other names, the experts of a layer in one tensor, no sizes of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..checkpoint.entries import Entry
from ..checkpoint.gguf_names import gguf_names
from ..quantization import Stored, plain
from ..quantization.experts import in_parts
from ..quantization.siblings import Siblings
from ..rows import Row
from ..tree import Attends, Storage
from .prediction import Prediction

if TYPE_CHECKING:
    from ..model import Model

Names = Callable[[str], str | None]
BLOCK = "blk"
APART = ("mtp", "vision", "audio", "projector")  # sections that llama.cpp leaves out, or keeps in a file of their own
CORRECTION = "e_score_correction_bias"  # which the gguf package calls `e_score_correction`, and its bias


def as_gguf(model: Model, prediction: Prediction, architecture: str, *, splits_latent: bool = False) -> Prediction:
    """The prediction under GGUF's names; a tensor the gguf package has no name for keeps its own, and will be missing.

    `splits_latent`: `kv_b_proj` of latent attention as two tensors, as converters since 2025 write it. Types are not
    predicted: a GGUF writer chooses one for each tensor. Raises GgufError, MissingExtraError.
    """
    names = gguf_names(architecture, max(prediction.layers().values(), default=0))
    siblings = Siblings.of(model.rows)
    in_file = (row for row in model.rows if row.tensor.storage.is_in_file)
    heads = {part.path: part.attends for part in model.parts if part.attends} if splits_latent else {}
    whole = (part for row in in_file for part in _latent(row, heads.get(row.path[:-2])))
    apart = (part for row in whole for part in _apart(row, siblings))
    stored = (plain(_renamed(_stacked(row), names)) for row in apart)
    tied = (_renamed(row, names) for row in model.rows if row.tensor.storage is Storage.TIED)
    return replace(
        prediction,
        stored=tuple(_loosened(each) for each in stored),
        tied={name: _squeezed(_same_as(row, names)) for row in tied for name in row.names()},
        dtype=None,
        bases=(),
    )


def _latent(row: Row, attends: Attends | None) -> Iterator[Row]:
    """`kv_b_proj` [heads × (key + value), rank] as keys [heads, rank, key] and values [heads, value, rank]."""
    if attends is None or row.path[-2:] != ("kv_b_proj", "weight"):
        yield row
        return
    rows, rank = row.tensor.shape
    heads, value = attends.heads, attends.value_width
    shapes = {"k_b_proj": (heads, rank, rows // heads - value), "v_b_proj": (heads, value, rank)}
    for name, shape in shapes.items():
        yield replace(row, path=(*row.path[:-2], name, "weight"), tensor=replace(row.tensor, shape=shape))


def splits_latent(entries: Mapping[str, Entry]) -> bool:
    """Do the files hold keys and values of latent attention apart?"""
    return any(name.endswith(".attn_k_b.weight") for name in entries)


def _apart(row: Row, siblings: Siblings) -> Iterator[Row]:
    """gpt-oss's experts gate from up, as llama.cpp has them; every matrix [outputs, inputs]."""
    weight = siblings.rows.get((*row.path[:-1], str(row.path[-1]).removesuffix("_bias")), row)
    if siblings.is_transposed(weight) and len(weight.tensor.shape) == 3:
        yield from in_parts(row, is_transposed=True)
    else:
        yield siblings.upright(row)


def as_entries(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The entries without the dimensions of size one, which GGUF writes or leaves out."""
    return {name: _plain_entry(entry) for name, entry in entries.items()}


def _plain_entry(entry: Entry) -> Entry:
    if 1 not in entry.shape:
        return entry
    return Entry(entry.dtype, _without_ones(entry.shape), entry.data_offsets)


def _loosened(stored: Stored) -> Stored:
    row = stored.row
    shape = _without_ones(stored.shape)
    return Stored(row.path, shape, row, stored.represents, None, is_optional=row.section in APART)


def _squeezed(row: Row) -> Row:
    return replace(row, tensor=replace(row.tensor, shape=_without_ones(row.tensor.shape)))


def _same_as(row: Row, names: Names) -> Row:
    return replace(row, tensor=replace(row.tensor, same_as=names(row.tensor.same_as) or row.tensor.same_as))


def _stacked(row: Row) -> Row:
    """Experts stored one by one as one tensor [experts, …], their number gone from the name."""
    if row.routed is None or "experts" not in row.path:
        return row
    at = row.path.index("experts")
    numbers = row.path[at + 1]
    if isinstance(numbers, str):
        return row
    shape = (len(numbers), *row.tensor.shape)
    path = (*row.path[: at + 1], *row.path[at + 2 :])
    return replace(row, path=path, tensor=replace(row.tensor, shape=shape))


def _renamed(row: Row, names: Names) -> Row:
    """The row under GGUF's name, `blk` numbered as the layers are."""
    numbered = [step for step in row.path if not isinstance(step, str)]
    if len(numbered) > 1:
        return row
    first = numbered[0][0] if numbered else None
    first_name = ".".join(step if isinstance(step, str) else str(step[0]) for step in row.path)
    name = names(first_name.replace(CORRECTION, CORRECTION.replace("_bias", ".bias")))
    if name is None:
        return row
    return replace(row, path=tuple(_steps(name, first, numbered[0] if numbered else ())))


def _steps(name: str, first: int | None, where: Sequence[int]) -> Iterator[str | Sequence[int]]:
    """`blk.3.attn_q.weight` for the layers 3 to 60 as a path."""
    parts = name.split(".")
    for at, part in enumerate(parts):
        is_block = at == 1 and parts[0] == BLOCK and part == str(first)
        yield where if is_block else part


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)
