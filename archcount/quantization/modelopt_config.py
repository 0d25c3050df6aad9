"""Model Optimizer's entry, and the scales of a quantized KV cache that it and compressed-tensors store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ..errors import ConfigValueError
from ..rows import Row
from . import floats, microscaling
from .entry import Config
from .method import Layout, Method
from .selection import as_wildcards, is_linear
from .stored import Stored

LAYOUTS: Mapping[str, Layout] = {"FP8": floats.modelopt_float8, "NVFP4": microscaling.modelopt_nvfp4}
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
    algorithms = {str(layer.get("quant_algo")) for layer in by_module.values()} if algorithm == MIXED else {algorithm}
    if unknown := sorted(algorithms - LAYOUTS.keys()):
        known = ", ".join(LAYOUTS)
        raise ConfigValueError(f"Model Optimizer's {unknown[0]!r} has no layout here: archcount knows {known}")
    passed = as_wildcards(own.get("exclude_modules") or entry.get("ignore") or ())

    @cache
    def layout_of(module: str) -> Layout | None:
        if passed is not None and passed(module):
            return None
        if algorithm != MIXED:
            return LAYOUTS[algorithm]
        return LAYOUTS[by_module[module]["quant_algo"]] if module in by_module else None

    cache_of = "projection" if own.get("kv_cache_quant_algo") or entry.get("kv_cache_scheme") else ""
    return Method(layout_of, is_taken=is_linear, takes_matrices=True, cache=cache_of)


def cache_scales(row: Row, where: str) -> Iterator[Stored]:
    """The scale of the cached keys, or values, that a projection's module stores, or its attention, as `where` says."""
    module = row.path[-2] if len(row.path) > 1 else ""
    if not where or row.path[-1] != "weight" or module not in SCALES:
        return
    path = row.path[:-1] if where == "projection" else row.path[:-2]
    yield Stored((*path, SCALES[str(module)]), (1,), row, 0, None, True, False)
