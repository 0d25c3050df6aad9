"""A verification as JUnit's XML and as the annotations of a GitHub workflow, for whoever reads a build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .builds import Element, case, document, failure, remark, suite, workflow_command
from .verification import FITS, heading, why

if TYPE_CHECKING:
    from ..verification import Verification


def junit(answers: Sequence[Verification], *, strict: bool = False) -> str:
    """One suite a verification, one case a finding; a case fails where the finding does, with `strict` where any is.

    A match without findings is a suite of one case that passes.
    """
    suites = Element("testsuites")
    for answer in answers:
        failed = [finding for finding in answer.findings if strict or not finding.is_note]
        inside = suite(suites, heading(answer), tests=len(answer.findings) or 1, failures=len(failed))
        if not answer.findings:
            case(inside, answer.model, "match")
        for finding in answer.findings:
            found, text = case(inside, answer.model, f"{finding.kind.value}: {finding.subject}"), why(finding)
            if strict or not finding.is_note:
                failure(found, text or finding.kind.value)
            elif text:
                remark(found, text)
    return document(suites)


def workflow_commands(answer: Verification, *, strict: bool = False) -> Iterator[str]:
    """One workflow command a finding: `::error title=…::…`, a note as `::notice`, and the class that fits."""
    for finding in answer.findings:
        level = "error" if strict or not finding.is_note else "notice"
        said = ": ".join(filter(None, (finding.subject, why(finding))))
        yield workflow_command(level, f"{answer.model}: {finding.kind.value}", said)
    if answer.fits:
        yield workflow_command("notice", f"{answer.model}: another class", FITS.format(answer.fits))
