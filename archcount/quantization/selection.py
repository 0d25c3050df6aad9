"""Which weights a quantizer packed: by what they are, less the modules its config says it passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from ..rows import Row
from ..tree import Role, Use
from .siblings import Siblings
from .values import expression

Passed = Callable[[str], bool]
"""Asked of a module's full name ("model.layers.0.mlp.gate"): was it passed over? None stands for "none was"."""

AROUND = ("model", "language_model")  # in one order or the other
PACKED_ROLES = frozenset({Role.ATTENTION, Role.MLP, Role.EXPERTS, Role.SSM})
LEFT_ALONE = "weights_proj"  # of an indexer: DeepSeek-V3.2's and GLM-5's FP8 files hold it as it is, unlisted


def is_candidate(row: Row) -> bool:
    """A matrix that a layer multiplies by, and that is stored: not a table, a router or a head."""
    return (
        row.tensor.use is Use.MATMUL
        and row.role in PACKED_ROLES
        and row.tensor.storage.is_in_file
        and len(row.tensor.shape) >= 2
        and LEFT_ALONE not in row.path[-2:-1]
    )


def is_linear(row: Row, siblings: Siblings) -> bool:
    """Any stored matrix that a module multiplies by, routers and heads too; packed experts, but no bare parameter."""
    tensor = row.tensor
    if tensor.use is not Use.MATMUL or not tensor.storage.is_in_file or len(tensor.shape) < 2:
        return False
    if row.role is Role.ROUTER and siblings.is_bare(row):
        return False
    return row.path[-1] == "weight" or (row.routed is not None and len(tensor.shape) == 3)


def inner(name: str) -> str:
    """A name less what stands around a text model: `model.language_model.layers` and `model.layers` are the same."""
    first, dot, rest = name.partition(".")
    return inner(rest) if dot and first in AROUND else name


def module_of(name: str) -> str:
    """The module that holds a tensor: its name less the last part."""
    return name.rpartition(".")[0]


def as_transformers(patterns: Iterable[str] | None) -> Passed | None:
    """Hugging Face's reading of `modules_to_not_convert`: a prefix or regular expression up to a dot, or a suffix."""
    wanted = tuple(patterns or ())
    if not wanted:
        return None
    boundary = r"(?:(?<=\.)|(?=\.|$))"
    started = [expression(f"(?:{pattern}){boundary}") for pattern in wanted]

    def passed(module: str) -> bool:
        return module.endswith(wanted) or any(pattern.match(module) for pattern in started)

    return cache(passed)


def as_transformers_four(patterns: Iterable[str] | None) -> Passed | None:
    """The reading of transformers 4: a whole name, its last part, or what stands before a dot anywhere in it."""
    wanted = tuple(patterns or ())
    if not wanted:
        return None
    before = tuple(f"{pattern}." for pattern in wanted)

    def passed(module: str) -> bool:
        return module in wanted or module.rpartition(".")[2] in wanted or any(part in module for part in before)

    return cache(passed)


def as_substring(parts: Iterable[str] | None) -> Passed | None:
    """AutoAWQ's reading of `modules_to_not_convert`: any part of the module's name."""
    wanted = tuple(parts or ())
    if not wanted:
        return None
    return cache(lambda module: any(part in module for part in wanted))


def as_targets(targets: Iterable[str]) -> Passed:
    """compressed-tensors' reading of `targets` and `ignore`: a full name, or `re:` and a regular expression."""
    names = frozenset(target for target in targets if not target.startswith("re:"))
    patterns = [expression(target.removeprefix("re:")) for target in targets if target.startswith("re:")]
    return cache(lambda module: module in names or any(pattern.match(module) for pattern in patterns))


def as_wildcards(patterns: Iterable[str] | None) -> Passed | None:
    """Model Optimizer's reading of `exclude_modules`: a full name with `*` for any run of characters."""
    if not patterns:
        return None
    wanted = [re.compile(".*".join(map(re.escape, pattern.split("*")))) for pattern in patterns]
    return cache(lambda module: any(each.fullmatch(module) for each in wanted))
