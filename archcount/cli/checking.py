"""What `archcount check` does: find what is expected, check it, rewrite it when asked, and say how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import unified_diff
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from ..expectations import Check, Expectations

FAILS, UNTOLD = 1, 2


class Style(StrEnum):
    """What `--format` takes here."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    JUNIT = "junit"


def run_checks(configs: Sequence[Path], file: Path | None, style: Style, *, is_update: bool) -> int:
    """Check, show the answers, and give the exit code.

    Raises UsageError: nothing to check, or a file of expectations that cannot be read.
    """
    from .. import expectations

    found = file or expectations.find(Path.cwd())
    if found is None and (is_update or not configs):
        raise UsageError(
            "nothing to check: no [tool.archcount.models] in pyproject.toml, no archcount.toml (docs/ci.md)"
        )
    expected = None if found is None else expectations.read(found)
    rewritten: list[str] = []
    if is_update and expected is not None:
        expected, rewritten = _updated(expected)
    checks = expectations.check_configs(configs, expected) if configs else expectations.check(_present(expected))
    _show(checks, rewritten, style)
    outcomes = {check.outcome for check in checks}
    if expectations.Outcome.UNTOLD in outcomes:
        return UNTOLD
    return FAILS if expectations.Outcome.FAILS in outcomes else 0


def _present(expected: Expectations | None) -> Expectations:
    if expected is None:
        raise UsageError("nothing to check")
    return expected


def _updated(expected: Expectations) -> tuple[Expectations, list[str]]:
    """The expectations after `--update`, and what was written as a unified diff."""
    from .. import expectations

    after = expectations.update(expected)
    name = expected.file.name
    lines = unified_diff(expected.text.splitlines(), after.text.splitlines(), name, name, n=1, lineterm="")
    return after, list(lines)


def _show(checks: Sequence[Check], rewritten: Sequence[str], style: Style) -> None:
    from ..show.checks import checks_page, junit, workflow_commands
    from ..show.output import Style as Plain
    from ..show.output import show

    if os.environ.get("GITHUB_ACTIONS") == "true":  # on stderr, since stdout may be JSON
        sys.stderr.writelines(f"{line}\n" for line in workflow_commands(checks))
    if style is Style.JUNIT:
        sys.stdout.write(f"{junit(checks)}\n")
        return
    show(checks_page(checks, rewritten), Plain(style.value))
