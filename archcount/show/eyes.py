"""What a model sees with, read off the marks and shapes of its tower: a function for each line compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..costs.seeing import PROJECTOR, VISION
from ..errors import ArchcountError
from ..tree import Role, Use
from .choices import NONE, Compared, attention, compared, layers, mlp, norm, positions, window
from .page import Cell

if TYPE_CHECKING:
    from ..model import Model

PICTURE = 768, 1024  # height and width of the image whose tokens are compared
UNKNOWN = "not known"
REMARK = "image tokens: of 1,024 × 768 pixels, marks among them, by the image processor's own settings"


def has_eyes(model: Model) -> bool:
    """Has it a tower that sees?"""
    return any(row.section == VISION for row in model.rows)


def eyes(model: Model) -> Compared:
    """The tower of a model, with nothing in it where there is none."""
    return compared(model, {VISION})


def patch(of: Compared) -> Cell:
    """`14 × 14`, or with the frames of a video `2 × 14 × 14`: what the first convolution or matrix reads."""
    for row in of.rows:
        if row.role is Role.EMBEDDING and row.tensor.use is Use.CONVOLUTION:
            return " × ".join(f"{int(side)}" for side in row.tensor.shape[2:])
        if row.role is Role.EMBEDDING and row.tensor.use is Use.MATMUL:
            return f"{int(row.tensor.shape[-1]):,} values"
    return NONE


def projector(of: Compared) -> Cell:
    """Parameters between the tower and the language model."""
    return of.model.totals.by_section.get(PROJECTOR, 0)


def tokens(of: Compared) -> Cell:
    """Tokens of one image, as long as the family's rule is known and its processor keeps its own settings."""
    if not of.rows:
        return NONE
    try:
        return of.model.images(*PICTURE).tokens
    except ArchcountError:  # said in full by `archcount memory --image`
        return UNKNOWN


LINES: tuple[tuple[str, Callable[[Compared], Cell]], ...] = (
    ("vision layers", lambda of: layers(of) if of.layers else NONE),
    ("vision width", lambda of: of.width or NONE),
    ("patch", patch),
    ("vision norm", norm),
    ("vision MLP", mlp),
    ("vision attention", attention),
    ("vision positions", positions),
    ("vision window", window),
    ("vision parameters", lambda of: of.model.totals.by_section.get(VISION, 0)),
    ("projector", projector),
    ("image tokens", tokens),
)
