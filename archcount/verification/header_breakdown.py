"""The tensors of headers added up by module and type, for weights that no config and no rule explain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ..checkpoint.entries import UNKNOWN, Entry
from ..checkpoint.result import Checkpoint
from .patterns import NUMBER, by_pattern


@dataclass(frozen=True, slots=True)
class HeaderPart:
    """One pattern of modules, and what its tensors of one type hold; None where only names are known."""

    module: str
    dtype: str
    tensors: int
    elements: int | None
    bytes: int | None


def header_breakdown(checkpoint: Checkpoint) -> tuple[HeaderPart, ...]:
    """A part for each pattern of modules and type, in the order of the files."""
    modules: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for name, entry in _entries(checkpoint):
        modules[name.rpartition(".")[0], entry.dtype].append(entry)
    alike: dict[tuple[str, str, tuple[int, ...]], dict[str, list[Entry]]] = defaultdict(dict)
    for (module, dtype), found in modules.items():
        template = NUMBER.sub("", module)  # so that each pattern stands where its first module does
        alike[template, dtype, tuple(entry.elements for entry in found)][module] = found
    return tuple(
        _part(pattern, dtype, [entry for module in names for entry in group[module]])
        for (_, dtype, _), group in alike.items()
        for pattern, names in by_pattern(group)
    )


def _entries(checkpoint: Checkpoint) -> Iterator[tuple[str, Entry]]:
    """Each name with its entry, one in several shards as often as it is there; of an index of pickles names alone."""
    for shard in checkpoint.shards:
        yield from shard.header.entries.items()
    if not checkpoint.shards and checkpoint.index:
        yield from ((name, UNKNOWN) for name in checkpoint.index.weight_map)


def _part(module: str, dtype: str, entries: list[Entry]) -> HeaderPart:
    is_known = entries[0] is not UNKNOWN
    elements = sum(entry.elements for entry in entries) if is_known else None
    size = sum(entry.bytes for entry in entries) if is_known else None
    return HeaderPart(module or "(top level)", dtype, len(entries), elements, size)
