"""From what a user calls a model to its config: a known name, a path, `REV:path`, a repository id, or the config."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import UnknownModelError, UsageError
from . import catalog
from .files import config_path, is_on_disk, read_object
from .packing import beside, completed
from .revisions import config_at, is_revision

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96}")
LONGEST_SHOWN = 80  # characters of a name in an error


def config_called(source: str | Path | Mapping[str, object], revision: str | None) -> tuple[dict[str, object], str]:
    """The config that `source` means, and the name it goes by. A path that exists goes before a known name.

    Raises UnknownModelError, UsageError, or what reading a file or asking the Hub raises.
    """
    if isinstance(source, Mapping):
        return dict(source), "config"
    if isinstance(source, Path) or is_on_disk(source):
        if revision is not None:
            raise UsageError(f"{source}: is a path on this machine; --revision is the Hub's")
        path = config_path(Path(source))
        return completed(read_object(path), lambda: beside(path)), str(source)
    if is_revision(source):
        if revision is not None:
            raise UsageError(f"{source}: names a revision of a git repository; --revision is the Hub's")
        return config_at(source), source
    known = catalog.resolve(source)
    if known is not None and revision is None:
        return catalog.config_of(known), known
    repository = source if known is None else _repository_of(known)
    if REPOSITORY.fullmatch(repository) and not repository.endswith(".json"):
        from .hub import config_file, tensor_list  # noqa: PLC0415 - slow, and only a repository id needs it

        config = read_object(config_file(repository, revision))
        return completed(config, lambda: tensor_list(repository, revision)), repository
    raise UnknownModelError(_nothing_called(source))


def _repository_of(name: str) -> str:
    """Where a known model has its revisions."""
    known = catalog.find(name)
    if known is None or known.repository is None:
        raise UsageError(f"--revision: {name} is written from its paper, and has no repository")
    return known.repository


def _nothing_called(source: str) -> str:
    shown = source if len(source) <= LONGEST_SHOWN else f"{source[:LONGEST_SHOWN]}…"
    if "://" in source:
        return f"{shown}: is a URL: give the repository id (org/name), or a file on this machine"
    if source.endswith(".json") or "/" in source or "\\" in source:
        return f"{shown}: no such file"
    nearest = catalog.nearest(source[:LONGEST_SHOWN])
    hint = f"nearest: {', '.join(nearest)}" if nearest else "archcount list shows the known names"
    return f"{shown!r} is no known model, file or repository id (org/name); {hint}"
