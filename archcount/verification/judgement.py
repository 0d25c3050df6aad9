"""From sorted tensors to findings: by pattern, with how many, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from ..checkpoint.dtypes import header_bits, is_scale, is_whole
from ..checkpoint.entries import Entry
from ..marks import MAIN
from ..quantization import ANY_LENGTH, Stored
from ..tree import Role, Storage, Use
from .causes import Causes
from .findings import FIRST, Finding, Kind, by_name
from .groups import uneven
from .matching import Differing, bits_of, shape_of
from .patterns import common
from .prediction import Prediction
from .scales import uneven_scales
from .sorting import Sorted

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

MATRICES = frozenset({Use.MATMUL, Use.LOOKUP, Use.CONVOLUTION})
BYTES, WORD = "U8", 32  # what small numbers are packed into: the type of bytes, the bits of a word
EXPONENTS = "F8_E8M0"  # of scales that are powers of two


def tensor_findings(prediction: Prediction, found: Sorted, causes: Causes) -> Iterator[Finding]:
    """What differs between the tensors predicted and those stored, the worst first."""
    yield from _absent(Kind.MISSING, found.missing, causes.of_missing)
    yield from _stored(Kind.UNEXPECTED, found.unexpected, lambda name, _: causes.of_unexpected(name))
    yield from _misshapen(found.matching.misshapen, causes)
    yield from uneven(prediction.stored, causes.checkpoint.entries)
    yield from uneven_scales(prediction.stored, causes.checkpoint.entries)
    yield from _mistyped(found.matching.mistyped, prediction)
    ahead = "multi-token prediction: the config declares it"
    if found.absent_ahead:
        yield _whole(Kind.MTP_NOT_STORED, found.absent_ahead, lambda one: one.elements // one.times, ahead)
    undeclared = "multi-token prediction: the config declares none"
    yield from _stored(Kind.MTP_NOT_DECLARED, found.ahead, lambda *_: undeclared)
    yield from _left_out(found.matching.absent)
    yield from _tied(found.tied)
    yield from _absent(Kind.COPY_ABSENT, found.absent_copies, lambda _, one: f"a copy of {one.row.tensor.same_as}")
    buffers = {name: entry for name, (entry, _) in found.buffers.items()}
    yield from _stored(Kind.BUFFER_STORED, buffers, lambda name, _: f"{found.buffers[name][1]}, no parameter")
    yield from _absent(Kind.BUFFER_ABSENT, found.absent_buffers, lambda *_: "no parameter")
    yield from _bookkeeping(found)
    yield from _spelled(found)


def _stored(kind: Kind, entries: Mapping[str, Entry], cause: Callable[[str, Entry], str]) -> Iterator[Finding]:
    groups = _grouped(entries.items(), lambda item: (cause(*item), item[1].shape, item[1].dtype))

    def elements_of(name: str) -> int:
        return entries[name].elements

    for (why, shape, dtype), items in groups.items():
        size = f"{words(shape)} {dtype}" if dtype else ""  # of a name in an index of pickles nothing is known
        yield from by_name(kind, (name for name, _ in items), elements_of, why, found=size)


def _absent(kind: Kind, absent: Mapping[str, Stored], cause: Callable[[str, Stored], str]) -> Iterator[Finding]:
    groups = _grouped(absent.items(), lambda item: (cause(*item), id(item[1])))

    def elements_of(name: str) -> int:
        return absent[name].elements // absent[name].times

    for (why, _), items in groups.items():
        size = words(shape_of(items[0][1]))
        yield from by_name(kind, (name for name, _ in items), elements_of, why, expected=size)


def _left_out(absent: Mapping[str, Stored]) -> Iterator[Finding]:
    """A note for each section, a tower or a head, of which the files hold nothing and need not."""
    optional = ((name, one) for name, one in absent.items() if one.is_optional and not one.is_bookkeeping)
    own = (item for item in optional if item[1].row.tensor.storage is Storage.OWN)
    for section, items in _grouped(own, lambda item: item[1].row.section).items():
        why = f"{section or MAIN}: files of this kind may leave it out, or have it beside them"
        yield _whole(Kind.LEFT_OUT, dict(items), lambda one: one.represents, why)


def _whole(kind: Kind, absent: Mapping[str, Stored], elements_of: Callable[[Stored], int], why: str) -> Finding:
    """One finding for all of them, under what their names have in common."""
    names = tuple(absent)
    return Finding(kind, common(names), len(names), sum(map(elements_of, absent.values())), why, names=names[:FIRST])


def _misshapen(differing: Iterable[Differing], causes: Causes) -> Iterator[Finding]:
    def key(one: Differing) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        return causes.of_shape(one.stored.shape, one.entry.shape), shape_of(one.stored), one.entry.shape

    for (why, predicted, shape), ones in _grouped(differing, key).items():
        sizes = {one.name: one.entry.elements for one in ones}
        expected, held = words(predicted), words(shape)
        yield from by_name(Kind.WRONG_SHAPE, sizes, sizes.__getitem__, why, expected=expected, found=held)


def _mistyped(differing: Iterable[Differing], prediction: Prediction) -> Iterator[Finding]:
    def key(one: Differing) -> tuple[Kind, str, str, str]:
        predicted = one.stored.dtype or prediction.dtype or ""
        kind, why = _kind_of_type(one, predicted)
        return kind, why, predicted, one.entry.dtype

    for (kind, why, predicted, dtype), ones in _grouped(differing, key).items():
        sizes = {one.name: one.entry.elements for one in ones}
        yield from by_name(kind, sizes, sizes.__getitem__, why, expected=predicted, found=dtype)


def _kind_of_type(one: Differing, predicted: str) -> tuple[Kind, str]:
    """A matrix of another width is a mismatch; a vector kept wider or a scale of another type is a writer's choice."""
    bits, dtype, tensor = bits_of(predicted) or 0, one.entry.dtype, one.stored.row.tensor
    if header_bits(dtype) is None:
        return Kind.WRONG_DTYPE, "a type that the format does not have"
    are_fractions = is_scale(predicted) and is_scale(dtype)
    if one.stored.is_bookkeeping:
        is_usual = are_fractions or (is_scale(predicted) and dtype == EXPONENTS) or _are_indices(one, predicted)
        kind = Kind.KEPT_WIDER if is_usual else Kind.WRONG_DTYPE
        return kind, "bookkeeping in another type than is usual"
    is_matrix = tensor.use in MATRICES and one.stored.row.role is not Role.ROUTER
    if not is_matrix and are_fractions and (one.entry.bits or 0) > bits:
        return Kind.KEPT_WIDER, "a vector or a router in a wider type than the matrices"
    if one.stored.dtype is not None and one.stored.dtype != tensor.dtype:
        return Kind.WRONG_DTYPE, "the config says that it is quantized"
    if is_scale(predicted) and is_whole(dtype):
        return Kind.WRONG_DTYPE, "whole numbers, where the config's own type has fractions"
    return Kind.WRONG_DTYPE, "another width than the config's own type"


def _are_indices(one: Differing, predicted: str) -> bool:
    """Whole numbers, one an element, in another width: not raw bytes, nor a matrix of words that hold several each."""
    are_packed = bits_of(predicted) == WORD and len(one.stored.shape) > 1
    types, is_wide = (predicted, one.entry.dtype), (one.entry.bits or 0) >= min(WORD, bits_of(predicted) or 0)
    return not are_packed and is_wide and all(is_whole(each) and header_bits(each) and each != BYTES for each in types)


def _tied(tied: Iterable[Differing]) -> Iterator[Finding]:
    for same_as, ones in _grouped(tied, lambda one: one.stored.row.tensor.same_as).items():
        sizes = {one.name: one.entry.elements for one in ones}
        size, why = words(shape_of(ones[0].stored)), f"stored again: tied to {same_as}"
        yield from by_name(Kind.TIED_STORED, sizes, sizes.__getitem__, why, found=size)


def _bookkeeping(found: Sorted) -> Iterator[Finding]:
    """One note for each last part: `weight_scale_inv`, `qzeros`."""
    counts, elements = Counter[tuple[Kind, str]](), Counter[tuple[Kind, str]]()
    for held in found.matching.held:
        if held.stored.is_bookkeeping:
            last = held.stored.pattern.rpartition(".")[2]
            key = (Kind.WRITERS_BIAS if last == "bias" else Kind.BOOKKEEPING, last)
            counts[key] += held.count
            elements[key] += held.elements
    for (kind, last), count in counts.items():
        why = "the quantizer writes one for every matrix" if kind is Kind.WRITERS_BIAS else "no parameters"
        yield Finding(kind, f"….{last}", count, elements[kind, last], why)


def _spelled(found: Sorted) -> Iterator[Finding]:
    for how, ones in _grouped(found.spelled, lambda one: one.how).items():
        met = tuple(one.met for one in ones)
        yield Finding(Kind.OTHER_SPELLING, how, len(met), cause=f"{met[0]} is {ones[0].ours}", names=met[:FIRST])


def words(shape: tuple[int, ...]) -> str:
    """`[4096, 1024]`."""
    return str(list(shape)).replace(str(ANY_LENGTH), "any")


def _grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups
