"""A finished page goes out: to the screen, or as JSON, Markdown or CSV."""

from __future__ import annotations

import sys
from enum import StrEnum

from ..errors import UsageError
from .page import Page


class Style(StrEnum):
    """What `--format` takes."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


def show(page: Page, style: Style = Style.TABLE, as_json: bool = False) -> None:
    """Print a page on stdout; `as_json` is `--json`, short for `--format json`.

    Raises UsageError: both asked for, and not the same.
    """
    if as_json and style not in (Style.TABLE, Style.JSON):
        raise UsageError(f"--json and --format {style.value}: choose one")
    if style is Style.TABLE and not as_json:
        from .terminal import print_page

        print_page(page)
        return
    from . import text

    if as_json or style is Style.JSON:
        written = text.json_text(page.document())
    else:
        written = text.markdown(page) if style is Style.MARKDOWN else text.comma_separated(page)
    sys.stdout.write(f"{written}\n")
