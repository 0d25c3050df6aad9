"""The design choices of a model, read off the marks and shapes of its tree: a function for each line compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..marks import MTP
from ..paths import Path, layer_of
from ..rows import Part, Row
from ..tree import Role, Storage, Use
from .page import Cell

if TYPE_CHECKING:
    from ..model import Model

NONE = "none"
SUBLAYERS = frozenset({Role.ATTENTION, Role.SSM, Role.MLP, Role.EXPERTS})


@dataclass(frozen=True, slots=True)
class Compared:
    """A part of a model: its language, or its eyes. `layers` are those of its rows that stand in layers."""

    model: Model
    parts: tuple[Part, ...]
    rows: tuple[Row, ...]
    layers: tuple[Row, ...]
    width: int


def language(model: Model) -> Compared:
    """Its main section, or encoder and decoder together, with the table and head that they share."""
    sections = {part.section for part in model.parts if part.role in SUBLAYERS} - {MTP}
    if "" in sections:
        return compared(model, {""})
    found = compared(model, sections)
    return replace(found, rows=tuple(row for row in model.rows if row.section in {"", *sections}))


def compared(model: Model, sections: Container[str]) -> Compared:
    """What stands in these sections."""
    parts = tuple(part for part in model.parts if part.section in sections)
    rows = tuple(row for row in model.rows if row.section in sections)
    layers = tuple(row for row in rows if layer_of(row.path))
    return Compared(model, parts, rows, layers, _width(rows, layers))


def _width(rows: Iterable[Row], layers: Iterable[Row]) -> int:
    """The length of a norm that stands in a layer itself, or of an embedding's row where there is none."""
    gains = (row for row in layers if row.role is Role.NORM and len(row.path) == len(layer_of(row.path)) + 2)
    tables = (row for row in rows if row.tensor.use is Use.LOOKUP)
    return next((int(row.tensor.shape[-1]) for row in (*gains, *tables)), 0)


def layers(of: Compared) -> Cell:
    """`32`, or `12 + 12` for an encoder and a decoder."""
    blocks = {layer_of(part.path) for part in of.parts if part.role in SUBLAYERS} - {()}
    stacks: Counter[Path] = Counter()
    for part in of.parts:
        block = layer_of(part.path)
        if block in blocks:
            blocks.remove(block)
            stacks[block[:-1]] += len(block[-1])
    counts = list(stacks.values())
    return counts[0] if len(counts) == 1 else " + ".join(map(str, counts))


def norm(of: Compared) -> Cell:
    """`RMSNorm`; norms of queries and keys have a line of their own."""
    return _listed(part.kind for part in of.parts if part.role is Role.NORM)


def placement(of: Compared) -> Cell:
    """`pre-norm`, `post-norm`, `parallel`."""
    return _listed(part.kind for part in of.parts if part.path and layer_of(part.path) == part.path)


def mlp(of: Compared) -> Cell:
    """`SwiGLU`, `GELU MLP`."""
    return _listed(part.kind for part in of.parts if part.role in (Role.MLP, Role.EXPERTS))


def mlp_width(of: Compared) -> Cell:
    """`14,336 (3.5 × width)`, for each width there is."""
    where = [part.path for part in of.parts if part.role in (Role.MLP, Role.EXPERTS)]
    downs = {next((path for path in where if row.path[: len(path)] == path), ()): row for row in of.layers
             if row.tensor.use is Use.MATMUL and row.role in (Role.MLP, Role.EXPERTS)}  # fmt: skip
    widths = (_other_side(row.tensor.shape[-2:], of.width) for row in downs.values())
    return _listed(f"{width:,} ({width / of.width:.3g} × width)" for width in widths if width)


def _other_side(shape: tuple[int, ...], width: int) -> int:
    """What a matrix [inner, width] or [width, inner] has beside `width`; 0 where it has no such side."""
    sides = [int(side) for side in shape]
    if width not in sides:
        return 0
    sides.remove(width)
    return sides[0] if sides else 0


def biases(of: Compared) -> Cell:
    """`yes`, `none`, or the matrices of a layer that have one."""
    paths = {row.path for row in of.layers}
    matrices = [row.path for row in of.layers if row.tensor.use is Use.MATMUL]
    with_bias = [path for path in matrices if paths & {(*path[:-1], "bias"), (*path[:-1], f"{path[-1]}_bias")}]
    if with_bias and len(with_bias) == len(matrices):
        return "yes"
    return _listed(str(path[-2] if path[-1] == "weight" else path[-1]) for path in with_bias)


def attention(of: Compared) -> Cell:
    """`GQA 32/8`: query heads, then key-value heads."""
    return _listed(part.kind for part in of.parts if part.attends)


def head_width(of: Compared) -> Cell:
    """`128`, or `192, value 128` where they differ."""
    each = [part.attends for part in of.parts if part.attends]
    return _listed(f"{a.key_width}" if a.key_width == a.value_width else f"{a.key_width}, value {a.value_width}"
                   for a in each)  # fmt: skip


def query_key_norm(of: Compared) -> Cell:
    """`RMSNorm` where queries and keys are normalised."""
    return _listed(part.attends.query_key_norm for part in of.parts if part.attends)


def positions(of: Compared) -> Cell:
    """`learned`, `RoPE 500,000`."""
    return _listed(part.attends.positions for part in of.parts if part.attends)


def window(of: Compared) -> Cell:
    """`1,024 in 29 of 34`: layers whose attention sees no further."""
    attending = [part for part in of.parts if part.attends and not part.attends.cross]
    narrow: Counter[int] = Counter()
    for part in attending:
        if part.attends and part.attends.window:
            narrow[int(part.attends.window)] += part.times
    whole = sum(part.times for part in attending)
    return _listed(f"{size:,} in {count} of {whole}" for size, count in narrow.items())


def state_space(of: Compared) -> Cell:
    """`Mamba-2`, `gated DeltaNet`: mixers that keep a state and no cache."""
    return _listed(part.kind for part in of.parts if part.role is Role.SSM)


def experts(of: Compared) -> Cell:
    """`256, top 8, one shared` of a sparse layer."""
    routed = _listed(f"{row.routed.total}, top {row.routed.active}" for row in of.layers if row.routed)
    sparse = {layer_of(row.path) for row in of.layers if row.routed}
    shared = any(part.role is Role.MLP and layer_of(part.path) in sparse for part in of.parts)
    return f"{routed}, and shared" if shared else routed


def embeddings(of: Compared) -> Cell:
    """Is the head's matrix the embedding's?"""
    heads = [row for row in of.rows if row.role is Role.HEAD and row.tensor.use is Use.MATMUL]
    if not heads:
        return "no head"
    return "tied" if any(row.tensor.storage is Storage.TIED for row in heads) else "untied"


def vocabulary(of: Compared) -> Cell:
    """Rows of the first table that is looked up."""
    return next((int(row.tensor.shape[0]) for row in of.rows if row.tensor.use is Use.LOOKUP), None)


def cache(of: Compared) -> Cell:
    """Elements a token leaves in the caches of all layers, while every window is still open."""
    caches = [(part.cache, part.times * part.uses) for part in of.parts if part.cache]
    return sum(int(cache.per_token) * count for cache, count in caches)


LINES: tuple[tuple[str, Callable[[Compared], Cell]], ...] = (
    ("model_type", lambda of: of.model.model_type),
    ("layers", layers),
    ("width", lambda of: of.width),
    ("vocabulary", vocabulary),
    ("norm", norm),
    ("norm placement", placement),
    ("MLP", mlp),
    ("MLP width", mlp_width),
    ("biases", biases),
    ("attention", attention),
    ("head width", head_width),
    ("QK-norm", query_key_norm),
    ("positions", positions),
    ("window", window),
    ("state space", state_space),
    ("experts", experts),
    ("embeddings", embeddings),
    ("parameters", lambda of: of.model.totals.parameters),
    ("active", lambda of: of.model.totals.active),
    ("cache per token", cache),
)


def _listed(found: Iterable[str | None]) -> str:
    """Each once, in order; `none` of nothing."""
    return "; ".join(dict.fromkeys(each for each in found if each)) or NONE
