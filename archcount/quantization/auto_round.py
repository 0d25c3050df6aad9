"""AutoRound's own entry: one scheme for all, and `extra_config` for what is quantized otherwise, or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from ..errors import ConfigValueError
from ..rows import Row
from ..tree import Role
from . import compressed, floats, integers
from .entry import Config
from .integers import Groups
from .method import Layout, Method
from .selection import inner, is_candidate, is_linear, module_of
from .siblings import Siblings
from .stored import Stored
from .values import expression

PLAIN_NAME = re.compile(r"[\w.-]+")  # a key of `extra_config` that is a module's name, and no expression
WHOLE = 16  # bits from which on a module is left as it is
GPTQ, AWQ = frozenset({"gptq", "auto_gptq"}), frozenset({"awq", "auto_awq"})  # packings, after `auto_round:`
PACKINGS = {("mx_fp", 4): "mxfp4-pack-quantized", ("mx_fp", 8): "mxfp8-quantized", ("nv_fp", 4): "nvfp4-pack-quantized"}


def auto_round(entry: Config) -> Method:
    """The method, of a file in AutoRound's own format.

    Raises ConfigValueError: a data type or packing archcount has no layout for.
    """
    blocks = _blocks(entry)
    own = _extra(entry.get("extra_config") or {})

    @cache
    def layout_of(module: str) -> Layout | None:
        extra = own(module)
        if extra is None and blocks and not f"{inner(module)}.".startswith(blocks):
            return None
        scheme = {**entry, **(extra or {})}
        return None if scheme["bits"] >= WHOLE else _layout(scheme)

    def is_taken(row: Row, siblings: Siblings) -> bool:
        """The matrices of layers, and a head that the config names."""
        is_head = row.role is Role.HEAD and is_linear(row, siblings)
        return is_candidate(row) or (is_head and own(module_of(row.pattern)) is not None)

    return Method(layout_of, is_taken=is_taken, takes_matrices=True, writes_bias=True)


def _blocks(entry: Config) -> tuple[str, ...]:
    """The beginnings of the names of what is quantized; empty where the config does not say."""
    names = entry.get("block_name_to_quantize") or entry.get("to_quant_block_names") or ()
    return tuple(f"{inner(name)}." for name in _flat(names.split(",") if isinstance(names, str) else names))


def _flat(names: Iterable[str | list[str]]) -> Iterable[str]:
    for name in names:
        yield from (name,) if isinstance(name, str) else _flat(name)


def _extra(extra: Config) -> Callable[[str], Config | None]:
    """A module's own settings: by its name, else by the first expression found in it."""
    rules = [(expression(key), own) for key, own in extra.items() if not PLAIN_NAME.fullmatch(key)]

    def own_of(module: str) -> Config | None:
        return extra.get(module) or next((own for rule, own in rules if own and rule.search(module)), None)

    return own_of


def _layout(scheme: Config) -> Layout:
    """By `data_type`, and where that is `int` by how the words are packed."""
    kind, bits = str(scheme.get("data_type") or "int"), scheme["bits"]
    if kind == "int":
        return _integers(str(scheme.get("packing_format") or scheme.get("backend") or ""), scheme)
    if kind == "fp" and bits == 8:
        return lambda row: _float8(row, scheme)
    if packing := PACKINGS.get((kind, bits)):
        weights = {"num_bits": bits, "group_size": scheme["group_size"]}
        read = compressed.Scheme.read({"weights": weights, "input_activations": {"dynamic": "local"}}, packing)
        return lambda row: compressed.stored(row, read)
    raise ConfigValueError(f"AutoRound's data_type {kind!r} of {bits} bits has no layout here")


def _integers(packing: str, scheme: Config) -> Layout:
    groups = Groups(scheme["bits"], scheme["group_size"])
    name = packing.rpartition(":")[2]
    if name in GPTQ:
        return lambda row: integers.gptq(row, groups)
    if name in AWQ:
        return lambda row: integers.awq(row, groups)
    raise ConfigValueError(f"AutoRound's packing_format {packing!r} has no layout here: archcount knows gptq and awq")


def _float8(row: Row, scheme: Config) -> list[Stored]:
    size, is_static = scheme["group_size"], scheme.get("act_dynamic") is False
    if isinstance(size, list):
        return floats.block_scaled(row, size)
    if size not in (0, -1):
        raise ConfigValueError(f"AutoRound's FP8 with a group_size of {size} has no layout here")
    return floats.flat_scaled(row, by_output=size == -1, is_static=is_static)
