"""The answer of `archcount verify`: the verdict, every finding with its cause, and the ladder of sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from .page import Column, Line, Note, Page, Table

if TYPE_CHECKING:
    from ..verification import Finding, Verification

FIRST = 5  # patterns of one kind that the screen lists
FINDINGS = (
    Column("finding", "finding"),
    Column("tensors", "tensors"),
    Column("count", "×", "count"),
    Column("elements", "elements", "count"),
    Column("why", "why", aside=True),
)
LADDER = (Column("step", "step"), Column("elements", "elements", "count"), Column("sum", "sum", "count"))
PASSED_OVER = "passed over: {} ({})"
FITS = "every tensor is that of {0}: correct the config's architectures, or add --set 'architectures=[\"{0}\"]'"


def verification_page(answer: Verification, *, in_full: bool = False) -> Page:
    """The page of one verification; `in_full` lists every pattern, not the first five of a kind."""
    blocks: list[Table | Note] = []
    if answer.findings:
        blocks.append(Table(FINDINGS, tuple(_findings(answer.findings, None if in_full else FIRST))))
    if answer.ladder:
        blocks.append(Table(LADDER, tuple(_ladder(answer))))
    blocks += (Note(PASSED_OVER.format(file, reason)) for file, reason in answer.passed_over)
    blocks.append(Note(f"verdict: {answer.verdict.value}", is_warning=answer.verdict.value == "mismatch"))
    if answer.fits:
        blocks.append(Note(FITS.format(answer.fits)))
    return Page(heading(answer), tuple(blocks), lambda: document(answer))


def heading(answer: Verification) -> str:
    """`gpt2: gpt2, against openai-community/gpt2 (single file)`."""
    at = f" at {answer.revision[:12]}" if answer.revision else ""
    return f"{answer.model}: {answer.model_type}, against {answer.source}{at} ({answer.files})"


def _findings(findings: Sequence[Finding], most: int | None) -> Iterator[Line]:
    for kind, group in groupby(findings, key=lambda finding: finding.kind):
        same = list(group)
        for finding in same[:most]:
            cells = (kind.value, finding.subject, finding.count, finding.elements or None, why(finding) or None)
            yield Line(cells, rank="plain" if finding.is_note else "group")
        if more := same[most:] if most is not None else []:
            count, elements = sum(each.count for each in more), sum(each.elements for each in more)
            yield Line((kind.value, f"{len(more)} more patterns (--all-patterns)", count, elements or None, None))


def why(finding: Finding) -> str:
    """The cause, and what was expected and found where those differ: `predicted [8, 4], found [4, 8]: …`."""
    differs = ""
    if finding.expected and finding.found:
        differs = f"predicted {finding.expected}, found {finding.found}"
    elif finding.expected or finding.found:
        differs = finding.expected or finding.found
    return ": ".join(filter(None, (differs, finding.cause)))


def _ladder(answer: Verification) -> Iterator[Line]:
    for step in answer.ladder:
        depth = int(step.is_aside)
        yield Line((step.label, step.elements, step.total), depth, "plain" if step.elements is not None else "group")


def document(answer: Verification) -> dict[str, object]:
    """The object that `--json` prints."""
    return {
        "model": answer.model,
        "model_type": answer.model_type,
        "weights": answer.source,
        "revision": answer.revision,
        "files": answer.files,
        "verdict": answer.verdict.value,
        "fits": answer.fits or None,
        "stored": answer.stored,
        "parameters": answer.parameters,
        "declared": answer.declared,
        "findings": [_finding(finding) for finding in answer.findings],
        "ladder": [asdict(step) for step in answer.ladder],
        "passed_over": [{"file": file, "reason": reason} for file, reason in answer.passed_over],
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind.value,
        "is_note": finding.is_note,
        "subject": finding.subject,
        "count": finding.count,
        "elements": finding.elements,
        "cause": finding.cause or None,
        "expected": finding.expected or None,
        "found": finding.found or None,
        "names": list(finding.names),
    }
