"""A verification as JUnit's XML and as the annotations of a GitHub workflow, for whoever reads a build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from .verification import heading, why

if TYPE_CHECKING:
    from ..verification import Finding, Verification


def junit(answers: Sequence[Verification], *, strict: bool = False) -> str:
    """One suite a verification, one case a finding; a case fails where the finding does, with `strict` where any is.

    A match without findings is a suite of one case that passes.
    """
    suites = ElementTree.Element("testsuites")
    for answer in answers:
        failed = [finding for finding in answer.findings if strict or not finding.is_note]
        counts = {"tests": str(len(answer.findings) or 1), "failures": str(len(failed)), "errors": "0", "skipped": "0"}
        suite = ElementTree.SubElement(suites, "testsuite", {"name": _clean(heading(answer)), **counts})
        if not answer.findings:
            ElementTree.SubElement(suite, "testcase", {"classname": _clean(answer.model), "name": "match"})
        for finding in answer.findings:
            case = ElementTree.SubElement(
                suite, "testcase", {"classname": _clean(answer.model), "name": _name(finding)}
            )
            text = _clean(why(finding))
            if strict or not finding.is_note:
                ElementTree.SubElement(case, "failure", {"message": text or finding.kind.value})
            elif text:
                ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def workflow_commands(answer: Verification, *, strict: bool = False) -> Iterator[str]:
    """One workflow command a finding: `::error title=…::…`, a note as `::notice`."""
    for finding in answer.findings:
        level = "error" if strict or not finding.is_note else "notice"
        title = _property(f"{answer.model}: {finding.kind.value}")
        yield f"::{level} title={title}::{_data(': '.join(filter(None, (finding.subject, why(finding)))))}"


def _name(finding: Finding) -> str:
    return _clean(f"{finding.kind.value}: {finding.subject}")


def _clean(text: str) -> str:
    """Without the control characters that XML cannot hold; a header may name a tensor by any."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def _data(text: str) -> str:
    """As the workflow commands escape a message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
