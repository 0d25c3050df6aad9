"""Whether the tensors of an EXL2 module agree on what its writer chose: how many groups, of which widths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ..checkpoint.entries import Entry
from ..dim import ceil_div
from ..quantization import Stored
from .findings import Finding, Kind, by_name

WEIGHT, ORDER = ".q_weight", ".q_invperm"
BY_GROUP = {".q_scale": 1, ".q_scale_max": 1, ".q_groups": 2}  # rows a group
NARROWEST, WIDEST, WORD = 2, 8, 32  # bits


def uneven(stored: Iterable[Stored], entries: Mapping[str, Entry]) -> Iterator[Finding]:
    """A finding for the modules whose packed tensors cannot go together; a tensor that is not there is not asked."""
    if not any(each.path[-1] == WEIGHT[1:] for each in stored):
        return
    found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name in entries:
        if name.endswith(WEIGHT):
            for subject, fault in _faults(name.removesuffix(WEIGHT), entries):
                found[fault].append(subject)

    def elements_of(name: str) -> int:
        return entries[name].elements

    for (why, expected, held), names in found.items():
        yield from by_name(Kind.WRONG_SHAPE, names, elements_of, why, expected=expected, found=held)


def _faults(module: str, entries: Mapping[str, Entry]) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The tensor, and what is wrong with it: why, what was expected, what was found."""
    rows = {last: shape[0] for last in (WEIGHT, ORDER, *BY_GROUP) if (shape := _shape(entries, f"{module}{last}"))}
    counts = {
        last: rows[last] // each if rows[last] % each == 0 else None for last, each in BY_GROUP.items() if last in rows
    }
    if len(set(counts.values())) > 1:
        held = ", ".join(f"{last[1:]} {rows[last]}" for last in counts)
        yield f"{module}{next(iter(counts))}", ("its tensors differ in their groups", "one number of groups", held)
    if WEIGHT in rows and ORDER in rows:
        least, most = (int(ceil_div(rows[ORDER] * bits, WORD)) for bits in (NARROWEST, WIDEST))
        if not least <= rows[WEIGHT] <= most:
            why = f"no widths from {NARROWEST} to {WIDEST} bits make so many words"
            yield f"{module}{WEIGHT}", (why, f"{least} to {most} rows", f"{rows[WEIGHT]} rows")


def _shape(entries: Mapping[str, Entry], name: str) -> tuple[int, ...]:
    entry = entries.get(name)
    return entry.shape if entry else ()
