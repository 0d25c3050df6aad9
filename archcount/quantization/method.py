"""How one quantizer treats a model: which weights it takes, which it passes over, and how it lays them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..rows import Row
from .selection import Passed, is_candidate
from .siblings import Siblings
from .stored import Stored

Layout = Callable[[Row], Iterable[Stored]]
Taken = Callable[[Row, Siblings], bool]
"""Is a row one that the quantizer packs, unless its config passes its module over?"""


def by_role(row: Row, _: Siblings) -> bool:
    """The matrices of layers."""
    return is_candidate(row)


@dataclass(frozen=True, slots=True)
class Method:
    """Which layout packs a module's weights; None where the quantizer passed it over.

    `always` is the layout of every module, where no name has to be asked. `is_taken`: which rows have such a module at
    all, whatever the config passes over. `takes_matrices`: packed experts are taken apart first. `writes_bias`: a bias
    of zeros where the model has none. `cache` says where scales of the KV cache stand: beside `k_proj` ("attention"),
    in it ("projection"), or nowhere ("").
    """

    layout_of: Callable[[str], Layout | None]
    always: Layout | None = None
    is_taken: Taken = by_role
    takes_matrices: bool = False
    writes_bias: bool = False
    cache: str = ""


def one(
    layout: Layout,
    passed: Passed | None,
    *,
    is_taken: Taken = by_role,
    takes_matrices: bool = False,
    writes_bias: bool = False,
) -> Method:
    """One layout for every module that is not passed over."""
    method = Method(lambda _: layout, layout, is_taken, takes_matrices=takes_matrices, writes_bias=writes_bias)
    if passed is None:
        return method
    return replace(method, layout_of=unless(passed, lambda _: layout), always=None)


def unless(passed: Passed | None, layout_of: Callable[[str], Layout | None]) -> Callable[[str], Layout | None]:
    """Which layout packs a module, but None for the modules that are passed over."""
    if passed is None:
        return layout_of
    kept = passed
    return lambda module: None if kept(module) else layout_of(module)
