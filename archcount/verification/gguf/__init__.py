"""A model as llama.cpp's GGUF files hold it: other names, the experts of a layer in one tensor, no sizes of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...checkpoint.entries import Entry
from ...checkpoint.faults import GgufError
from ...checkpoint.gguf import ARCHITECTURE, TOKENS
from ...checkpoint.gguf_names import gguf_names
from ...marks import MTP
from ...paths import layer_numbers
from ...quantization import Stored, plain
from ...quantization.siblings import Siblings
from ...rows import Row
from ...tree import Storage
from ..latent import LATENT, apart
from ..prediction import Prediction
from .forms import Forms
from .joined import joined
from .naming import Naming, without_ones

if TYPE_CHECKING:
    from ...model import Model


def as_gguf(model: Model, prediction: Prediction, metadata: Mapping[str, str], held: Mapping[str, Entry]) -> Prediction:
    """The prediction under GGUF's names, in the forms that the files hold.

    Types are not predicted: a GGUF writer chooses one for each tensor. Raises MissingExtraError; GgufError: an
    architecture, or a tensor, that the gguf package has no name for.
    """
    architecture = metadata.get(ARCHITECTURE, "")
    naming = Naming(architecture, gguf_names(architecture, _blocks(model.rows) + 1), held)
    stored = _stored(model, naming, _forms(model, metadata))
    _all_named(model, naming, stored)
    tied = [each for row in model.rows if row.tensor.storage is Storage.TIED for each in naming.named((row,))]
    return replace(
        prediction,
        stored=stored,
        tied={name: _repeating(row, naming.same_as(row.tensor.same_as)) for row in tied for name in row.names()},
        dtype=None,
        family=None,
        bases=(),
    )


def _stored(model: Model, naming: Naming, forms: Forms) -> tuple[Stored, ...]:
    """Every tensor in the form that the files hold; what they may leave out is optional."""
    in_file = (row for row in model.rows if row.tensor.storage.is_in_file)
    stored = joined((plain(each) for row in in_file for each in naming.chosen(forms.of(row))), naming.held)
    ahead = any(name in naming.held for each in stored if each.row.section == MTP for name in each.names())
    return tuple(_loosened(each, naming, ahead=ahead) for each in stored)


def _all_named(model: Model, naming: Naming, stored: Iterable[Stored]) -> None:
    """Raises GgufError: a tensor without a name of GGUF's, of which nobody can say whether the files hold it."""
    unnamed = {row.path for row in model.rows if row.tensor.storage.is_parameter}
    for each in stored:
        if each.path in unnamed and not each.is_optional and not any(name in naming.held for name in each.names()):
            what = f"the gguf package has no name for {each.pattern} in a file of architecture {naming.architecture!r}"
            raise GgufError(f"{what}: give the config the file was made from, or pip install -U gguf")


def as_entries(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The entries without the dimensions of size one, which GGUF writes or leaves out."""
    return {name: _plain_entry(entry) for name, entry in entries.items()}


def _forms(model: Model, metadata: Mapping[str, str]) -> Forms:
    latent = (row for row in model.rows if row.path[-2:] == LATENT)
    padding = model.raw.get("pad_token_id")
    return Forms(
        Siblings.of(model.rows),
        {row.path: tuple(apart(model, (row,), ("k_b_proj", "v_b_proj"))) for row in latent},
        _blocks(row for row in model.rows if row.section == ""),
        model.model_type,
        padding if isinstance(padding, int) else None,
        int(metadata[TOKENS]) if TOKENS in metadata else None,
        _fed(model.raw.get("vision_config")),
    )


def _fed(vision: object) -> tuple[int, ...]:
    """The layers of a tower that Qwen3-VL's further mergers read."""
    layers = vision.get("deepstack_visual_indexes") if isinstance(vision, dict) else None
    return tuple(int(layer) for layer in layers) if isinstance(layers, list) else ()


def _blocks(rows: Iterable[Row]) -> int:
    """One more than the highest number of a layer."""
    numbers = (layer_numbers(row.path) for row in rows)
    return max((max(where) + 1 for where in numbers if where), default=0)


def _plain_entry(entry: Entry) -> Entry:
    if 1 not in entry.shape:
        return entry
    return Entry(entry.dtype, without_ones(entry.shape), entry.data_offsets)


def _loosened(stored: Stored, naming: Naming, *, ahead: bool) -> Stored:
    return replace(
        stored,
        shape=without_ones(stored.shape),
        dtype=None,
        is_optional=naming.is_optional(stored.row, ahead=ahead),
        is_foretold=not naming.is_left_out(stored.row),
    )


def _repeating(row: Row, same_as: str) -> Row:
    return replace(row, tensor=replace(row.tensor, shape=without_ones(row.tensor.shape), same_as=same_as))
