"""An image scaled to one square, whatever its sides were."""

from __future__ import annotations

from ..errors import UnknownCostError
from .seen import Seen, View


def one_square(
    side: int,
    patch: int,
    *,
    tokens: int | None = None,
    extra: int = 0,
    marks: int = 0,
    projector: str = "",
) -> Seen:
    """A square of `side` pixels, cut into patches; beside them `extra` positions. A token for each patch, or `tokens`.

    The module `projector`, if named, works on each token.
    """
    across = int(side) // int(patch)
    handed_on = across * across if tokens is None else int(tokens)
    views = (View(across, across, extra=extra),)
    return Seen(handed_on, views, marks, {projector: handed_on} if projector else {})


def across(side: int, patch: int, merge: int = 1) -> int:
    """Squares of `merge × merge` patches along a side of so many pixels.

    Raises UnknownCostError: patches that are left over.
    """
    patches = int(side) // int(patch)
    if patches % merge:
        raise UnknownCostError(f"{patches} patches a side do not make whole squares of {int(merge)}: not counted")
    return patches // int(merge)
