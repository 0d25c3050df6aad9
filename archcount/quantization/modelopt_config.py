"""Model Optimizer's entry, and the scales of a quantized KV cache that it and compressed-tensors store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ..errors import ConfigValueError
from ..rows import Row
from .entry import Config
from .method import Layout, Method, unless
from .modelopt import LAYOUTS, layout_of
from .selection import as_wildcards, is_linear
from .stored import Stored

MIXED = "MIXED_PRECISION"
SCALES = {"k_proj": "k_scale", "v_proj": "v_scale"}


def modelopt(entry: Config) -> Method:
    """The method.

    Raises ConfigValueError: an algorithm archcount has no layout for.
    """
    inner = entry.get("quantization")
    own: Config = inner if isinstance(inner, Mapping) else entry
    algorithm = str(own.get("quant_algo", ""))
    by_module = own.get("quantized_layers") or {}
    settings = by_module.values() if algorithm == MIXED else (own,)
    algorithms = {str(setting.get("quant_algo")) for setting in settings}
    if unknown := sorted(name for name in algorithms if name.upper() not in LAYOUTS):
        known = ", ".join(LAYOUTS)
        raise ConfigValueError(f"Model Optimizer's {unknown[0]!r} has no layout here: archcount knows {known}")
    passed = as_wildcards(own.get("exclude_modules") or entry.get("ignore") or ())

    @cache
    def layout(module: str) -> Layout | None:
        setting = own if algorithm != MIXED else by_module.get(module)
        return None if setting is None else layout_of(str(setting["quant_algo"]), setting.get("group_size"))

    cache_of = "projection" if own.get("kv_cache_quant_algo") or entry.get("kv_cache_scheme") else ""
    return Method(unless(passed, layout), is_taken=is_linear, takes_matrices=True, cache=cache_of)


def cache_scales(row: Row, where: str) -> Iterator[Stored]:
    """The scale of the cached keys, or values, that a projection's module stores, or its attention, as `where` says."""
    module = row.path[-2] if len(row.path) > 1 else ""
    if not where or row.path[-1] != "weight" or module not in SCALES:
        return
    path = row.path[:-1] if where == "projection" else row.path[:-2]
    yield Stored((*path, SCALES[str(module)]), (1,), row, 0, None, True, False)
