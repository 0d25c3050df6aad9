"""What `archcount verify` does: one model, or the whole catalogue; the exit code says how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from ..errors import (
    ArchcountError,
    ConfigNotFoundError,
    ConfigValueError,
    RepositoryNotFoundError,
    UnknownArchitectureError,
    UsageError,
)

if TYPE_CHECKING:
    from ..show.page import Page
    from ..verification import Verification

MISMATCH, CANNOT_TELL = 1, 2
NOT_COUNTED = (ConfigNotFoundError, RepositoryNotFoundError, UnknownArchitectureError, ConfigValueError)
"""Without a config or a rule there may be weights all the same, whose headers say something."""


class Style(StrEnum):
    """What `--format` takes here."""

    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    JUNIT = "junit"


class Opening(TypedDict):
    """The options that say which model is meant."""

    settings: list[str] | None
    as_type: str | None
    revision: str | None
    rules: list[Path] | None


def verify_one(
    model: str | None, weights: str | None, style: Style, opening: Opening, *, strict: bool, in_full: bool
) -> int:
    """Verify, show the answer, and give the exit code.

    Raises ArchcountError: it cannot be told, and there are no headers to show instead.
    """
    from ..show.verification import verification_page
    from ..verification import verify
    from .opening import open_model
    from .progress import progress

    if model is None:
        raise UsageError("name a model, or give --all for every known one (archcount verify --help)")
    try:
        opened = open_model(model, **opening)
        with progress() as on_progress:
            answer = verify(opened, weights, revision=opening["revision"], on_progress=on_progress)
    except NOT_COUNTED as error:
        return _headers_instead(weights or model, style, opening["revision"], error)
    _annotate(answer, strict=strict)
    _show(verification_page(answer, in_full=in_full), style, [answer], strict=strict)
    return _code(answer, strict=strict)


def verify_catalogue(model: str | None, style: Style, *, online: bool, strict: bool) -> int:
    """Verify every known model: its count against its published figures, or its files where `online`.

    Raises UsageError: a model is named too. HubUnreachableError: there is no network.
    """
    from ..show.catalogue_check import counts_page, files_page
    from ..sources.catalog import known_models
    from .progress import progress

    if model is not None:
        raise UsageError(f"--all is every known model: leave {model} out, or --all")
    if not online:
        page, is_right = counts_page(known_models())
        _show(page, style, [])
        return 0 if is_right else MISMATCH
    with progress("verifying models") as on_progress:
        page, answers, has_failed = files_page(known_models(), on_progress)
    _show(page, style, answers, strict=strict)
    codes = [_code(answer, strict=strict) for answer in answers]
    return max(codes, default=0) or (CANNOT_TELL if has_failed else 0)


def _code(answer: Verification, *, strict: bool) -> int:
    fails = any(strict or not finding.is_note for finding in answer.findings)
    return MISMATCH if fails else 0


def _show(page: Page, style: Style, answers: Iterable[Verification], *, strict: bool = False) -> None:
    if style is Style.JUNIT:
        from ..show.junit import junit

        answers = list(answers)
        if not answers:
            raise UsageError("--format junit is for files that are verified: with --all, add --online")
        sys.stdout.write(f"{junit(answers, strict=strict)}\n")
        return
    from ..show.output import Style as Plain
    from ..show.output import show

    show(page, Plain(style.value))


def _annotate(answer: Verification, *, strict: bool) -> None:
    """Findings as annotations, where a GitHub workflow runs this; on stderr, since stdout may be JSON."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from ..show.junit import workflow_commands

    sys.stderr.writelines(f"{line}\n" for line in workflow_commands(answer, strict=strict))


def _headers_instead(source: str, style: Style, revision: str | None, error: ArchcountError) -> int:
    """The headers' own breakdown for a config that is not there or cannot be counted, said to be that.

    Raises the config's error where there are no headers either, or where JUnit was asked for: that has no case for it.
    """
    from ..checkpoint.sources import read_checkpoint
    from ..errors import CheckpointError, HubError
    from ..show.weights import weights_page
    from .progress import progress

    if style is Style.JUNIT:
        raise error
    try:
        with progress() as on_progress:
            checkpoint = read_checkpoint(source, revision=revision, on_progress=on_progress)
    except (CheckpointError, HubError):
        raise error from None
    _show(weights_page(checkpoint, (f"not verified: {error}",)), style, [])
    return CANNOT_TELL
