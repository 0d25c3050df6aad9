"""LLaVA-NeXT's tiles: the resolution that wastes least, and the tokens that are left without the padding."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .seen import Picture, Seen, View


def anyres(
    picture: Picture,
    resolutions: Iterable[tuple[int, int]],
    *,
    side: int,
    patch: int,
    extra: int,
    projector: str,
    drops_first: bool,
    most_tiles: int | None = None,
) -> Seen:
    """One square of `side` pixels for the whole image, and tiles of it at the best of the resolutions (height, width).

    A token ends each row of patches. `drops_first`: the first position of each view, a class token, is not handed on.
    `most_tiles`: more tokens than those of so many tiles are scaled down (LLaVA-OneVision).
    """
    across = side // patch
    height, width = best_resolution(picture, resolutions)
    tiles_down, tiles_across = height // side, width // side
    rows, columns = _unpadded(picture, across * tiles_down, across * tiles_across)
    if most_tiles is not None:
        ratio = math.sqrt(rows * columns / (most_tiles * across * across))
        if ratio > 1.1:
            rows, columns = int(rows // ratio), int(columns // ratio)
    views = 1 + tiles_down * tiles_across
    handed_on = across * across + extra - drops_first
    tokens = rows * columns + rows + handed_on
    return Seen(tokens, (View(across, across, views, extra),), projected={projector: views * handed_on})


def best_resolution(picture: Picture, resolutions: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The one that keeps most of the image's pixels, then the one that adds least."""
    whole = picture.width * picture.height

    def worth(resolution: tuple[int, int]) -> tuple[int, int]:
        height, width = resolution
        scale = min(width / picture.width, height / picture.height)
        kept = min(int(picture.width * scale) * int(picture.height * scale), whole)
        return kept, kept - width * height

    return max(resolutions, key=worth)


def _unpadded(picture: Picture, rows: int, columns: int) -> tuple[int, int]:
    """Rows and columns of patches without those that hold only padding."""
    if picture.width / picture.height > columns / rows:
        kept = int(round(picture.height * (columns / picture.width), 7))
        return rows - (rows - kept) // 2 * 2, columns
    kept = int(round(picture.width * (rows / picture.height), 7))
    return rows, columns - (columns - kept) // 2 * 2
