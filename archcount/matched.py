"""The gated width that holds as many parameters as a plain MLP: two matrices against three."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .errors import UsageError


@dataclass(frozen=True, slots=True)
class Matched:
    """`width` of the model, `plain` of the MLP that has two matrices, and gated widths with three.

    `exact` is 2/3 of the plain width; `rounded` the next multiple; `by_meta` LLaMA's own: two thirds truncated, times
    the multiplier, truncated again, then rounded up.
    """

    width: int
    plain: int
    multiple: int
    multiplier: float
    exact: Fraction
    rounded: int
    by_meta: int

    @property
    def plain_parameters(self) -> int:
        """Up and down."""
        return 2 * self.width * self.plain

    def gated_parameters(self, inner: int) -> int:
        """Gate, up and down."""
        return 3 * self.width * inner


def matched(width: int, *, plain: int | None = None, multiple: int = 1, multiplier: float = 1.0) -> Matched:
    """The gated widths for a plain one, which is 4 × `width` where it is not given (Shazeer 2020: 2/3 of it).

    Raises UsageError: a size below 1.
    """
    plain = 4 * width if plain is None else plain
    if min(width, plain, multiple) < 1 or multiplier <= 0:
        raise UsageError("--match mlp: widths, --multiple-of and --multiplier should be above 0")
    exact = Fraction(2 * plain, 3)
    meta = int(multiplier * int(2 * plain / 3))
    return Matched(width, plain, multiple, multiplier, exact, _up(exact, multiple), _up(Fraction(meta), multiple))


def _up(size: Fraction, multiple: int) -> int:
    return -(-size // multiple) * multiple
