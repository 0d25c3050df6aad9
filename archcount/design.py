"""Another size of the same shape: configs that count to nearly what is wanted, and widths that match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from . import overrides
from .errors import ConfigError, UsageError
from .model import Model

WIDTHS = ("hidden_size", "n_embd", "d_model")
DEPTHS = ("num_hidden_layers", "n_layer", "num_layers")
INNERS = ("intermediate_size", "n_inner", "d_ff", "ffn_dim", "moe_intermediate_size", "shared_expert_intermediate_size")
HEADS = ("num_attention_heads", "n_head", "num_heads")
KV_HEADS = ("num_key_value_heads",)
PREFIXES = ("", "text_config.")
KEPT = Fraction(1, 4)  # how far a ratio of the shape may move
FURTHEST = 100  # times the model's parameters: what keeps a shape over more is found among too many to try
NEAR = Fraction(1, 100)  # of the target: configs as near as that are ordered by how well they keep the shape
SCALES = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


@dataclass(frozen=True, slots=True)
class Design:
    """A config as it differs from the one it is like, and what it counts to.

    `distortion` is how far the worst ratio has moved, as a logarithm.
    """

    values: Mapping[str, int]
    config: Mapping[str, object]
    parameters: int
    target: int
    distortion: float

    @property
    def order(self) -> tuple[int, float, int]:
        """The nearest first; among equally near ones, to a hundredth of the target, the least distorted."""
        off = abs(self.difference)
        return round(off / (NEAR * self.target)), self.distortion, off

    @property
    def difference(self) -> int:
        """Parameters above the target, or below it."""
        return self.parameters - self.target


@dataclass(frozen=True, slots=True)
class Shape:
    """The keys of a config that shape it, with their values: width, depth, inner widths, heads."""

    model: Model
    width: str
    depth: str
    inners: tuple[str, ...]
    heads: str | None
    kv_heads: str | None
    values: Mapping[str, int]

    @classmethod
    def of(cls, model: Model) -> Shape:
        """Read from the config itself.

        Raises UsageError: no key that is known for a width or for the number of layers.
        """
        stated = {key: value for key in _dotted() if isinstance(value := _at(model.raw, key), int) and value > 0}
        width, depth = _first(stated, WIDTHS), _first(stated, DEPTHS)
        if width is None or depth is None:
            missing = WIDTHS if width is None else DEPTHS
            raise UsageError(f"{model.name}: its config states none of {', '.join(missing)}, so no shape to keep")
        inners = tuple(key for key in stated if key.rpartition(".")[2] in INNERS)
        return cls(model, width, depth, inners, _first(stated, HEADS), _first(stated, KV_HEADS), stated)


def parameters_of(text: str) -> int:
    """`3B`, `350M` or `124439808` as a number.

    Raises UsageError.
    """
    number, scale = (text[:-1], SCALES[text[-1].upper()]) if text[-1:].upper() in SCALES else (text, 1)
    try:
        count = int(Fraction(number.replace("_", "").replace(",", "")) * scale)
    except (ValueError, ZeroDivisionError):
        count = 0
    if count < 1:
        raise UsageError(f"--parameters {text!r}: write a count, as in 3B or 350M")
    return count


def designs(like: Model, target: int, *, free: Sequence[str] = (), multiple: int = 256, most: int = 10) -> list[Design]:
    """The configs nearest to `target` parameters that keep the shape of `like`, the nearest first.

    `free` are the keys that may change, of widths and depth (all where none is named); heads follow the width, so that
    their own width and sharing stay. Ratios (width to depth, inner width to width) move by a quarter at most.

    Raises UsageError: a key that is no width or depth, a target far beyond the model, or nothing that keeps the ratios.
    """
    if target > FURTHEST * like.totals.parameters:
        size = f"{FURTHEST} times the {like.totals.parameters:,} of {like.name}"
        raise UsageError(f"--parameters {target:,}: more than {size}: start from a larger model")
    shape = Shape.of(_without_lists(like))
    known = (shape.width, shape.depth, *shape.inners)
    for key in free:
        if key not in known:
            raise UsageError(f"--free {key}: should be one of {', '.join(known)}")
    if multiple < 1:
        raise UsageError(f"--multiple-of {multiple}: should be 1 or more")
    found = list(_tried(shape, target, frozenset(free or known), multiple))
    if not found:
        raise UsageError(f"nothing within a quarter of its ratios: free more keys, or a --multiple-of below {multiple}")
    return sorted(found, key=lambda design: design.order)[:most]


def _tried(shape: Shape, target: int, free: frozenset[str], multiple: int) -> Iterator[Design]:
    scale = (target / shape.model.totals.parameters) ** (1 / 3)
    for width in _widths(shape, free, multiple, scale):
        for depth in _depths(shape, free, width, scale):
            base = {shape.width: width, shape.depth: depth, **_heads(shape, width)}
            if (design := _nearest(shape, base, target, free, multiple)) is not None:
                yield design


def _widths(shape: Shape, free: frozenset[str], multiple: int, scale: float) -> Iterable[int]:
    """Widths on the grid whose heads come out whole, about as much wider as the target is larger."""
    now = shape.values[shape.width]
    if shape.width not in free:
        return [now]
    low, high = math.ceil(now * scale * 0.6 / multiple), math.floor(now * scale * 1.6 / multiple)
    return [step * multiple for step in range(max(low, 1), high + 1) if _keeps_heads(shape, step * multiple)]


def _keeps_heads(shape: Shape, width: int) -> bool:
    if shape.heads is None:
        return True
    heads, rest = divmod(width * shape.values[shape.heads], shape.values[shape.width])
    return rest == 0 and heads > 0 and heads % _sharing(shape, heads) == 0


def _sharing(shape: Shape, heads: int) -> int:
    """Query heads to each key-value head; one key-value head stays one."""
    if shape.heads is None or shape.kv_heads is None:
        return 1
    kv = shape.values[shape.kv_heads]
    return heads if kv == 1 else shape.values[shape.heads] // kv


def _heads(shape: Shape, width: int) -> dict[str, int]:
    if shape.heads is None:
        return {}
    heads = width * shape.values[shape.heads] // shape.values[shape.width]
    kv = {shape.kv_heads: heads // _sharing(shape, heads)} if shape.kv_heads is not None else {}
    return {shape.heads: heads, **kv}


def _depths(shape: Shape, free: frozenset[str], width: int, scale: float) -> Iterable[int]:
    now = shape.values[shape.depth]
    if shape.depth not in free:
        return [now]
    if shape.width not in free:
        return range(1, math.ceil(now * scale**3 * 2) + 1)
    ideal = Fraction(width * now, shape.values[shape.width])
    return range(max(math.ceil(ideal * (1 - KEPT)), 1), math.floor(ideal * (1 + KEPT)) + 1)


def _nearest(shape: Shape, base: Mapping[str, int], target: int, free: frozenset[str], multiple: int) -> Design | None:
    """The inner width that comes nearest: parameters grow in a straight line with it."""
    inners = [key for key in shape.inners if key in free]
    ideal = {key: Fraction(shape.values[key] * base[shape.width], shape.values[shape.width]) for key in shape.inners}
    grid = {key: max(round(size / multiple), 1) * multiple if key in free else shape.values[key]
            for key, size in ideal.items()}  # fmt: skip
    if not inners:
        return _design(shape, {**base, **grid}, target, ideal)
    for tuned in inners:
        if (steps := _steps(shape, {**base, **grid}, tuned, target, multiple)) is None:
            continue
        if free & {shape.width, shape.depth}:
            low, high = ideal[tuned] * (1 - KEPT) / multiple, ideal[tuned] * (1 + KEPT) / multiple
            steps = min(max(steps, math.ceil(low)), math.floor(high))
        return _design(shape, {**base, **grid, tuned: steps * multiple}, target, ideal) if steps > 0 else None
    return None


def _steps(shape: Shape, first: Mapping[str, int], tuned: str, target: int, multiple: int) -> int | None:
    """How many times `multiple` comes nearest; None for a key that changes nothing, as an unused width does."""
    here, there = (_count(shape, {**first, tuned: first[tuned] + step}) for step in (0, multiple))
    if here is None or there is None or here == there:
        return None
    return first[tuned] // multiple + round((target - here) / (there - here))


def _design(shape: Shape, values: dict[str, int], target: int, ideal: Mapping[str, Fraction]) -> Design | None:
    count = _count(shape, values)
    if count is None:
        return None
    aspect = Fraction(values[shape.width] * shape.values[shape.depth], values[shape.depth] * shape.values[shape.width])
    moves = [abs(math.log(aspect)), *(abs(math.log(values[key] / size)) for key, size in ideal.items() if size)]
    config = overrides.apply(shape.model.raw, values)
    return Design(values, config, count, target, max(moves))


def _count(shape: Shape, values: Mapping[str, int]) -> int | None:
    """Parameters with these values, None where they cannot go together."""
    try:
        model = Model(overrides.apply(shape.model.raw, values), shape.model.name, as_type=shape.model.counted_as)
        return model.totals.parameters
    except ConfigError:
        return None


def _without_lists(like: Model) -> Model:
    """The model less lists with an entry a layer, where the config means the same without them."""
    raw = dict(like.raw)
    for key in [key for key, value in raw.items() if isinstance(value, list) and key.endswith("layer_types")]:
        shorter = {name: value for name, value in raw.items() if name != key}
        if Model(shorter, like.name, as_type=like.counted_as).rows == like.rows:
            raw = shorter
    return Model(raw, like.name, as_type=like.counted_as)


def _dotted() -> Iterator[str]:
    return (prefix + key for prefix in PREFIXES for key in (*WIDTHS, *DEPTHS, *INNERS, *HEADS, *KV_HEADS))


def _first(stated: Iterable[str], names: Sequence[str]) -> str | None:
    return next((key for key in stated if key.rpartition(".")[2] in names), None)


def _at(raw: Mapping[str, object], dotted: str) -> object:
    found: object = raw
    for step in dotted.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found
