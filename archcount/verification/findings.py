"""What can be said about weights held against a config: findings, the verdict over them, and the ladder of sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from .patterns import by_pattern

FIRST = 5  # names that a finding keeps


class Verdict(StrEnum):
    """Do the files hold what the config says?"""

    MATCH = "match"
    MATCH_WITH_NOTES = "match with notes"
    MISMATCH = "mismatch"


class Kind(StrEnum):
    """What a finding is; docs/verify.md says what each means."""

    MISSING = "missing"
    UNEXPECTED = "unexpected"
    WRONG_SHAPE = "wrong shape"
    WRONG_DTYPE = "wrong dtype"
    MTP_NOT_STORED = "declared, not stored"
    INDEX_DISAGREES = "index and headers disagree"
    SHARD_MISSING = "shard missing"
    STORED_TWICE = "in several shards"
    IDENTICAL_SHARDS = "identical shards"
    WRONG_TOTAL = "self-declared total wrong"
    OTHER_TOTAL = "self-declared total of something else"
    MTP_NOT_DECLARED = "stored, not declared"
    TIED_STORED = "tied tensor stored"
    LEFT_OUT = "left out"
    COPY_ABSENT = "copy absent"
    BUFFER_STORED = "buffer stored"
    BUFFER_ABSENT = "buffer absent"
    BOOKKEEPING = "quantization bookkeeping"
    WRITERS_BIAS = "bias of the quantizer"
    OTHER_SPELLING = "another spelling"
    KEPT_WIDER = "kept wider"
    NAMES_ONLY = "names only"
    ODD_HEADER = "odd header"


NOTES = frozenset(
    {
        Kind.MTP_NOT_DECLARED,
        Kind.TIED_STORED,
        Kind.LEFT_OUT,
        Kind.COPY_ABSENT,
        Kind.BUFFER_STORED,
        Kind.BUFFER_ABSENT,
        Kind.OTHER_TOTAL,
        Kind.BOOKKEEPING,
        Kind.WRITERS_BIAS,
        Kind.OTHER_SPELLING,
        Kind.KEPT_WIDER,
        Kind.NAMES_ONLY,
        Kind.ODD_HEADER,
    }
)
"""Kinds that leave the answer yes: the config's tensors are there, and something stands beside them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference, or one thing to know, for all the tensors it holds of.

    `subject` is the pattern of their names (or a file), `count` how many, `elements` how many numbers they hold in the
    files (as predicted, where they are not there), `names` the first few. `expected` and `found` are shapes or types
    where those differ. `cause` says why, "" where that is not plain.
    """

    kind: Kind
    subject: str
    count: int = 1
    elements: int = 0
    cause: str = ""
    expected: str = ""
    found: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_note(self) -> bool:
        """True where the finding does not stand against a match."""
        return self.kind in NOTES


def by_name(
    kind: Kind,
    names: Iterable[str],
    elements_of: Callable[[str], int],
    cause: str = "",
    *,
    expected: str = "",
    found: str = "",
) -> Iterator[Finding]:
    """A finding for each pattern of these names; `elements_of` tells how many numbers the tensor of a name holds."""
    for pattern, alike in by_pattern(names):
        elements, first = sum(map(elements_of, alike)), tuple(alike[:FIRST])
        yield Finding(kind, pattern, len(alike), elements, cause, expected, found, first)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the ladder: a cause, the elements it adds or takes away, and the sum after it.

    `elements` is None where the line only names the sum; an `is_aside` line is no part of the sums, its `total` is the
    figure that someone who leaves the elements out arrives at.
    """

    label: str
    elements: int | None
    total: int
    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer: `verdict`, the `findings` it comes from, and the `ladder` from stored elements to the config's count.

    `parameters` is what the files hold of the config's parameters, `declared` the config's own count. The ladder is
    empty where only names are known. `fits` is the class whose tensors the files hold to the last one, where that is
    not the config's; "" where there is none, or where it is.
    """

    model: str
    model_type: str
    source: str
    revision: str | None
    files: str
    findings: tuple[Finding, ...]
    ladder: tuple[Step, ...]
    stored: int | None
    parameters: int | None
    declared: int
    passed_over: tuple[tuple[str, str], ...]
    fits: str = ""

    @property
    def verdict(self) -> Verdict:
        """match · match with notes · mismatch."""
        if any(not finding.is_note for finding in self.findings):
            return Verdict.MISMATCH
        return Verdict.MATCH_WITH_NOTES if self.findings else Verdict.MATCH
