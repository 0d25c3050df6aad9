"""The weights that a path or a Hub repository holds, whichever of the two a user gave."""

from __future__ import annotations

from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from .faults import NoWeightsError
from .local import Progress, read_local
from .result import Checkpoint

if TYPE_CHECKING:
    from .transport import Limits

_WEIGHT_SUFFIXES = (".safetensors", ".gguf", ".json", ".bin", ".pt", ".pth")


def read_checkpoint(
    source: str | Path,
    *,
    revision: str | None = None,
    token: str | Literal[False] | None = None,
    on_progress: Progress | None = None,
    limits: Limits | None = None,
) -> Checkpoint:
    """The headers of a file, of a folder, or of a repository on the Hub; a path that exists is meant before the Hub.

    `on_progress(done, total)` is called after each file, in the caller's thread. Raises a CheckpointError, or a
    HubError where the Hub was asked.
    """
    if source == "":  # an unset variable of a script; as a path it would be the folder one is in
        raise NoWeightsError("the name of the weights is empty: leave it out, or give a file, folder or repository id")
    if isinstance(source, Path) or is_path(source):
        return read_local(Path(source).expanduser(), on_progress)
    from .remote import read_remote  # noqa: PLC0415 - slow, and only a repository id needs it

    return read_remote(source, revision=revision, token=token, on_progress=on_progress, limits=limits)


def is_path(source: str) -> bool:
    """Whether a source can only be meant as a path, or is one that exists."""
    looks = source.startswith((".", "/", "~")) or source.endswith(_WEIGHT_SUFFIXES) or source.count("/") > 1
    try:
        return looks or "\\" in source or Path(fspath(source)).exists()
    except OSError:  # too long for a name, or in a folder that may not be looked into: no repository id either
        return True
