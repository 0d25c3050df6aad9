"""An image cut into tiles of one size: which layout of them a family's rule takes."""

from __future__ import annotations

import math

from .seen import Picture

ABSOLUTE_LIMIT = 4096  # pixels of the longest side, whatever Idefics 3's processor is told


def _layouts(least: int, most: int) -> list[tuple[int, int]]:
    """Columns and rows of so many tiles, the fewest tiles first, then the fewest columns."""
    sides = range(1, most + 1)
    grids = [(columns, rows) for columns in sides for rows in sides if least <= columns * rows <= most]
    return sorted(grids, key=lambda grid: grid[0] * grid[1])


def closest_ratio(picture: Picture, tile: int, least: int, most: int) -> tuple[int, int]:
    """Columns and rows nearest the image's shape; of equally near ones the most that it half fills (InternVL)."""
    ratio, area = picture.width / picture.height, picture.width * picture.height
    best, distance = (1, 1), math.inf
    for columns, rows in _layouts(least, most):
        found = abs(ratio - columns / rows)
        if found < distance or (found == distance and area > 0.5 * tile * tile * columns * rows):
            best, distance = (columns, rows), found
    return best


def least_upscale(picture: Picture, tile: int, most: int) -> tuple[int, int]:
    """Columns and rows that the image fits in with the least scaling up, or down where it fits in none (Cohere)."""
    scaled = [(min(c * tile / picture.width, r * tile / picture.height), (c, r)) for c, r in _layouts(1, most)]
    larger = [each for each in scaled if each[0] >= 1]
    chosen = min(larger, key=lambda each: each[0]) if larger else max(scaled, key=lambda each: each[0])
    return chosen[1]


def closest_scale(picture: Picture, tile: int, most: int) -> tuple[int, int]:
    """The same, but of equally good layouts the smallest (Llama 4)."""

    def scale(grid: tuple[int, int]) -> int:
        """Times the image's area, so that it is a whole number."""
        return min(grid[0] * tile * picture.height, grid[1] * tile * picture.width)

    scales = {grid: scale(grid) for grid in _layouts(1, most)}
    larger = [found for found in scales.values() if found >= picture.width * picture.height]
    chosen = min(larger) if larger else max(scales.values())
    return min((grid for grid, found in scales.items() if found == chosen), key=lambda grid: grid[0] * grid[1])


def split_by_longest_edge(picture: Picture, tile: int, longest: int) -> tuple[int, int]:
    """Columns and rows of an image with its longer side scaled to `longest`; (0, 0) for one tile (Idefics 3)."""
    height, width = _scaled_to(picture.height, picture.width, longest)
    if max(height, width) > ABSOLUTE_LIMIT:
        ratio = width / height
        if width >= height:
            height, width = max(1, int(ABSOLUTE_LIMIT / ratio)), ABSOLUTE_LIMIT
        else:
            height, width = ABSOLUTE_LIMIT, max(1, int(ABSOLUTE_LIMIT * ratio))
    rows, columns = math.ceil(height / tile), math.ceil(width / tile)
    return (columns, rows) if rows > 1 or columns > 1 else (0, 0)


def _scaled_to(height: int, width: int, longest: int) -> tuple[int, int]:
    """The shorter side is made even."""
    ratio = width / height
    if width >= height:
        shorter = int(longest / ratio)
        return max(1, shorter + shorter % 2), longest
    shorter = int(longest * ratio)
    return longest, max(1, shorter + shorter % 2)
