"""Weights on this machine: a file or a folder, of which only the first bytes of each file are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import CheckpointError
from .choice import ADAPTER, INDEX, Choice, choose, gguf_set, passed_over, settle
from .faults import NoWeightsError
from .gguf import MAGIC, is_of_adapter, read_gguf
from .header import PREFIX, header_length, parse_header
from .index import LARGEST_INDEX, Index, parse_index
from .result import Checkpoint, Kind, Shard, assemble

Progress = Callable[[int, int], None]  # files done, files in all

LONGEST_SHOWN = 255  # characters of a path in an error
_FIRST_READ = 64 * 1024  # bytes; one read is enough for most headers


def read_local(path: Path, on_progress: Progress | None = None) -> Checkpoint:
    """The weights a path means: a safetensors, GGUF or index file, or the set a loader would take from a folder.

    Raises CheckpointError and its branch in `faults`.
    """
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError as error:  # a name no system takes, or a folder that may not be looked into
        raise NoWeightsError(f"{_cut(path)}: cannot be read: {error.strerror}") from error
    if is_folder:
        return _read_folder(path, on_progress)
    if not is_file:
        raise NoWeightsError(f"{path}: no such file or folder")
    if path.name.endswith(".index.json"):
        kind = Kind.SHARDED if path.name.endswith(INDEX) else Kind.NAMES_ONLY
        return _read_chosen(path.parent, Choice(kind, index=path.name), [path.name], on_progress)
    shard = _read_shard(path.parent, path.name)
    if _is_gguf(path):
        choice = gguf_set(path.name, [other.name for other in path.parent.glob("*.gguf")])
        shards = [shard if file == path.name else _read_shard(path.parent, file) for file in choice.files]
        return assemble(str(path), _kind(choice, shards), shards, missing=choice.missing)
    kind = Kind.ADAPTER if path.name == ADAPTER else Kind.SINGLE
    return assemble(str(path), kind, [shard])


def _read_folder(folder: Path, on_progress: Progress | None) -> Checkpoint:
    files = sorted(_listing(folder))
    try:
        choice = choose(files, str(folder))
    except NoWeightsError as error:
        broken = sorted(path for path in folder.iterdir() if path.is_symlink() and not _is_there(path))
        if not broken:
            raise
        raise NoWeightsError(f"{broken[0]}: a link to a file that is not there: fetch the weights again") from error
    return _read_chosen(folder, choice, files, on_progress)


def _read_chosen(folder: Path, choice: Choice, files: list[str], on_progress: Progress | None) -> Checkpoint:
    index = _read_index(folder, choice.index) if choice.index else None
    named = [file for file in index.files if _is_file(folder / file)] if index else []
    choice = settle(choice, index, {*files, *named})
    shards = []
    for done, file in enumerate(choice.files, 1):
        shards.append(_read_shard(folder, file))
        if on_progress:
            on_progress(done, len(choice.files))
    return assemble(
        str(folder),
        _kind(choice, shards),
        shards,
        index=index if choice.index else None,
        missing=choice.missing,
        passed_over=passed_over(files, choice.used),
    )


def _kind(choice: Choice, shards: list[Shard]) -> Kind:
    """The kind of the set; a GGUF file of an adapter bears no name of its own, and is told by its tensors'."""
    is_adapter = choice.kind is Kind.GGUF and any(is_of_adapter(shard.header) for shard in shards)
    return Kind.ADAPTER if is_adapter else choice.kind


def _listing(folder: Path) -> Iterator[str]:
    """The files of a folder and of the folders in it, as paths below it; hidden folders are left out."""
    try:
        for path in folder.iterdir():
            if path.is_file():
                yield path.name
            elif path.is_dir() and not path.name.startswith("."):
                yield from (f"{path.name}/{inner.name}" for inner in path.iterdir() if inner.is_file())
    except OSError as error:
        raise NoWeightsError(f"{error.filename or folder}: cannot be listed: {error.strerror}") from error


def _read_index(folder: Path, file: str) -> Index:
    path = folder / file
    try:
        if path.stat().st_size > LARGEST_INDEX:
            raise CheckpointError(f"{path}: larger than {LARGEST_INDEX:,} bytes, so no index")
        return parse_index(path.read_bytes(), str(path))
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error


def _read_shard(folder: Path, file: str) -> Shard:
    path = folder / file
    try:
        if _is_gguf(path):
            return Shard(file, path.stat().st_size, read_gguf(path))
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(0)
            first = stream.read(_FIRST_READ)
            length = header_length(first, size, str(path))
            first += stream.read(max(0, PREFIX + length - len(first)))
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from error
    return Shard(file, size, parse_header(first, size, str(path)))


def _is_file(path: Path) -> bool:
    """Whether it is there; a name that no system takes is not."""
    try:
        return path.is_file()
    except OSError:
        return False


def _is_there(path: Path) -> bool:
    """Whether a link leads anywhere; one that leads in a circle does not."""
    try:
        return path.exists()
    except OSError:
        return False


def _cut(path: Path) -> str:
    """The path, or the start of one too long to be any."""
    return f"{path}" if len(f"{path}") <= LONGEST_SHOWN else f"{path}"[:LONGEST_SHOWN] + "…"


def _is_gguf(path: Path) -> bool:
    if path.suffix != ".gguf":
        return False
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
