"""Rewrite docs/cli.md from the commands' help, docs/architectures.md from the registry: `python -m archcount.cli`."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path

from .main import main
from .verbs import VERBS

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
FAMILIES = PAGE.with_name("architectures.md")
FAMILIES_HEAD = """# The architectures

Every model_type that can be counted, the file of its rule under `archcount/architectures/`, and what its default config
holds. Made from the registry by `python -m archcount.cli`.
"""
HEAD = """# The command line

Made from the commands' own `--help` by `python -m archcount.cli`.

Exit codes: 0 yes; 1 no (a mismatch, a check that fails, a difference with `--exit-code`); 2 wrong use or bad input: one
line on stderr says what is wrong, and nothing is on stdout. Where `verify` or `check` could not tell, they end with 2
too, and print what they can.
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


def families() -> str:
    """The Markdown of docs/architectures.md."""
    with redirect_stdout(io.StringIO()) as written:
        main(["architectures", "--format", "markdown"])
    return f"{FAMILIES_HEAD}\n{written.getvalue()}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    FAMILIES.write_text(families(), encoding="utf-8")
