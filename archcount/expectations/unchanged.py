"""Whether a config changed without a word: unchanged since a revision, unless what is expected of it changed too."""

from __future__ import annotations

import tomllib
from pathlib import Path

from ..difference import Difference, diff
from ..errors import ArchcountError, UsageError
from ..model import Model, load
from ..sources.files import config_path, literal, parse_object
from ..sources.revisions import text_if_held
from .checks import Check, Outcome
from .lines import json_lines, toml_line
from .reading import NOTE, UNCHANGED, Expectation, Expectations, models_in

MEND = f"say so: archcount check --update, or a new {NOTE}"
FIRST = 3  # keys that a line names
LONGEST = 24  # characters of a value of theirs


def unchanged(expectation: Expectation, expectations: Expectations, model: Model) -> Check:
    """Is the config as it was at `unchanged_since`, or did its expectation change as well?"""
    line = toml_line(expectations.text, expectations.steps(expectation.name, UNCHANGED))
    outcome, said, file = Outcome.UNTOLD, "", expectations.file
    try:
        path = _path(expectation, expectations)
        found, said = _since(expectation, expectations, path, model)
        outcome = Outcome.HOLDS if found is None else Outcome.FAILS
        if found is not None:
            file, line = path, _line_of_change(path, found)
    except ArchcountError as error:
        said = str(error)
    return Check(expectation.name, UNCHANGED, outcome, said, file, line)


def _since(
    expectation: Expectation, expectations: Expectations, path: Path, model: Model
) -> tuple[Difference | None, str]:
    """What changed without a word, None where all is well; and how to say it."""
    revision, folder = str(expectation.unchanged_since), expectations.file.parent
    then = text_if_held(f"{revision}:./{path.relative_to(folder.resolve()).as_posix()}", folder)
    if then is None:
        return None, f"new since {revision}"
    if is_said(expectation, expectations):
        return None, f"its expectation changed since {revision}"
    found = diff(load(parse_object(then, f"{revision}:{expectation.config}")), model)
    if found.is_empty:
        return None, f"as at {revision}"
    changes = [f"{key.key} {_value(key.before)} → {_value(key.after)}" for key in found.keys[:FIRST]]
    more = f", and {len(found.keys) - FIRST} more" if len(found.keys) > FIRST else ""
    return found, f"changed since {revision}: {', '.join(changes)}{more}; {MEND}"


def _value(value: object) -> str:
    return literal(value, LONGEST)


def is_said(expectation: Expectation, expectations: Expectations) -> bool:
    """Does the file say another thing of the model than it did at `unchanged_since`?

    Raises ArchcountError: that cannot be told.
    """
    file, revision = expectations.file, expectation.unchanged_since
    then = text_if_held(f"{revision}:./{file.name}", file.parent)
    if then is None:
        return True
    try:
        before = models_in(tomllib.loads(then), file).get(expectation.name)
    except (tomllib.TOMLDecodeError, UsageError):
        return True  # no expectation could be read there, so this one is new
    return before != expectation.table


def _path(expectation: Expectation, expectations: Expectations) -> Path:
    """The config's file, which must lie below the file of expectations: the revision must hold both."""
    folder = expectations.file.parent.resolve()
    path = config_path(folder / expectation.config).resolve()
    if not path.is_relative_to(folder):
        raise UsageError(f"{expectation.config}: with {UNCHANGED} the config should lie below {folder}")
    return path


def _line_of_change(path: Path, found: Difference) -> int | None:
    """The line of the first key that changed and still is there."""
    lines = json_lines(path.read_text(encoding="utf-8-sig"))
    spelled = (change.pair.after.spelled for change in found.keys)
    return next((lines[key] for key in spelled if key in lines), None)
