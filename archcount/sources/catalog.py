"""The models known by name: their configs, what else they are called, and the figures published for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .files import read_object

PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")  # no separator, so a name never leaves the folder
CLOSE_ENOUGH = 0.6  # of difflib's ratio; below it a suggestion is noise


@dataclass(frozen=True, slots=True)
class Known:
    """One model of the catalogue, with its figures as published.

    `repository` is the Hub id whose config.json the stored config follows; `also` are ids with the same tensors.
    `parameters` is every learned number once, multi-token prediction left out; `active` leaves out the routed experts
    a token does not choose; `stored` is elements in the repository's files, where that differs from `parameters`.
    `published` is a paper's rounded figure, where no exact one is published. `source` says where the figures stand.
    `written_from_paper` marks a model without a config.json, its sizes taken from the paper.
    """

    name: str
    source: str
    repository: str | None = None
    aliases: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    parameters: int | None = None
    active: int | None = None
    stored: int | None = None
    published: str | None = None
    written_from_paper: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way to ask for the model, normalised: name, aliases, and each repository id with and without owner."""
        repositories = [repository for repository in (self.repository, *self.also) if repository]
        tails = (repository.rpartition("/")[2] for repository in repositories)
        return tuple(dict.fromkeys(map(normalise, (self.name, *self.aliases, *repositories, *tails))))


def normalise(query: str) -> str:
    """The spelling that is compared: lower case, with `_` and spaces as `-`."""
    return query.strip().lower().replace("_", "-").replace(" ", "-")


def known_models() -> tuple[Known, ...]:
    """Every known model, families together and sizes rising."""
    return tuple(_catalogue().values())


def names() -> list[str]:
    """The name of every known model, in the same order."""
    return list(_catalogue())


def resolve(query: str) -> str | None:
    """The name of the model that `query` means, or None. A plain name is answered without reading the catalogue."""
    spelling = normalise(query)
    if PLAIN_NAME.fullmatch(spelling) and _config_file(spelling).is_file():
        return spelling
    if spelling.endswith(".json") or spelling.startswith((".", "~")) or spelling.count("/") > 1:
        return None  # a path, which no spelling is
    return _names_by_spelling().get(spelling)


def find(query: str) -> Known | None:
    """The model that `query` means by name, alias or repository id, in any case; None when there is none."""
    name = resolve(query)
    return None if name is None else _catalogue()[name]


def config_of(known: Known | str) -> dict[str, object]:
    """The config of a known model, or of the name that `resolve` gave, as Hugging Face writes it."""
    return read_object(_config_file(known if isinstance(known, str) else known.name))


def nearest(query: str, limit: int = 3) -> list[str]:
    """The names most like `query`, the nearest first; empty when nothing is like it."""
    import difflib  # noqa: PLC0415 - slow to import, and only a misspelt name needs it

    by_spelling = _names_by_spelling()
    close = difflib.get_close_matches(normalise(query), by_spelling, n=len(by_spelling), cutoff=CLOSE_ENOUGH)
    return list(dict.fromkeys(by_spelling[spelling] for spelling in close))[:limit]


@cache
def _folder() -> Path:
    """known_configs/, which a wheel holds inside the package and a checkout beside it."""
    package = Path(__file__).parent.parent
    inside = package / "known_configs"
    return inside if inside.is_dir() else package.parent / "known_configs"


def _config_file(name: str) -> Path:
    return _folder() / f"{name}.json"


@cache
def _catalogue() -> dict[str, Known]:
    """catalog.toml, in its own order."""
    import tomllib  # noqa: PLC0415 - a plain name is found without it

    with (_folder() / "catalog.toml").open("rb") as file:
        entries = tomllib.load(file)
    return {name: Known(name, **_with_tuples(entry)) for name, entry in entries.items()}


def _with_tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


@cache
def _names_by_spelling() -> dict[str, str]:
    return {spelling: known.name for known in known_models() for spelling in known.spellings}
