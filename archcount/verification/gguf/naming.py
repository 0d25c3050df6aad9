"""How the GGUF files at hand spell a model, and which of the forms of a tensor they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ...checkpoint.entries import Entry
from ...dim import exact_div
from ...marks import MTP, TOWERS
from ...paths import layer_numbers, words
from ...rows import Row
from .shapes import LEFT_OUT, Form
from .spelling import Names, gguf_names_of

BLOCKS = frozenset({"blk", "deepstack"})  # what stands before the number of a layer
QKV, GROUPED_NORM = "attn_qkv", "ssm_norm"
NOWHERE = frozenset({"image generation"})  # sections that it has no code for
TOWER_FILE = "clip"  # the `general.architecture` of such a file
NOT_READ: dict[str, frozenset[str]] = {
    "bert": frozenset({"pooler", "cls", "lm_head", "vocab_transform", "vocab_layer_norm", "vocab_projector"}),
    "apertus": frozenset({"act_fn"}),  # whose numbers are metadata of the file
}
"""By `general.architecture`, the modules that the converter leaves out of a language model's file."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The table of names of the files' architecture, and the names that they hold."""

    architecture: str
    names: Names
    held: Mapping[str, Entry]

    def chosen(self, forms: Iterable[Form]) -> Form:
        """The form that the files hold, under GGUF's names; the first where they hold none."""
        named = [form for each in forms for form in self._recut(self.named(each))]
        held = [form for form in named if self._is_held(form)] or named
        return next((form for form in held if self._fits(form)), held[0])

    def named(self, form: Form) -> Form:
        """The tensors of a form under GGUF's names; one that the table has no name for keeps its own."""
        return tuple(self._renamed(each) for row in form for each in _numbered_once(row))

    def same_as(self, name: str) -> str:
        """GGUF's name of the tensor that a tied one repeats."""
        return next(iter(gguf_names_of(name, self.names)), name)

    def is_left_out(self, row: Row) -> bool:
        """Does the converter have no place for the tensor?"""
        not_read = NOT_READ.get(self.architecture, frozenset())
        return row.path[-1] == LEFT_OUT or row.section in NOWHERE or not not_read.isdisjoint(words(row.path))

    def is_optional(self, row: Row, *, ahead: bool) -> bool:
        """Does the converter leave the tensor to another file, or out? `ahead`: it did not so with what looks ahead."""
        if self.is_left_out(row) or row.section == MTP:
            return self.is_left_out(row) or not ahead
        is_of_tower = row.section in TOWERS  # which llama.cpp keeps in a file of its own
        return is_of_tower is not (self.architecture == TOWER_FILE)

    def _is_held(self, form: Form) -> bool:
        """Do the files hold any tensor of it?"""
        return any(name in self.held for row in form for name in row.names())

    def _fits(self, form: Form) -> bool:
        """Has every tensor of it that the files hold its shape?"""
        pairs = ((self.held.get(name), row.tensor.shape) for row in form for name in row.names())
        return all(entry is None or entry.shape == without_ones(shape) for entry, shape in pairs)

    def _renamed(self, row: Row) -> Row:
        """The row under GGUF's name, `blk` numbered as the layers are."""
        where = layer_numbers(row.path)
        choices = [tuple(_steps(name, where)) for name in gguf_names_of(next(row.names()), self.names)]
        named = [replace(row, path=path) for path in choices]
        return next((each for each in named if self._is_held((each,))), named[0] if named else row)

    def _recut(self, form: Form) -> Iterator[Form]:
        """The form as it is; queries, keys and values of one tensor apart, and the scales of a norm by its groups."""
        yield form
        if len(form) > 1:
            return
        row = form[0]
        if QKV in row.path and (row.grouped or row.tensor.shape[0] % 3 == 0):
            yield tuple(_apart(row))
        entry = self.held.get(next(row.names())) if GROUPED_NORM in row.path else None
        if entry and len(entry.shape) == 2 and entry.elements == row.tensor.elements:
            yield (row.shaped(entry.shape),)


def without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions of a shape but those of size one."""
    return tuple(size for size in shape if size != 1)


def _apart(row: Row) -> Iterator[Row]:
    """Queries, keys and values of one tensor, whose keys and values may be fewer."""
    rows, *rest = row.tensor.shape
    shared = row.grouped.rows if row.grouped else exact_div(2 * rows, 3)
    for name, size in (("attn_q", rows - shared), ("attn_k", exact_div(shared, 2)), ("attn_v", exact_div(shared, 2))):
        path = tuple(name if step == QKV else step for step in row.path)
        yield row.shaped((size, *rest), path)


def _numbered_once(row: Row) -> Iterator[Row]:
    """The row with only its layers numbered; any number behind theirs is spelled out, in a row for each."""
    numbered = [(at, step) for at, step in enumerate(row.path) if not isinstance(step, str)][1:]
    for numbers in product(*(step for _, step in numbered)):
        spelled = dict(zip((at for at, _ in numbered), map(str, numbers), strict=True))
        yield replace(row, path=tuple(spelled.get(at, step) for at, step in enumerate(row.path)))


def _steps(name: str, where: Sequence[int]) -> Iterator[str | Sequence[int]]:
    """`blk.3.attn_q.weight` for the layers 3 to 60 as a path."""
    before = ""
    for part in name.split("."):
        is_block = before in BLOCKS and len(where) > 0 and part == str(where[0])
        yield where if is_block else part
        before = part
