"""GPTQ's entry: one width for all, or GPTQModel's `dynamic` with a width for what a pattern matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from ..errors import ConfigValueError
from ..rows import Row
from ..tree import Role
from . import integers
from .entry import Config
from .integers import Groups
from .method import Layout, Method, Taken, by_role, one, unless
from .selection import Passed, as_transformers, is_candidate, is_linear
from .siblings import Siblings
from .stored import Stored
from .values import expression

Packing = Callable[[Row, Groups], list[Stored]]
FORMATS = ("gptq", "gptq_v2", "gptq_p", "")  # of one size: what differs is the order of bits
HEAD = "lm_head"
SKIP = "-:"  # what a pattern of `dynamic` begins with that passes modules over; one that does not may begin with "+:"


def gptq(entry: Config) -> Method:
    """The method.

    Raises ConfigValueError: a checkpoint format archcount has no layout for.
    """
    kept_as = str(entry.get("checkpoint_format") or "")
    if kept_as not in FORMATS or entry.get("is_marlin_format"):
        raise ConfigValueError(
            f"GPTQ kept as {kept_as or 'marlin'!r} has no layout here: archcount knows gptq, gptq_v2, gptq_p"
        )
    return _method(entry, integers.gptq)


def qqq(entry: Config) -> Method:
    """GPTQModel's QQQ: the same keys, and another layout."""
    return _method(entry, integers.qqq)


def _method(entry: Config, packing: Packing) -> Method:
    groups = Groups(entry["bits"], entry.get("group_size", 128))
    is_taken: Taken = _with_head if entry.get("lm_head") else by_role
    passed = _either(as_transformers(entry.get("modules_to_not_convert")), _outside(entry))
    dynamic = entry.get("dynamic")
    if not dynamic:
        return one(_laid_out(packing, groups), passed, is_taken=is_taken, takes_matrices=True, writes_bias=True)
    own = _dynamic(dynamic, groups)

    @cache
    def layout_of(module: str) -> Layout | None:
        setting = own(module)
        return None if setting is None else _laid_out(packing, setting)

    return Method(unless(passed, layout_of), is_taken=is_taken, takes_matrices=True, writes_bias=True)


def _with_head(row: Row, siblings: Siblings) -> bool:
    return is_candidate(row) or (row.role is Role.HEAD and is_linear(row, siblings))


@cache
def _laid_out(packing: Packing, groups: Groups) -> Layout:
    return lambda row: packing(row, groups)


def _dynamic(dynamic: dict[str, dict[str, int]], usual: Groups) -> Callable[[str], Groups | None]:
    """The first pattern that matches a module's name decides: `-:` passes it over, the others lay over the usual."""
    rules = [(expression(re.sub(r"^[-+]:", "", key)), key.startswith(SKIP), own or {}) for key, own in dynamic.items()]

    def setting(module: str) -> Groups | None:
        for pattern, is_passed, own in rules:
            if pattern.match(module):
                return None if is_passed else Groups(own.get("bits", usual.bits), own.get("group_size", usual.size))
        return usual

    return setting


def _outside(entry: Config) -> Passed | None:
    """What `modules_in_block_to_quantize` leaves out: groups of names within a layer."""
    groups: Iterable[Iterable[str]] | None = entry.get("modules_in_block_to_quantize")
    if not groups:
        return None
    inside = tuple(f".{name}" for group in groups for name in group) + ((HEAD,) if entry.get("lm_head") else ())
    return lambda module: not module.endswith(inside)


def _either(one_of: Passed | None, other: Passed | None) -> Passed | None:
    if one_of is None or other is None:
        return one_of or other
    first, second = one_of, other
    return lambda module: first(module) or second(module)
