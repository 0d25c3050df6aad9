"""A finished page goes out: to the screen, or as JSON, Markdown or CSV."""

from __future__ import annotations

import os
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

    Raises UsageError: both asked for, and not the same; an output that is closed or full.
    """
    if sys.stdout is None:
        raise UsageError("the answer cannot be written: the output is closed")
    if as_json and style not in (Style.TABLE, Style.JSON):
        raise UsageError(f"--json and --format {style.value}: choose one")
    try:
        _write(page, Style.JSON if as_json else style)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left (`| head`): nothing more may be written, not even at exit
        _write_no_more()
    except OSError as error:
        _write_no_more()
        raise UsageError(f"the answer cannot be written: {error.strerror}") from error


def _write_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(page: Page, style: Style) -> None:
    if style is Style.TABLE:
        from .terminal import print_page

        print_page(page)
        return
    from . import text

    if style is Style.JSON:
        written = text.json_page(page, sys.stdout.encoding or "utf-8")
    else:
        written = text.markdown(page) if style is Style.MARKDOWN else text.comma_separated(page)
    sys.stdout.write(f"{written}\n")
