"""An index file: which shard it says each tensor is in, and what it claims the whole to be."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import msgspec

from .faults import IndexFileError

LARGEST_INDEX = 100_000_000  # bytes; the largest published ones are below ten million


@dataclass(frozen=True, slots=True)
class Index:
    """`weight_map`: tensor name to shard file; `files`: those shards, each once; `metadata` as it stands, unproved."""

    file: str
    weight_map: Mapping[str, str]
    metadata: Mapping[str, object]
    files: tuple[str, ...]

    @property
    def total_size(self) -> int | None:
        """The bytes it claims, where it claims a whole number."""
        return _whole(self.metadata.get("total_size"))


class _File(msgspec.Struct, gc=False):
    weight_map: dict[str, str]
    metadata: dict[str, object] | None = None


_DECODER = msgspec.json.Decoder(_File)


def parse_index(raw: bytes, file: str) -> Index:
    """The index in a file's bytes.

    Raises IndexFileError: not JSON, no weight_map of strings, or a shard outside of the index's own folder.
    """
    try:
        parsed = _DECODER.decode(raw.removeprefix(BOM_UTF8))  # as an editor may have left it
    except (msgspec.DecodeError, RecursionError) as error:
        raise IndexFileError(f"{file}: no index with a weight_map of strings ({error}): download it again") from None
    files = tuple(sorted(set(parsed.weight_map.values())))
    for shard in files:
        if not _is_below(shard):
            raise IndexFileError(f"{file}: names the shard {shard!r}, which is outside of its folder: do not trust it")
    return Index(file, parsed.weight_map, parsed.metadata or {}, files)


def split_shards(index: Index, present: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The shards an index names: those that are there, and those that are missing."""
    here = set(present)
    missing = tuple(file for file in index.files if file not in here)
    return tuple(file for file in index.files if file in here), missing


def _is_below(shard: str) -> bool:
    parts = PurePosixPath(shard).parts
    is_plain = bool(parts) and "\\" not in shard and "\0" not in shard and ":" not in parts[0]
    return is_plain and not shard.startswith("/") and ".." not in parts


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
