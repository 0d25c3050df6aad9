"""Rewrite docs/cli.md from the commands' own help: `python -m archcount.cli`."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

from .main import main
from .verbs import VERBS

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
HEAD = """# The command line

Made from the commands' own `--help` by `python -m archcount.cli`.

Exit codes: 0 yes, 1 no (a mismatch, or a difference where one was asked about), 2 wrong use or bad input; then one line
on stderr says what is wrong, and nothing is on stdout.
"""


def page() -> str:
    """The Markdown of docs/cli.md."""
    verbs = "".join(f"\n## archcount {verb}\n\n{_help(verb)}" for verb in VERBS)
    return f"{HEAD}\n## archcount\n\n{_help()}{verbs}"


def _help(*verb: str) -> str:
    os.environ["COLUMNS"] = "80"
    with redirect_stdout(io.StringIO()) as written:
        main([*verb, "--help"])
    return f"```text\n{written.getvalue().rstrip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
