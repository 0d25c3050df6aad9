"""Height and width, which a config gives as two numbers or as one for both."""

from __future__ import annotations


def both_sides(size: int | tuple[int, int]) -> tuple[int, int]:
    """The height and the width."""
    return size if isinstance(size, tuple) else (size, size)
