"""Rewrite pinned figures where the models have changed, leaving every other character of the file as it is."""

from __future__ import annotations

import copy
import hashlib
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import cast

from ..errors import UsageError
from ..sources.files import config_path
from .checking import check
from .checks import Check, Outcome
from .lines import toml_line
from .reading import ACCEPTED, UNCHANGED, Expectations, read

DIGITS = 12  # of the digest, enough to tell one config from the next
OLD = re.compile(rf"""{ACCEPTED}\s*=\s*("[^"]*"|'[^']*')""")
SINCE = re.compile(rf"""{UNCHANGED}\s*=\s*("[^"]*"|'[^']*')""")
Table = dict[str, object]


def update(expectations: Expectations) -> Expectations:
    """Write what was found in the place of every pinned figure that fails, and accept configs that changed.

    Limits are decisions, and stay. Raises UsageError: a figure stands in a way that cannot be rewritten safely.
    """
    text = expectations.text
    for each in check(expectations):
        if each.outcome is Outcome.FAILS and each.expected is not None and each.found is not None:
            text = rewritten(text, expectations.steps(each.model, each.what), each.found)
    changed = _written(expectations, text)
    for each in check(changed):
        if each.outcome is Outcome.FAILS and each.what == UNCHANGED:
            text = _accepted(changed, each)
            changed = _written(changed, text)
    return changed


def _written(expectations: Expectations, text: str) -> Expectations:
    if text == expectations.text:
        return expectations
    try:
        expectations.file.write_bytes(text.encode())
    except OSError as error:
        raise UsageError(f"{expectations.file}: cannot be written: {error.strerror}") from error
    return read(expectations.file)


def rewritten(text: str, steps: Sequence[str], value: int) -> str:
    """The text with the number under `steps` replaced, digits in groups of three.

    Raises UsageError: it is not written as a plain number on the line of its key.
    """
    key = re.escape(steps[-1])
    number = re.compile(rf"""(?:^|(?<=[\s,{{."']))(?P<head>{key}["']?\s*=\s*)\d[\d_]*""")
    wanted = _with(tomllib.loads(text), steps, value)
    for before, line, after in _line(text, steps):
        for match in number.finditer(line):
            changed = f"{before}{line[: match.start()]}{match['head']}{value:_}{line[match.end() :]}{after}"
            if _parses_to(changed, wanted):
                return changed
    raise UsageError(f"{'.'.join(steps)} cannot be rewritten: put {value:_} there by hand")


def _accepted(expectations: Expectations, failed: Check) -> str:
    """The text with the digest of the config under `accepted`: a change that moved no figure is said all the same."""
    model = next(each for each in expectations.models if each.name == failed.model)
    data = config_path(expectations.file.parent / model.config).read_bytes()
    digest = hashlib.sha256(data).hexdigest()[:DIGITS]
    steps = expectations.steps(failed.model, ACCEPTED)
    wanted = _with(tomllib.loads(expectations.text), steps, digest)
    for changed in _insertions(expectations.text, steps, digest):
        if _parses_to(changed, wanted):
            return changed
    raise UsageError(f"{'.'.join(steps)} cannot be written: put {digest!r} there by hand")


def _insertions(text: str, steps: Sequence[str], digest: str) -> Iterator[str]:
    """Ways to write it: over the old digest, on a line of its own after `unchanged_since`, or within its line."""
    entry = f'{ACCEPTED} = "{digest}"'
    for before, line, after in _line(text, steps):
        yield f"{before}{OLD.sub(entry, line)}{after}"
    for before, line, after in _line(text, (*steps[:-1], UNCHANGED)):
        indent = line[: len(line) - len(line.lstrip())]
        ending = "\r\n" if line.endswith("\r\n") else "\n"
        yield f"{before}{line.removesuffix(ending)}{ending}{indent}{entry}{ending}{after}"
        yield f"{before}{SINCE.sub(lambda found: f'{found.group()}, {entry}', line)}{after}"


def _line(text: str, steps: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The line of a key with what stands before and after it; nothing where there is no such key."""
    number = toml_line(text, steps)
    if number is not None:
        lines = text.splitlines(keepends=True)
        yield "".join(lines[: number - 1]), lines[number - 1], "".join(lines[number:])


def _with(parsed: Table, steps: Sequence[str], value: object) -> Table:
    changed = copy.deepcopy(parsed)
    inner = changed
    for step in steps[:-1]:
        inner = cast(Table, inner[step])
    inner[steps[-1]] = value
    return changed


def _parses_to(text: str, wanted: Table) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False
