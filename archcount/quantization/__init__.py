"""What a quantized file holds for a model's rows: packed weights, scales, zero points."""

from collections.abc import Iterable

from ..rows import Row
from .entry import Config, quantization_of
from .stored import ANY_LENGTH, Stored, plain

__all__ = ["ANY_LENGTH", "Stored", "plain", "quantization_of", "stored"]


def stored(rows: Iterable[Row], entry: Config | None) -> list[Stored]:
    """What the file holds for these rows: those in the model's own file, and a tied head where the format packs it.

    Raises ConfigValueError: a method archcount has no layout for, or a key of it missing.
    """
    if entry is None:
        return [plain(row) for row in rows if row.tensor.storage.is_in_file]
    from .methods import packed  # noqa: PLC0415 - slow to import, and few models are quantized

    return packed(list(rows), entry)
