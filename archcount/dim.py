"""Whole numbers that remember the formula they came from."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, Self

from .errors import ConfigValueError

ATOM, PRODUCT, SUM = range(3)
_Leaf = Callable[[str, float], str]  # how a config key and its number are written


class Operation(NamedTuple):
    """Two parts joined by `+ - × ÷`, or by the functions `⌈÷⌉` (divide, round up) and `int×` (multiply, truncate)."""

    left: int | float
    sign: str
    right: int


class Dim(int):
    """An int with a formula: `Dim(4096, "hidden_size") * 2` reads `hidden_size × 2`.

    Only `+ - * //` keep the formula, and `ceil_div`, `round_up` and `truncated` below. Anything else gives a plain
    int, which is never wrong, only less talkative.
    """

    term: str | Operation

    def __new__(cls, value: int, term: str | Operation) -> Self:
        """`term` is the config key the number was read from, or the operation that made it."""
        self = super().__new__(cls, value)
        self.term = term
        return self

    def __reduce__(self) -> tuple[type[Dim], tuple[int, str | Operation]]:
        return Dim, (int(self), self.term)

    @cached_property
    def formula(self) -> str:
        """The formula in the config's own words: `num_key_value_heads × head_dim`."""
        return _write(self, lambda name, _: name)

    @cached_property
    def arithmetic(self) -> str:
        """The formula with its numbers put in: `8 × 128`."""
        return _write(self, lambda _, value: f"{value:,}")

    def __mul__(self, other: int) -> Dim:
        return self if other == 1 and not isinstance(other, Dim) else _join(self, "×", other, int.__mul__(self, other))

    def __rmul__(self, other: int) -> Dim:
        return self if other == 1 else _join(other, "×", self, int.__rmul__(self, other))

    def __add__(self, other: int) -> Dim:
        return self if other == 0 and not isinstance(other, Dim) else _join(self, "+", other, int.__add__(self, other))

    def __radd__(self, other: int) -> Dim:
        return self if other == 0 else _join(other, "+", self, int.__radd__(self, other))

    def __sub__(self, other: int) -> Dim:
        return self if other == 0 and not isinstance(other, Dim) else _join(self, "-", other, int.__sub__(self, other))

    def __rsub__(self, other: int) -> Dim:
        return _join(other, "-", self, int.__rsub__(self, other))

    def __floordiv__(self, other: int) -> Dim:
        return (
            self
            if other == 1 and not isinstance(other, Dim)
            else _join(self, "÷", other, int.__floordiv__(self, other))
        )

    def __rfloordiv__(self, other: int) -> Dim:
        return _join(other, "÷", self, int.__rfloordiv__(self, other))


def formula(size: int) -> str:
    """The words of a size; a plain int is its own formula."""
    return size.formula if isinstance(size, Dim) else f"{size}"


def arithmetic(size: int) -> str:
    """The numbers of a size: `8 × 128`."""
    return size.arithmetic if isinstance(size, Dim) else f"{size:,}"


def exact_div(size: int, divisor: int) -> int:
    """`size ÷ divisor`, as heads share a width.

    Raises ConfigValueError: it leaves a remainder.
    """
    if int(size) % int(divisor):
        parts = f"{formula(size)} ({int(size)}) does not divide by {formula(divisor)} ({int(divisor)})"
        raise ConfigValueError(parts)
    return size // divisor


def same_size(size: int, other: int) -> int:
    """`size`, where a config states one size in two ways.

    Raises ConfigValueError: `other` is not the same.
    """
    if int(size) != int(other):
        parts = f"{formula(size)} ({int(size)}) should equal {formula(other)} ({int(other)})"
        raise ConfigValueError(parts)
    return size


def ceil_div(size: int, divisor: int) -> Dim:
    """`⌈size ÷ divisor⌉`, as block-wise scales are counted."""
    return Dim(-(-int(size) // int(divisor)), Operation(size, "⌈÷⌉", divisor))


def round_up(size: int, multiple: int) -> int:
    """The next multiple of `multiple` that is at least `size`; `size` itself if it is one already."""
    return size if size % multiple == 0 else ceil_div(size, multiple) * multiple


def truncated(factor: float, size: int, name: str) -> Dim:
    """`int(factor × size)`, the way Meta's code widens an MLP; `name` is the config key of the factor."""
    return Dim(int(factor * int(size)), Operation(_Factor(factor, name), "int×", size))


def atoms(size: int) -> dict[str, int]:
    """The config keys a size was made from, each with its number."""
    if not isinstance(size, Dim):
        return {}
    if isinstance(size.term, str):
        return {size.term: int(size)}
    parts = (part for part in size.term if isinstance(part, int))
    return dict(itertools.chain.from_iterable(atoms(part).items() for part in parts))


class _Factor(float):
    """A float that remembers its config key."""

    name: str

    def __new__(cls, value: float, name: str) -> Self:
        self = super().__new__(cls, value)
        self.name = name
        return self

    def __reduce__(self) -> tuple[type[_Factor], tuple[float, str]]:
        return _Factor, (float(self), self.name)


def _join(left: int, sign: str, right: int, value: int) -> Dim:
    if not isinstance(value, int):  # NotImplemented, as in `[layer] * dim`: let the list do it
        return value
    return Dim(value, Operation(left, sign, right))


def _write(part: float, leaf: _Leaf) -> str:
    if isinstance(part, _Factor):
        return leaf(part.name, float(part))
    if not isinstance(part, Dim):
        return f"{part}"
    if isinstance(part.term, str):
        return leaf(part.term, int(part))
    left, sign, right = part.term
    if sign == "⌈÷⌉":
        return f"⌈{_bracketed(left, PRODUCT, leaf)} ÷ {_bracketed(right, PRODUCT, leaf, right_of='÷')}⌉"
    if sign == "int×":
        return f"int({_write(left, leaf)} × {_bracketed(right, PRODUCT, leaf, right_of='×')})"
    rank = _rank(part)
    return f"{_bracketed(left, rank, leaf)} {sign} {_bracketed(right, rank, leaf, right_of=sign)}"


def _bracketed(part: float, rank: int, leaf: _Leaf, right_of: str = "") -> str:
    text = _write(part, leaf)
    equal_rank = _rank(part) == rank
    needs_brackets = _rank(part) > rank or (equal_rank and right_of in ("-", "÷"))
    # `a × (b ÷ c)` is not `a × b ÷ c` in whole numbers.
    needs_brackets |= equal_rank and right_of == "×" and "÷" in text
    return f"({text})" if needs_brackets else text


def _rank(part: float) -> int:
    if not isinstance(part, Dim) or isinstance(part.term, str):
        return ATOM if part >= 0 or isinstance(part, Dim) else SUM
    return {"+": SUM, "-": SUM, "×": PRODUCT, "÷": PRODUCT}.get(part.term.sign, ATOM)
