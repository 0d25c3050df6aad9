"""An image scaled to a grid of whole patches that keeps its shape, within bounds on its pixels, patches or sides."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..errors import UnknownCostError, UsageError
from .seen import Picture, Seen, View

STRETCHED = 200  # a side this many times the other is refused by the processors themselves
QWEN = {"min_pixels": 56 * 56, "max_pixels": 28 * 28 * 1280}
GLM = {"min_pixels": 112 * 112, "max_pixels": 28 * 28 * 15000}
"""Their processors' own bounds on the pixels of an image."""
PIXELS = {"size.shortest_edge": "min_pixels", "size.longest_edge": "max_pixels"}
LONGEST = {"size.longest_edge": "longest_edge"}
"""How preprocessor_config.json spells such bounds, or the longest side."""


def smart_grid(
    picture: Picture,
    patch: int,
    merge: int,
    projectors: Iterable[str],
    *,
    window: int = 0,
    frames: int = 1,
    stretch: bool = False,
) -> Seen:
    """Sides rounded to squares of `merge × merge` patches, area within `min_pixels` and `max_pixels` (Qwen2-VL).

    `frames`: an image counts as so many, of which the area is the sum. `stretch`: sides below one square are first
    scaled up to it.

    Raises UsageError: an image that the processor refuses.
    """
    patch, merge = int(patch), int(merge)
    height, width = picture.height, picture.width
    square = patch * merge
    if stretch and min(height, width) < square:
        scale = max(square / height, square / width)
        height, width = int(height * scale), int(width * scale)
    if max(height, width) / min(height, width) > STRETCHED:
        raise UsageError(f"an image of {width} × {height}: one side is more than {STRETCHED} times the other")
    sides = _within(height, width, square, picture, frames)
    rows, columns = (side // patch for side in sides)
    tokens = rows * columns // (merge * merge)
    return Seen(tokens, (View(rows, columns, window=window),), projected=dict.fromkeys(projectors, tokens))


def _within(height: int, width: int, square: int, picture: Picture, frames: int) -> tuple[int, int]:
    least, most = picture.count("min_pixels"), picture.count("max_pixels")
    sides = (round(height / square) * square, round(width / square) * square)
    area = frames * sides[0] * sides[1]
    if area > most:
        beta = math.sqrt((frames * height * width) / most)
        return _floored(height, beta, square), _floored(width, beta, square)
    if area < least:
        beta = math.sqrt(least / (frames * height * width))
        return math.ceil(height * beta / square) * square, math.ceil(width * beta / square) * square
    return sides


def _floored(side: int, beta: float, square: int) -> int:
    return max(square, math.floor(side / beta / square) * square)


def at_most(picture: Picture, square: int, least: int, most: int) -> tuple[int, int]:
    """Sides in squares, at least one each, so that there are between `least` and `most` squares (LFM2-VL)."""
    height, width, pixels = picture.height, picture.width, square * square
    rows, columns = (max(square, round(side / square) * square) for side in (height, width))
    if rows * columns > most * pixels:
        beta = math.sqrt((height * width) / (most * pixels))
        rows, columns = _floored(height, beta, square), _floored(width, beta, square)
    elif rows * columns < least * pixels:
        beta = math.sqrt(least * pixels / (height * width))
        rows, columns = (math.ceil(side * beta / square) * square for side in (height, width))
    return rows // square, columns // square


def within_longest_edge(picture: Picture, square: int, longest: int) -> tuple[int, int]:
    """Sides in squares, the last of them perhaps begun; an image longer than `longest` is scaled down (Pixtral)."""
    height, width = picture.height, picture.width
    ratio = max(height / longest, width / longest)
    if ratio > 1:
        height, width = math.floor(height / ratio), math.floor(width / ratio)
    return (height - 1) // square + 1, (width - 1) // square + 1


def pixtral_grid(
    picture: Picture, patch: int | tuple[int, int], merge: int, projectors: Iterable[str], *, breaks: bool
) -> Seen:
    """Sides rounded up to squares of patches; with `breaks` a mark ends each row, the last of them the image.

    Raises UnknownCostError: patches that are no squares.
    """
    high, wide = patch if isinstance(patch, tuple) else (patch, patch)
    if high != wide:
        raise UnknownCostError("vision_config.patch_size is no square: how images are cut is not known")
    square = int(high) * int(merge)
    rows, columns = within_longest_edge(picture, square, picture.count("longest_edge"))
    tokens = rows * columns
    view = View(rows * int(merge), columns * int(merge))
    return Seen(tokens, (view,), rows if breaks else 0, dict.fromkeys(projectors, tokens))


def budgeted(picture: Picture, square: int, most: int) -> tuple[int, int]:
    """Sides in squares of an image scaled, up or down, to the most squares that fit its shape (Gemma 4).

    Raises UsageError: an image so long that the processor refuses it.
    """
    height, width = picture.height, picture.width
    factor = math.sqrt(most * square * square / (height * width))
    rows, columns = math.floor(factor * height / square), math.floor(factor * width / square)
    if rows == 0 and columns == 0:
        raise UsageError(f"an image of {width} × {height}: nothing is left of it by its processor's rule")
    if rows == 0:
        return 1, min(width // height, most)
    if columns == 0:
        return min(height // width, most), 1
    return rows, columns


def padded_grid(picture: Picture, patch: int, merge: int, *, most: int, longest: int) -> tuple[int, int]:
    """Patches a side of an image scaled down to at most so many, padded to whole squares of patches (Kimi)."""
    height, width = picture.height, picture.width
    patches = max(1, height // patch) * max(1, width // patch)
    scale = min(1.0, math.sqrt(most / patches), longest * patch / height, longest * patch / width)
    sides = (min(max(1, int(side * scale)), longest * patch) for side in (height, width))
    square = patch * merge
    rows, columns = (-(-side // square) * merge for side in sides)
    return rows, columns
