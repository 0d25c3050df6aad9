"""`archcount verify --all`: every known model's count against the figures published for it, or against its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from .page import Column, Line, Note, Page, Table
from .text import records

if TYPE_CHECKING:
    from ..sources.catalog import Known
    from ..verification import Verification

Progress = Callable[[int, int], None]
"""Called with how many models are done, of how many."""

COUNTS = (
    Column("name", "name"),
    Column("counted", "counted", "count"),
    Column("published", "published", "count"),
    Column("answer", "answer"),
)
FILES = (Column("name", "name"), Column("answer", "answer"), Column("notes", "notes", "count"), Column("why", "why"))
AGREES, DIFFERS, ROUNDED = "agrees", "differs", "in round figures"


@dataclass(frozen=True, slots=True)
class _Count:
    """A model's figures as counted and as published, in the order and under the names of the JSON document."""

    name: str
    counted: int
    published: int | str | None
    active: int | None
    published_active: int | None
    answer: str


def counts_page(models: Sequence[Known]) -> tuple[Page, bool]:
    """The page of the offline check, and whether every figure agrees."""
    counts = [_count(known) for known in models]
    table = Table(COUNTS, tuple(line for count in counts for line in _lines(count)))
    answers = Counter(count.answer for count in counts)
    right, exact = answers[AGREES], answers[AGREES] + answers[DIFFERS]
    said = f"{right} of {exact} known models count as published"
    if rounded := answers[ROUNDED]:
        said += f"; {rounded} more are published in round figures alone, and not checked"
    note = Note(said, is_warning=right < exact)
    return Page("", (table, note), lambda: {"models": [asdict(count) for count in counts]}), right == exact


def _count(known: Known) -> _Count:
    from ..model import load

    totals = load(known.name).totals
    active = totals.active if known.active is not None else None
    exact = ((known.parameters, totals.parameters), (known.active, totals.active))
    answer = DIFFERS if any(pinned not in (None, counted) for pinned, counted in exact) else AGREES
    if known.parameters is None:
        answer = ROUNDED
    published = known.parameters if known.parameters is not None else known.published
    return _Count(known.name, totals.parameters, published, active, known.active, answer)


def _lines(count: _Count) -> Iterator[Line]:
    yield Line((count.name, count.counted, count.published, count.answer))
    if count.active is not None:
        yield Line(("active", count.active, count.published_active, None), 1)


def files_page(models: Sequence[Known], on_progress: Progress | None) -> tuple[Page, list[Verification], bool]:
    """The page of the online check, the answers, and whether one could not be told.

    Raises HubUnreachableError: the first repository asked for cannot be reached, so neither can the others.
    """
    answers: list[Verification] = []
    lines: list[Line] = []
    for line in _files(models, answers):
        lines.append(line)
        if on_progress:
            on_progress(len(lines), len(models))
    table = Table(FILES, tuple(lines))
    has_failed = len(answers) < sum(known.repository is not None for known in models)
    return Page("", (table,), lambda: {"models": records(table)}), answers, has_failed


def _files(models: Sequence[Known], answers: list[Verification]) -> Iterator[Line]:
    from ..errors import ArchcountError, HubUnreachableError
    from ..verification import verify

    first = next((known for known in models if known.repository is not None), None)
    for known in models:
        if known.repository is None:
            yield Line((known.name, "no weights are published", None, None))
            continue
        try:
            answer = verify(known.name, known.repository)
        except ArchcountError as error:
            if known is first and isinstance(error, HubUnreachableError):
                raise
            yield Line((known.name, "could not tell", None, str(error)))
            continue
        answers.append(answer)
        worst = next((finding for finding in answer.findings if not finding.is_note), None)
        notes = sum(finding.is_note for finding in answer.findings)
        yield Line((known.name, answer.verdict.value, notes, f"{worst.kind.value}: {worst.subject}" if worst else None))
