"""The weights one source holds: the files a loader would take, what their headers say, and what was passed over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from .entries import Entry, Header, Notice
from .index import Index


class Kind(StrEnum):
    """Which set of files was chosen."""

    SINGLE = "single file"
    SHARDED = "shards with an index"
    UNINDEXED = "shards without an index"
    ADAPTER = "adapter"
    CONSOLIDATED = "consolidated"
    NAMES_ONLY = "index of pickles, names only"
    GGUF = "GGUF"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A file that holds weights or training state and was not read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: its path below the source, its size in bytes, its header.

    `content_hash` is the SHA-256 of the whole file where the Hub tells it, else None.
    """

    file: str
    size: int | None
    header: Header
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything the headers say.

    `entries` by name, over all shards; of a name in several shards the last counts and `repeated` lists all of them.
    `identical` groups shards that hold the same. The index is as it stands: where it and the headers disagree, the
    headers are right. `missing` are shards that are named and not there. With Kind.NAMES_ONLY there are no shards and
    no entries, only the index.
    """

    source: str
    revision: str | None
    kind: Kind
    shards: tuple[Shard, ...]
    index: Index | None
    missing: tuple[str, ...]
    passed_over: tuple[PassedOver, ...]
    entries: Mapping[str, Entry]
    repeated: Mapping[str, tuple[str, ...]]
    identical: tuple[tuple[str, ...], ...]

    @property
    def files(self) -> dict[str, str]:
        """Which shard each tensor is in; built for the call."""
        return {name: shard.file for shard in self.shards for name in shard.header.entries}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is odd about the headers, in the order of the shards."""
        return tuple(notice for shard in self.shards for notice in shard.header.notices)

    @property
    def elements(self) -> int:
        """Numbers stored, over all shards: those of a name in several shards as often as they are there."""
        return sum(entry.elements for shard in self.shards for entry in shard.header.entries.values())

    @property
    def repeated_elements(self) -> int:
        """How many of the `elements` are there again under the same name."""
        return self.elements - sum(entry.elements for entry in self.entries.values()) if self.repeated else 0

    @property
    def data_bytes(self) -> int:
        """Bytes of tensors stored, over all shards, without the headers."""
        return sum(entry.bytes for shard in self.shards for entry in shard.header.entries.values())

    @property
    def file_bytes(self) -> int | None:
        """Bytes of the files, headers too; None where a size is not known."""
        sizes = [shard.size for shard in self.shards]
        return None if None in sizes else sum(size for size in sizes if size is not None)


def assemble(
    source: str,
    kind: Kind,
    shards: Iterable[Shard],
    *,
    revision: str | None = None,
    index: Index | None = None,
    missing: tuple[str, ...] = (),
    passed_over: tuple[PassedOver, ...] = (),
) -> Checkpoint:
    """A checkpoint of these shards, with the entries of all of them together."""
    shards = tuple(shards)
    entries: dict[str, Entry] = {}
    for shard in shards:
        entries.update(shard.header.entries)
    complete = len(entries) == sum(len(shard.header.entries) for shard in shards)
    repeated = {} if complete else _repeated(shards)
    identical = _identical(shards)
    return Checkpoint(source, revision, kind, shards, index, missing, passed_over, entries, repeated, identical)


def _repeated(shards: tuple[Shard, ...]) -> dict[str, tuple[str, ...]]:
    places: dict[str, list[str]] = {}
    for shard in shards:
        for name in shard.header.entries:
            places.setdefault(name, []).append(shard.file)
    return {name: tuple(files) for name, files in places.items() if len(files) > 1}


def _identical(shards: tuple[Shard, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of shards of the same content hash, else of the same size and header."""
    groups: dict[object, list[Shard]] = {}
    for shard in shards:
        sameness = shard.content_hash or (shard.size, shard.header.length, next(iter(shard.header.entries), None))
        groups.setdefault(sameness, []).append(shard)
    found = []
    for group in groups.values():
        first = group[0]
        alike = [shard.file for shard in group if shard.content_hash or _same_header(shard, first)]
        if len(alike) > 1:
            found.append(tuple(alike))
    return tuple(found)


def _same_header(one: Shard, other: Shard) -> bool:
    return one.header.entries == other.header.entries and one.header.metadata == other.header.metadata
