"""What a matrix is multiplied once for: a token of the text, of the source, a patch, or a sequence."""

from __future__ import annotations

from ..paths import layer_of
from ..rows import Row
from ..tree import Per, Use
from .seeing import MULTIPLIED, VISION

TEXT = frozenset({"", "decoder"})
ENCODER = "encoder"


def per(row: Row) -> str:
    """What a matrix is multiplied once for; "" where no mark fixes it."""
    if row.tensor.use not in MULTIPLIED:
        return ""
    if row.section == ENCODER:
        return "" if row.tensor.use is Use.CONVOLUTION else Per.SOURCE.value
    if row.section == VISION:
        return "patch" if row.per is Per.TOKEN and (layer_of(row.path) or row.tensor.use is Use.CONVOLUTION) else ""
    return row.per.value if row.section in TEXT else ""
