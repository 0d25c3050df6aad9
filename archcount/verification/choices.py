"""What writers may leave out, they leave out of the whole file: of a kind, all or nothing."""

from __future__ import annotations

from ..paths import Path, words
from ..quantization import Stored
from ..tree import Storage

SMOOTHING = "pre_quant_scale"  # which goes into the norm or the matrix before, where a module has one before it
Choice = tuple[str, Path]


def choice_of(stored: Stored) -> Choice | None:
    """What is left out or kept together with a tensor; None where that is by itself, or must be there.

    Of bookkeeping, all of a name in a section (a GPTQ file's `g_idx`, the biases of zeros), or those of one module of
    every layer; of a copy of the head, its module; of a section that a format leaves out, the whole of it.
    """
    row, last = stored.row, stored.path[-1:]
    if row.tensor.storage is Storage.COPY and (stored.is_optional or stored.path != row.path):
        return "copy", row.path[:-1]
    if not stored.is_optional:
        return None
    if stored.is_bookkeeping:
        return row.section, words(stored.path) if last == (SMOOTHING,) else last
    return (row.section, ()) if stored.is_foretold else None
