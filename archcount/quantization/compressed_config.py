"""The entry of compressed-tensors: groups of modules by name, pattern or class, and what is ignored."""

from __future__ import annotations

from functools import cache

from ..errors import ConfigValueError
from . import compressed
from .entry import Config
from .method import Layout, Method
from .selection import as_targets, is_linear

LINEAR = "Linear"
DENSE = ("", "dense")


def compressed_tensors(entry: Config) -> Method:
    """The method; a module's full name goes before a class.

    Raises ConfigValueError: sparse weights, whose size no config tells.
    """
    sparse = str((entry.get("sparsity_config") or {}).get("format") or "")
    if sparse not in DENSE:
        raise ConfigValueError(f"compressed-tensors {sparse!r}: the size of sparse weights stands in no config")
    ignored = as_targets(entry.get("ignore") or ())
    groups = []
    for group in (entry.get("config_groups") or {}).values():
        layout = _laid_out(compressed.Scheme.read(group, entry.get("format", ""), entry.get("version")))
        targets = group.get("targets") or [LINEAR]
        groups.append((LINEAR in targets, as_targets(targets), layout))

    @cache
    def layout_of(module: str) -> Layout | None:
        if ignored(module):
            return None
        named = (layout for _, is_target, layout in groups if is_target(module))
        by_class = (layout for has_class, _, layout in groups if has_class)
        return next(named, next(by_class, None))

    cache_of = "attention" if entry.get("kv_cache_scheme") else ""
    return Method(layout_of, is_taken=is_linear, takes_matrices=True, cache=cache_of)


def _laid_out(scheme: compressed.Scheme) -> Layout:
    return lambda row: compressed.stored(row, scheme)
