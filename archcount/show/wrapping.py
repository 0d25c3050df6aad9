"""Text broken into lines of a width, where a reader would break it."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

BREAKS = (re.compile(r"(?<= )"), re.compile(r"(?<=[./,])"), re.compile(r"(?<=_)"))
"""Where a text may go on in the next line: between words; else within names; else within the parts of names."""


def wrapped(text: str, width: int, later: int = 0) -> list[str]:
    """`text` in lines of at most `width` cells, all but the first `later` narrower."""
    if cells(text) <= width:
        return [text]
    lines, current, room = [], "", max(width, 1)
    for piece in _pieces(text, max(width - later, 1)):
        if current and cells((current + piece).rstrip()) > room:
            lines.append(current.rstrip())
            current, room = "", max(width - later, 1)
        current += piece
    return [*lines, current.rstrip()]


def _pieces(text: str, room: int, level: int = 0) -> list[str]:
    """The text in pieces that fit into `room`, broken no finer than that needs."""
    if cells(text.rstrip()) <= room:
        return [text]
    if level == len(BREAKS):
        return [text[i : i + room] for i in range(0, len(text), room)]
    return [part for piece in BREAKS[level].split(text) for part in _pieces(piece, room, level + 1)]


def printable(text: str) -> str:
    """The text on one line, with what a terminal would obey rather than show written as an escape.

    Names come from files that anyone may have written: a control character in one could rewrite the whole screen.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def cells(text: str) -> int:
    """Columns a text takes on a terminal: two for a wide character, none for one that combines."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(each) in "WF" else 0 if combining(each) else 1 for each in text)
