"""Rows by a pattern a user types: a part of a name, or `*` and `?` for what may stand there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

from .errors import UsageError
from .rows import Row, partition

WILD = re.compile(r"[*?]")


def matching(rows: Iterable[Row], wanted: str | None, where: str) -> list[Row]:
    """The rows, and of a row the places, whose full names hold `wanted`; with `*` or `?` in it, are wholly like it.

    Raises UsageError: no name does; `where` names the model.
    """
    rows = list(rows)
    if wanted is None:
        return rows
    expression = re.compile(translate(wanted) if WILD.search(wanted) else re.escape(wanted))
    parts = (part for row in rows for part in partition(row, lambda name: expression.search(name) is not None))
    found = [row for is_wanted, row in parts if is_wanted]
    if not found:
        example = next((name for row in rows for name in row.names()), "")
        raise UsageError(f"no tensor of {where} is named like {wanted!r}; its names are like {example}")
    return found
