"""From the elements that files store to the parameters of the config, one step a cause, each with its sum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from ..checkpoint.entries import Entry
from ..marks import MTP
from ..quantization import Stored
from ..tree import Storage
from .findings import Step
from .matching import Held
from .prediction import Prediction
from .sorting import Sorted

CALLED_BUFFERS = {
    "e_score_correction_bias": "the routers' correction biases",
    "expert_bias": "the routers' expert biases",
    "layer_scalar": "the layers' scalars",
}
"""Learned and stored, so parameters here; other counts leave them out because some code keeps them as buffers."""


def parameters_held(found: Sorted) -> int:
    """How many of the config's parameters the files hold with the shape predicted, prediction ahead left out."""
    return sum(_logical(held) for held in found.matching.held if _is_main(held.stored))


def ladder(prediction: Prediction, found: Sorted, stored: int, repeated: int = 0) -> tuple[Step, ...]:
    """The steps; those that would change nothing are left out. `repeated` of the `stored` are in a second shard."""
    steps, total = [Step("stored elements", None, stored)], stored
    for label, elements in (("less what is in several shards", -repeated), *_steps_down(found)):
        if elements:
            total += elements
            steps.append(Step(label, elements, total))
    steps.append(Step("parameters in the files", None, total))
    for label, elements in _steps_to_config(found):
        if elements:
            total += elements
            steps.append(Step(label, elements, total))
    steps.append(Step("the config's count", None, prediction.declared))
    return (*steps, *called_buffers(prediction))


def _steps_down(found: Sorted) -> Iterator[tuple[str, int]]:
    held = found.matching.held
    packed = [each for each in held if not each.stored.is_bookkeeping]
    yield "less scales, zero points and the like", -sum(each.elements for each in held if each.stored.is_bookkeeping)
    yield "packed weights unpacked", sum(_logical(each) - each.elements for each in packed)
    buffers = sum(_logical(each) for each in packed if each.stored.row.tensor.storage is Storage.BUFFER)
    yield "less buffers", -buffers - _elements(entry for entry, _ in found.buffers.values())
    copies = [each for each in packed if each.stored.row.tensor.storage is Storage.COPY]
    again = sum(_logical(each) for each in copies if each.stored.row.section == MTP)  # the main model's table and head
    elsewhere = sum(map(_logical, copies)) - again
    yield "less tensors stored a second time", -elsewhere - _elements(one.entry for one in found.tied)
    yield "less copies within multi-token prediction", -again
    ahead = (each for each in packed if each.stored.row.tensor.storage is Storage.OWN)
    declared = sum(_logical(each) for each in ahead if each.stored.row.section == MTP)
    yield "less multi-token prediction", -declared - _elements(found.ahead.values())
    yield "less tensors of another shape", -_elements(one.entry for one in found.matching.misshapen)
    yield "less tensors the config does not foretell", -_elements(found.unexpected.values())


def _steps_to_config(found: Sorted) -> Iterator[tuple[str, int]]:
    yield "with what is missing", sum(one.represents for one in found.missing.values() if _is_main(one))
    left_out = (one for one in found.matching.absent.values() if one.is_optional and _is_main(one))
    yield "with what the format leaves out", sum(one.represents for one in left_out)
    misshapen = (one.stored for one in found.matching.misshapen)
    yield "with the other shapes as predicted", sum(one.represents for one in misshapen if _is_main(one))


def called_buffers(prediction: Prediction) -> Iterator[Step]:
    """The counts of others, who leave some parameters out."""
    for last, label in CALLED_BUFFERS.items():
        rows = {id(each.row): each.row for each in prediction.stored if each.path[-1] == last and _is_main(each)}
        elements = sum(row.elements for row in rows.values())
        if elements:
            yield Step(f"without {label}, which some call buffers", -elements, prediction.declared - elements, True)


def _is_main(stored: Stored) -> bool:
    """A parameter of the model a user loads?"""
    return stored.row.tensor.storage is Storage.OWN and stored.row.section != MTP


def _logical(held: Held) -> int:
    return held.stored.represents * held.count


def _elements(entries: Iterable[Entry]) -> int:
    return sum(math.prod(entry.shape) for entry in entries)
