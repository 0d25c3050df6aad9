"""Whether the files of a checkpoint agree with each other: index against headers, shards missing, or there twice."""

from __future__ import annotations

from collections.abc import Iterator

from ..checkpoint.entries import NoticeKind
from ..checkpoint.result import Checkpoint
from .findings import Finding, Kind, by_name


def file_findings(checkpoint: Checkpoint) -> Iterator[Finding]:
    """What is wrong between the files themselves, whatever the config says."""
    for file in checkpoint.missing:
        count = sum(shard == file for shard in checkpoint.index.weight_map.values()) if checkpoint.index else 0
        named = f"{count:,} tensors are in it by the index" if count else "the numbering of the others asks for it"
        yield Finding(Kind.SHARD_MISSING, file, cause=named)
    yield from _index_findings(checkpoint)
    for group in checkpoint.identical:
        cause = "the same content" if _is_hashed(checkpoint, group[0]) else "the same header, so the same tensors"
        yield Finding(Kind.IDENTICAL_SHARDS, ", ".join(group), count=len(group), cause=cause)
    is_explained = {file for group in checkpoint.identical for file in group}
    twice = [name for name, files in checkpoint.repeated.items() if not is_explained.issuperset(files)]
    yield from by_name(Kind.STORED_TWICE, twice, _untold, "a loader takes whichever it reads last")
    for notice in checkpoint.notices:
        if notice.kind is not NoticeKind.UNKNOWN_SIZE:
            yield Finding(Kind.ODD_HEADER, notice.subject, cause=notice.message)


def _index_findings(checkpoint: Checkpoint) -> Iterator[Finding]:
    index, files = checkpoint.index, checkpoint.files
    if index is None or not checkpoint.shards or index.weight_map == files:
        return
    gone = frozenset(checkpoint.missing)
    promised = (name for name, file in index.weight_map.items() if name not in files and file not in gone)
    kind = Kind.INDEX_DISAGREES
    yield from by_name(kind, promised, _untold, "in the index, and in no header")
    unlisted = (name for name in files if name not in index.weight_map)
    yield from by_name(kind, unlisted, _untold, "in a header, and not in the index: a loader passes it over")
    misplaced = (name for name, file in index.weight_map.items() if name in files and files[name] != file)
    elsewhere = (name for name in misplaced if index.weight_map[name] not in checkpoint.repeated.get(name, ()))
    yield from by_name(kind, elsewhere, _untold, "in another shard than the index says")


def _untold(_: str) -> int:
    """How many elements a name has says nothing about where it is."""
    return 0


def _is_hashed(checkpoint: Checkpoint, file: str) -> bool:
    return any(shard.file == file and shard.content_hash for shard in checkpoint.shards)
