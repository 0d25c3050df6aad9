"""Where every entry of the files belongs once names are matched: spelled otherwise, tied, a buffer, or unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..checkpoint.entries import Entry
from ..marks import MTP
from ..quantization import Stored, plain
from ..tree import Storage
from .buffers import known_buffer
from .choices import choice_of
from .matching import Differing, Held, Matching, match, shape_of
from .prediction import Prediction
from .spelling import Known, Spelled, translate

MTP_PARTS = frozenset({"mtp", "mtp_layers", "mtp_block", "mtp_emb_norm", "mtp_hidden_norm", "mtp_linear_proj"})
"""First or second parts of the names of layers that predict further tokens, where they are no numbered layers."""
MTP_MARKS = (".eh_proj.weight", ".enorm.weight", ".hnorm.weight")  # what an extra layer holds only if it predicts ahead


@dataclass(slots=True)
class Sorted:
    """Every entry of the files in one place, and every absent tensor in one.

    `tied` are stored though another name holds them; `ahead` predict further tokens and are not declared; `missing`
    should be there; `absent_ahead` are a whole multi-token prediction that is declared and not stored.
    """

    matching: Matching
    spelled: list[Spelled] = field(default_factory=list)
    tied: list[Differing] = field(default_factory=list)
    buffers: dict[str, tuple[Entry, str]] = field(default_factory=dict)
    ahead: dict[str, Entry] = field(default_factory=dict)
    unexpected: dict[str, Entry] = field(default_factory=dict)
    missing: dict[str, Stored] = field(default_factory=dict)
    absent_ahead: dict[str, Stored] = field(default_factory=dict)
    absent_copies: dict[str, Stored] = field(default_factory=dict)
    absent_buffers: dict[str, Stored] = field(default_factory=dict)


def sort(prediction: Prediction, entries: dict[str, Entry], *, names_only: bool = False) -> Sorted:
    """Match, and give what is left over its place; with `names_only` the entries' shapes say nothing."""
    matching = match(prediction.stored, entries, prediction.dtype, names_only=names_only)
    found = Sorted(matching)
    if matching.rest:
        _translate(prediction, found)
        _take_twins(prediction, found)
        _take_tied(prediction, found)
        _take_buffers(found)
        _take_ahead(prediction, found)
        found.unexpected = matching.rest
    _sort_absent(found)
    return found


def _translate(prediction: Prediction, found: Sorted) -> None:
    if prediction.family is None:
        return
    matching, dtype = found.matching, prediction.dtype
    wanted = matching.absent.keys() | prediction.tied.keys()
    firsts = (held.stored.path[0] for held in matching.held)
    settled = frozenset(first for first in firsts if isinstance(first, str))
    counts = Counter(name.partition(".")[0] for name in matching.rest)
    shared = frozenset(first for first, count in counts.items() if count > 1)
    known = Known(prediction.family, prediction.bases, settled, shared)
    spelled = list(translate(matching.rest, wanted, known))
    kinds: dict[int, tuple[Stored, dict[str, Entry]]] = {}
    for each in spelled:
        entry = matching.rest.pop(each.met)
        stored = matching.absent.pop(each.ours, None)
        if stored is None:
            matching.rest[each.ours] = entry  # a tied name: sorted with the others of its kind
        else:
            kinds.setdefault(id(stored), (stored, {}))[1][each.met] = entry
    for stored, entries in kinds.values():
        matching.take(stored, entries, dtype)
    found.spelled = spelled


def _take_twins(prediction: Prediction, found: Sorted) -> None:
    """A tensor that is absent, while another name that it is tied to is stored: writers choose which one to keep."""
    matching, is_free = found.matching, prediction.family is not None  # GGUF's readers look for the one alone
    for name, stored in list(matching.absent.items()) if prediction.tied and is_free else ():
        twin = next((twin for twin in prediction.twins(name) if twin in matching.rest), None)
        if twin is not None:
            matching.take(stored, {twin: matching.rest.pop(twin)}, prediction.dtype)
            del matching.absent[name]
            found.spelled.append(Spelled(twin, name, "under the other of its tied names"))


def _take_tied(prediction: Prediction, found: Sorted) -> None:
    rest = found.matching.rest
    for name in [name for name in rest if name in prediction.tied]:
        stored = plain(prediction.tied[name])
        one = Differing(name, stored, rest.pop(name))
        if found.matching.names_only or one.entry.shape == shape_of(stored):
            found.tied.append(one)
        else:
            found.matching.misshapen.append(one)


def _take_buffers(found: Sorted) -> None:
    rest, names_only = found.matching.rest, found.matching.names_only
    for name, entry in list(rest.items()):
        what = known_buffer(name, None if names_only else entry.shape)
        if what is not None:
            found.buffers[name] = rest.pop(name), what


def _take_ahead(prediction: Prediction, found: Sorted) -> None:
    if any(stored.row.section == MTP for stored in prediction.stored):
        return  # it is declared, so that anything more is unexpected
    rest, counts = found.matching.rest, prediction.layers()
    marked = {layer_beyond(name, counts) for name in rest if name.endswith(MTP_MARKS)} - {""}
    for name in list(rest):
        if MTP_PARTS.intersection(name.split(".", 2)[:2]) or layer_beyond(name, counts) in marked:
            found.ahead[name] = rest.pop(name)


def layer_of(name: str, prefixes: Iterable[str]) -> tuple[str, str]:
    """What stands before the number of a tensor's layer, and the number: `model.layers`, `61`; "" where it has none."""
    for prefix in prefixes:
        number, _, rest = name.removeprefix(f"{prefix}.").partition(".")
        if rest and number.isdecimal() and name.startswith(f"{prefix}."):
            return prefix, number
    return "", ""


def layer_beyond(name: str, counts: Mapping[str, int]) -> str:
    """The layer beyond those declared that a tensor belongs to (`model.layers.61`), "" where there is none."""
    prefix, number = layer_of(name, counts)
    return f"{prefix}.{number}" if prefix and int(number[:9]) >= counts[prefix] else ""


def _sort_absent(found: Sorted) -> None:
    ahead = {name: stored for name, stored in found.matching.absent.items() if stored.row.section == MTP}
    taken = {choice_of(held.stored) for held in found.matching.held} - {None}
    is_whole = not any(_is_own_ahead(held) for held in found.matching.held)
    for name, stored in found.matching.absent.items():
        is_taken = choice_of(stored) in taken
        if stored.is_optional and not is_taken:
            continue
        if is_taken and stored.row.tensor.storage is not Storage.BUFFER:
            found.missing[name] = stored
        elif name in ahead and is_whole:
            found.absent_ahead[name] = stored
        elif stored.row.tensor.storage is Storage.COPY:
            found.absent_copies[name] = stored
        elif stored.row.tensor.storage is Storage.BUFFER:
            found.absent_buffers[name] = stored
        else:
            found.missing[name] = stored


def _is_own_ahead(held: Held) -> bool:
    return held.stored.row.section == MTP and held.stored.row.tensor.storage is Storage.OWN
