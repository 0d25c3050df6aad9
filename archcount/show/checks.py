"""The answers to what a project expects, a line each; as JUnit's XML and as annotations where a build reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .builds import Element, case, document, failure, remark, suite, workflow_command
from .page import Column, Line, Note, Page, Rank, Table

if TYPE_CHECKING:
    from ..expectations import Check

COLUMNS = (Column("model", "model"), Column("check", "check"), Column("outcome", "outcome"), Column("said", "said"))
HOLDS, FAILS, UNTOLD = "holds", "fails", "could not tell"
SUITE = "archcount check"


def checks_page(checks: Sequence[Check], rewritten: Sequence[str] = ()) -> Page:
    """A line a check; `rewritten` is the unified diff of what `--update` wrote."""
    lines = (Line((check.model, check.what, check.outcome.value, check.said), rank=_rank(check)) for check in checks)
    blocks: list[Table | Note] = [Table(COLUMNS, tuple(lines), with_header=False)]
    if rewritten:
        changes = tuple(Line((line,)) for line in rewritten)
        blocks.append(Table((Column("rewritten", ""),), changes, "rewritten", with_header=False))
    blocks.append(Note(summary(checks), is_warning=any(check.outcome.value != HOLDS for check in checks)))
    return Page("", tuple(blocks), lambda: _document(checks, rewritten))


def summary(checks: Sequence[Check]) -> str:
    """`3 checks: 2 hold, 1 fails`."""
    counts = {outcome: sum(check.outcome.value == outcome for check in checks) for outcome in (HOLDS, FAILS, UNTOLD)}
    words = {HOLDS: ("holds", "hold"), FAILS: ("fails", "fail"), UNTOLD: ("could not be told",) * 2}
    told = ", ".join(f"{count:,} {words[outcome][count != 1]}" for outcome, count in counts.items() if count)
    return f"{len(checks):,} check{'s' if len(checks) != 1 else ''}: {told or 'nothing to check'}"


def junit(checks: Sequence[Check]) -> str:
    """One suite, one case a check."""
    failed = sum(check.outcome.value == FAILS for check in checks)
    untold = sum(check.outcome.value == UNTOLD for check in checks)
    suites = Element("testsuites")
    inside = suite(suites, SUITE, tests=len(checks), failures=failed, errors=untold)
    for check in checks:
        where = {"file": str(_relative(check.file)), "line": str(check.line or 1)} if check.file else {}
        found = case(inside, check.model, check.what, where)
        if check.outcome.value == HOLDS:
            remark(found, check.said)
        else:
            failure(found, check.said, kind="failure" if check.outcome.value == FAILS else "error")
    return document(suites)


def workflow_commands(checks: Sequence[Check]) -> Iterator[str]:
    """A GitHub workflow command for each check that does not hold, at the line of the file it is about."""
    for check in checks:
        if check.outcome.value != HOLDS:
            title = f"{check.model}: {check.what} {check.outcome.value}"
            file = str(_relative(check.file)) if check.file else ""
            yield workflow_command("error", title, check.said, file=file, line=check.line)


def _rank(check: Check) -> Rank:
    return "plain" if check.outcome.value == HOLDS else "group"


def _document(checks: Sequence[Check], rewritten: Sequence[str]) -> dict[str, object]:
    return {
        "holds": all(check.outcome.value == HOLDS for check in checks),
        "checks": [_record(check) for check in checks],
        "rewritten": list(rewritten),
    }


def _record(check: Check) -> dict[str, object]:
    return {
        "model": check.model,
        "check": check.what,
        "outcome": check.outcome.value,
        "said": check.said,
        "expected": check.expected,
        "found": check.found,
        "file": str(_relative(check.file)) if check.file else None,
        "line": check.line,
    }


def _relative(file: Path) -> Path:
    """The path from where we stand, as builds want it."""
    return Path(os.path.relpath(file.absolute(), Path.cwd()))
