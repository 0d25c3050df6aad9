"""What a project expects of its models, as its pyproject.toml or archcount.toml states it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..errors import UsageError
from .figures import FIGURES

PYPROJECT, OWN = "pyproject.toml", "archcount.toml"
TABLE = ("tool", "archcount")
CONFIG, WEIGHTS, UNCHANGED, ACCEPTED, NOTE = "config", "weights", "unchanged_since", "accepted", "note"
TEXTS = (CONFIG, WEIGHTS, UNCHANGED, ACCEPTED, NOTE)
SEE = "docs/ci.md shows how"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a figure must be; None where that side is open. An exact figure is `least` and `most` at once."""

    least: int | None
    most: int | None

    @property
    def exact(self) -> int | None:
        """The pinned figure, None where only limits are given."""
        return self.least if self.least == self.most else None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold of one model. `table` is what the file says of it, word for word."""

    name: str
    config: str
    figures: Mapping[str, Limits]
    weights: str | None
    unchanged_since: str | None
    table: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Expectations:
    """A file with expectations, and its text as it was read."""

    file: Path
    text: str
    models: tuple[Expectation, ...]

    def steps(self, model: str, key: str) -> tuple[str, ...]:
        """The tables that lead to a key of a model in this file."""
        return (*prefix_of(self.file), "models", model, key)


def prefix_of(file: Path) -> tuple[str, ...]:
    """The tables above `models`: pyproject.toml belongs to others too."""
    return TABLE if file.name == PYPROJECT else ()


def find(folder: Path) -> Path | None:
    """The nearest file with expectations, in `folder` or above it.

    Raises UsageError: a file on the way is not TOML.
    """
    for place in (folder, *folder.parents):
        own, shared = place / OWN, place / PYPROJECT
        if own.is_file():
            return own
        if shared.is_file() and _inner(_parsed(shared.read_bytes(), str(shared)), TABLE) is not None:
            return shared
    return None


def read(file: Path) -> Expectations:
    """The expectations of a file.

    Raises UsageError: no such file, not TOML, or a key or value that means nothing here.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    tables = models_in(_parsed(data, str(file)), file)
    return Expectations(file, data.decode(), tuple(_expectation(name, table, file) for name, table in tables.items()))


def models_in(parsed: Mapping[str, object], file: Path) -> dict[str, dict[str, object]]:
    """The tables of the models in a file that is parsed already.

    Raises UsageError: no table of models, or one of them is none.
    """
    ours = _inner(parsed, prefix_of(file))
    where = ".".join((*prefix_of(file), "models"))
    for key in ours if isinstance(ours, dict) else ():
        if key != "models":
            raise UsageError(f"{file}: no such table {'.'.join((*prefix_of(file), key))!r}; it takes {where}; {SEE}")
    models = _inner(ours, ("models",))
    if not isinstance(models, dict) or not models:
        raise UsageError(f"{file}: no model in [{where}]; {SEE}")
    for name, table in models.items():
        if not isinstance(table, dict):
            raise UsageError(f"{file}: {where}.{name} should be a table: [{where}.{name}]; {SEE}")
    return models


def _parsed(data: bytes, where: str) -> dict[str, object]:
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{where}: not TOML: {error}") from None


def _inner(table: object, steps: Iterable[str]) -> object:
    for step in steps:
        table = table.get(step) if isinstance(table, dict) else None
    return table


def _expectation(name: str, table: Mapping[str, object], file: Path) -> Expectation:
    where = f"{file}: models.{name}"
    for key in table:
        if key not in (*TEXTS, *FIGURES):
            near = get_close_matches(key, [*TEXTS, *FIGURES], n=2, cutoff=0.5)
            hint = f"nearest: {', '.join(near)}" if near else f"it takes {', '.join((*TEXTS, *FIGURES))}"
            raise UsageError(f"{where}: no such key {key!r}; {hint}")
    texts = {key: _text(table, key, where) for key in TEXTS}
    config = texts[CONFIG]
    if config is None:
        raise UsageError(f"{where}: config is missing: the path of its config.json")
    figures = {key: _limits(table[key], f"{where}.{key}") for key in FIGURES if key in table}
    if not figures and texts[WEIGHTS] is None and texts[UNCHANGED] is None:
        raise UsageError(f"{where}: nothing is expected of it: give {', '.join(FIGURES)}, {WEIGHTS} or {UNCHANGED}")
    return Expectation(name, config, figures, texts[WEIGHTS], texts[UNCHANGED], dict(table))


def _text(table: Mapping[str, object], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is None or (isinstance(value, str) and value):
        return value
    raise UsageError(f"{where}.{key} is {value!r}: should be a string")


def _limits(value: object, where: str) -> Limits:
    if (exact := _count(value)) is not None:
        return Limits(exact, exact)
    if isinstance(value, dict) and value and set(value) <= {"min", "max"}:
        least, most = _count(value.get("min")), _count(value.get("max"))
        bounds = [bound for bound in (least, most) if bound is not None]
        if len(value) == len(bounds) and bounds == sorted(set(bounds)):
            return Limits(least, most)
    takes = "a whole number, or { max = … }, { min = … } or both, min below max"
    raise UsageError(f"{where} is {value!r}: should be {takes}")


def _count(value: object) -> int | None:
    """A whole number from 0 on; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
