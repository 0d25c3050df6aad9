"""What files say about themselves (total_size, total_parameters), held against what their headers add up to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath

from ..checkpoint.result import Checkpoint
from ..quantization import Stored
from ..tree import Storage, Use
from .findings import Finding, Kind
from .ladder import called_buffers, parameters_held
from .prediction import Prediction
from .sorting import Sorted

BYTES, PARAMETERS = "total_size", "total_parameters"


@dataclass(frozen=True, slots=True)
class Claim:
    """A total that a file states: which (`total_size`), where, and how much."""

    key: str
    file: str
    value: int


@dataclass(frozen=True, slots=True)
class Sums:
    """What the headers add up to: elements, bytes of tensors, bytes of files (-1 where a size is not known).

    `vectors` are the tensors of one dimension: their elements and their bytes.
    """

    elements: int
    tensors: int
    files: int
    vectors: tuple[int, int]

    @classmethod
    def of(cls, checkpoint: Checkpoint, elements: int) -> Sums:
        """Added up once; there may be a hundred thousand entries."""
        vectors = [entry for entry in checkpoint.entries.values() if len(entry.shape) == 1]
        sizes = sum(entry.elements for entry in vectors), sum(entry.bytes for entry in vectors)
        return cls(elements, checkpoint.data_bytes, checkpoint.file_bytes or -1, sizes)


def claims_of(checkpoint: Checkpoint) -> Iterator[Claim]:
    """Every total in the index's metadata, unless files of it are missing, and in the headers' `__metadata__`."""
    index = checkpoint.index
    stated = [(index.file, index.metadata)] if index and not checkpoint.missing else []
    for file, metadata in (*stated, *((shard.file, shard.header.metadata) for shard in checkpoint.shards)):
        for key in (BYTES, PARAMETERS):
            value = _whole(metadata.get(key))
            if value is not None:
                yield Claim(key, file, value)


def wrong_totals(checkpoint: Checkpoint, prediction: Prediction, found: Sorted, elements: int) -> Iterator[Finding]:
    """A finding for each claim that is not so, with what it equals where that is plain; `elements` are those stored."""
    claims = list(claims_of(checkpoint))
    if not claims:
        return
    sums = Sums.of(checkpoint, elements)
    parameters = {prediction.declared, parameters_held(found), *_with_more(prediction)}
    right = {BYTES: {sums.tensors}, PARAMETERS: parameters}
    for claim in claims:
        shard = next((shard for shard in checkpoint.shards if shard.file == claim.file), None)
        own = {sum(entry.bytes for entry in shard.header.entries.values())} if shard and claim.key == BYTES else set()
        if claim.value not in right[claim.key] | own:
            yield _wrong(claim, sums, prediction, found)


def _wrong(claim: Claim, sums: Sums, prediction: Prediction, found: Sorted) -> Finding:
    """A claim that adds up the same tensors by another convention is a note; one that leaves tensors out is wrong."""
    is_bytes = claim.key == BYTES
    truth = sums.tensors if is_bytes else prediction.declared
    fair = _fair_bytes(sums, found) if is_bytes else _fair_parameters(sums, prediction)
    unfair = _unfair_bytes(sums) if is_bytes else _unfair_parameters(sums)
    is_fair = next((what for what, value in fair if value == claim.value), "")
    is_unfair = next((what for what, value in unfair if value == claim.value), "")
    difference = f"{abs(claim.value - truth):,} too {'many' if claim.value > truth else 'few'}"
    return Finding(
        Kind.OTHER_TOTAL if is_fair else Kind.WRONG_TOTAL,
        f"{claim.key} in {PurePath(claim.file).name}",
        cause=f"it is {is_fair or is_unfair}" if is_fair or is_unfair else difference,
        expected=f"{truth:,}",
        found=f"{claim.value:,}",
    )


def _with_more(prediction: Prediction) -> Iterator[int]:
    """The parameters with the prediction ahead, and with that and the copies: each is a right answer to a question."""
    kept = [each for each in prediction.stored if not each.is_bookkeeping]
    yield _represented(each for each in kept if each.row.tensor.storage is Storage.OWN)
    yield _represented(each for each in kept if each.row.tensor.storage is not Storage.BUFFER)


def _fair_parameters(sums: Sums, prediction: Prediction) -> Iterator[tuple[str, int]]:
    tied = sum({row.tensor.same_as: row.tensor.elements for row in prediction.tied.values()}.values())
    yield "the parameters with the tied tensors counted twice", prediction.declared + tied
    buffers = [each for each in prediction.stored if each.row.tensor.storage is Storage.BUFFER]
    yield "the parameters with the buffers", prediction.declared + _represented(buffers)
    tables = (each for each in buffers if each.row.tensor.use is Use.LOOKUP)
    yield "the parameters with the computed tables of positions", prediction.declared + _represented(tables)
    for step in called_buffers(prediction):
        yield f"the parameters {step.label}", step.total
    yield "the elements stored, packed as they are", sums.elements


def _unfair_parameters(sums: Sums) -> Iterator[tuple[str, int]]:
    yield "only the one-dimensional tensors", sums.vectors[0]
    yield "the bytes of the tensors", sums.tensors
    yield "the bytes of the files", sums.files


def _fair_bytes(sums: Sums, found: Sorted) -> Iterator[tuple[str, int]]:
    again = sum(one.entry.bytes for one in found.tied)
    buffers = sum(entry.bytes for entry, _ in found.buffers.values())
    yield "the bytes of the files, their headers in it", sums.files
    yield "the bytes without the tied tensors' second copies", sums.tensors - again
    yield "the bytes without the buffers", sums.tensors - buffers
    yield "the bytes of parameters alone", sums.tensors - again - buffers


def _unfair_bytes(sums: Sums) -> Iterator[tuple[str, int]]:
    for width in (2, 4):
        yield f"its elements at {width} bytes each", sums.elements * width
    yield "only the one-dimensional tensors", sums.vectors[1]
    yield "the elements, not the bytes", sums.elements


def _represented(stored: Iterable[Stored]) -> int:
    return sum(each.represents * each.times for each in stored)


def _whole(value: object) -> int | None:
    """A whole number, as JSON has it or as a header's text."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() and len(value) < 20 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
