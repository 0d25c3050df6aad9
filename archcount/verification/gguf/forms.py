"""The tensors that llama.cpp's converter makes of one of a model's: split, turned, cut short, or left as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...marks import TOWERS
from ...paths import Path, layer_numbers, layer_of, words
from ...quantization.experts import DOWN, GATE_UP, stacked
from ...quantization.siblings import Siblings
from ...rows import Row
from ...tree import Role, Use
from .parts import PARTS, STACKS
from .shapes import Form, cut, flat, frames, gated, listed, parts, squared, turned, unrolled

POSITIONS = ("embeddings", "position_embeddings", "weight")
AHEAD = "mtp"  # the module of Qwen's
AHEAD_NAMES = {
    "fc": "eh_proj",
    "pre_fc_norm_embedding": "enorm",
    "pre_fc_norm_hidden": "hnorm",
    "norm": "shared_head_norm",
}
"""Qwen's parts of a layer that looks ahead, as GGUF calls them."""
MERGERS = "deepstack_merger_list"
GATED_QUERIES = ("linear_attn", "in_proj_qkvz", "weight")  # Qwen3-Next's
PATCHES = ("patch_embed", "proj", "weight")
OFFSET = frozenset({"roberta", "xlm-roberta", "camembert"})  # whose positions start behind that of the padding
LISTS: dict[Path, Path] = {
    ("altup_projections", "weight"): ("altup_proj", "weight"),
    ("altup_unembed_projections", "weight"): ("altup_unembd_proj", "weight"),
    ("model", "z_L_init"): ("hrm", "z_l_init"),
}
"""Numbered tensors of a model that are one in a file; a list of one is the tensor itself."""
UNROLLED = frozenset({("mlp", "w1"), ("mlp", "v1"), ("mlp", "w2")})  # DBRX's experts, one below the other


@dataclass(frozen=True, slots=True)
class Forms:
    """What is asked of the whole model to tell the forms of one of its tensors.

    `apart` has the keys and values of latent attention in two tensors; `layers` is how many it has, those that look
    ahead left aside; `tokens` how many the file's vocabulary has, None where it says nothing of that; `fed` are the
    layers of a tower whose outputs its further mergers read.
    """

    siblings: Siblings
    apart: Mapping[Path, Form]
    layers: int
    model_type: str = ""
    padding: int | None = None
    tokens: int | None = None
    fed: tuple[int, ...] = ()

    def of(self, row: Row) -> Iterator[Form]:
        """Every form the tensor may have in a file; the first is what the converter writes today."""
        steps = words(row.path)
        upright = self._numbered(stacked(self._upright(row)))
        if row.path in self.apart:
            yield self.apart[row.path]
        if row.section in TOWERS:
            yield from _of_tower(row, steps, self.model_type)
        if steps[-3:] == GATED_QUERIES and (out := self.siblings.rows.get((*row.path[:-2], "out_proj", "weight"))):
            yield gated(row, out.tensor.shape[1])
        if listing := LISTS.get(steps[-2:]):
            yield (listed(row, listing),)
        if steps[-2:] in UNROLLED and row.routed is not None:
            yield (unrolled(row, is_turned=steps[-2:] == ("mlp", "w2")),)
        for tail, choices in PARTS.items():
            if steps[-len(tail) :] == tail:
                yield from (parts(upright, names) for names in choices)
        if steps[-3:] == POSITIONS and self.model_type in OFFSET and self.padding is not None:
            yield cut(row, int(row.tensor.shape[0]) - self.padding - 1)
        if row.tensor.use is Use.LOOKUP and row.role is Role.EMBEDDING and self._has_spare_rows(row):
            yield (upright,)
            yield cut(row, self.tokens or 0)
        yield (upright,)

    def _has_spare_rows(self, row: Row) -> bool:
        """Is a table of tokens longer than the file's vocabulary? Gemma's converter cuts off what is beyond it."""
        return self.tokens is not None and 0 < self.tokens < row.tensor.shape[0]

    def _numbered(self, row: Row) -> Row:
        """The row under the numbers that its layers have in a file."""
        if MERGERS in row.path and self.fed:
            return _shifted(row, lambda merger: self.fed[merger])
        if row.path[1:2] and row.path[1] in STACKS:
            before = self.layers * STACKS.index(str(row.path[1]))
            return _shifted(replace(row, path=(row.path[0], *row.path[2:])), lambda layer: before + layer)
        return self._ahead(row)

    def _ahead(self, row: Row) -> Row:
        """Of a layer that looks ahead and stands in a module of its own, the name it has behind the others."""
        if row.path[0] != AHEAD:
            return row
        if row.path[1] == "layers" and not isinstance(numbers := row.path[2], str):
            behind = tuple(self.layers + number for number in numbers)
            return replace(row, path=("model", "layers", behind, *row.path[3:]))
        name = AHEAD_NAMES.get(str(row.path[1]))
        return replace(row, path=("blk", (self.layers,), "nextn", name, *row.path[2:])) if name else row

    def _upright(self, row: Row) -> Row:
        """Every matrix [outputs, inputs]."""
        if self._is_expert_transposed(row):
            experts, inputs, outputs = row.tensor.shape
            return row.shaped((experts, outputs, inputs))
        return self.siblings.upright(row)

    def _is_expert_transposed(self, row: Row) -> bool:
        """Are packed experts without a bias stored [inputs, outputs], as Llama 4 has them?"""
        up, down = (self.siblings.rows.get((*row.path[:-1], name)) for name in (GATE_UP, DOWN))
        if row.path[-1] not in (GATE_UP, DOWN) or up is None or down is None or self.siblings.bias_of(up):
            return False
        (_, first, second), (_, inner, outer) = up.tensor.shape, down.tensor.shape
        return (first, second) == (outer, 2 * inner) and (first, second) != (2 * outer, inner)


def _shifted(row: Row, number_of: Callable[[int], int]) -> Row:
    """The row with its first numbers others."""
    layer = layer_of(row.path)
    numbers = tuple(map(number_of, layer_numbers(row.path)))
    return replace(row, path=(*layer[:-1], numbers, *row.path[len(layer) :]))


def _of_tower(row: Row, steps: tuple[str, ...], model_type: str) -> Iterator[Form]:
    """The forms of a patch embedding or a table of positions that one family alone has."""
    if steps[-2:] == ("position_embedding", "weight") and model_type == "hunyuan_vl":
        yield cut(row, int(row.tensor.shape[0]) - 1)  # the first is of a class token
    if steps[-2:] == ("vision_embedder", "pos_embedding"):
        yield (turned(row),)
    if steps[-2:] == ("pos_emb", "weight") and len(row.tensor.shape) == 3:
        yield (flat(row),)
    if steps[-2:] in (("input_proj", "weight"), ("patch_embedding", "weight")) and (convolution := squared(row)):
        yield (convolution,)
    if steps[-3:] == PATCHES and len(row.tensor.shape) == 5:
        yield tuple(frames(row))
