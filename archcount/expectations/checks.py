"""The answer to one expectation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

COUNTS = "counts"


class Outcome(StrEnum):
    """Does it hold?"""

    HOLDS = "holds"
    FAILS = "fails"
    UNTOLD = "could not tell"


@dataclass(frozen=True, slots=True)
class Check:
    """What was expected of a model, whether it holds, and what was found.

    `expected` and `found` are the figures, where it is about one. `file` and `line` are where a reader should look.
    """

    model: str
    what: str
    outcome: Outcome
    said: str
    file: Path | None = None
    line: int | None = None
    expected: int | None = None
    found: int | None = None
