"""What training takes on one device: weights, gradients, optimizer states, and an estimate of activations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from ..errors import UsageError
from ..marks import MTP
from ..rows import Part, Row
from ..tree import Use
from .flops import Recompute
from .memory import bits_of
from .optimizers import OPTIMIZERS
from .pairs import refuse_unmarked
from .per import TEXT
from .sharding import Degrees, Share, check, stages

WORDS = ("optimizer", "gradients", "master", "recompute")
NUMBERS = ("data", "tensor", "pipeline", "expert", "zero")
NO_MASTER = "none"
NARROW = 32  # bits; narrower weights are updated through a float32 copy


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the model is trained. `gradients` None is as the weights, `master` None is float32 for narrower weights."""

    dtype: str
    gradients: str | None = None
    master: str | None = None
    optimizer: str = "adamw"
    recompute: str = "selective"
    degrees: Degrees = field(default_factory=Degrees)


@dataclass(frozen=True, slots=True)
class Training:
    """Bytes on the fullest device. `activations` is an estimate (Korthikanti et al. 2022), the rest is arithmetic."""

    recipe: Recipe
    context: int
    batch: int
    weights: int
    gradients: int
    master: int
    optimizer: int
    activations: int
    stage: int

    @property
    def states(self) -> int:
        """All but the activations."""
        return self.weights + self.gradients + self.master + self.optimizer

    @property
    def total(self) -> int:
        """States and activations."""
        return self.states + self.activations


def recipe(settings: Iterable[str], dtype: str) -> Recipe:
    """The recipe that `["optimizer=muon", "zero=3", "data=64"]` means for weights of this data type.

    Raises UsageError: no such key, or no number where one is needed.
    """
    words: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for setting in settings:
        key, sign, value = setting.partition("=")
        if sign and key in WORDS:
            words[key] = value
        elif sign and key in NUMBERS and value.isdecimal():
            numbers[key] = int(value)
        else:
            raise UsageError(f"--with {setting!r}: write key=value with one of {', '.join((*WORDS, *NUMBERS))}")
    optimizer, recompute = words.get("optimizer", "adamw"), words.get("recompute", Recompute.SELECTIVE)
    return Recipe(dtype, words.get("gradients"), words.get("master"), optimizer, recompute, Degrees(**numbers))


def training(rows: Sequence[Row], parts: Sequence[Part], asked: Recipe, *, context: int, batch: int = 1) -> Training:
    """Bytes on the device that holds most, for micro-batches of `batch` sequences of `context` tokens.

    Raises UsageError: an optimizer, data type or degree that is not known or does not divide. UnknownCostError: layers
    that no rule lays out over pipeline stages.
    """
    if asked.optimizer not in OPTIMIZERS:
        raise UsageError(f"optimizer={asked.optimizer}: known are {', '.join(OPTIMIZERS)}")
    if asked.recompute not in tuple(Recompute):
        raise UsageError(f"recompute={asked.recompute}: should be {', '.join(Recompute)}")
    check(asked.degrees, parts)
    kept, stages_of = [row for row in rows if row.section != MTP], asked.degrees.pipeline
    activations = activation_bytes(kept, parts, asked, context, batch)
    each = (
        replace(_states(shares, asked), context=context, batch=batch, stage=stage,
                activations=-(-activations * (stages_of - stage) // stages_of))
        for stage, shares in enumerate(stages(kept, asked.degrees))
    )  # fmt: skip
    return max(each, key=lambda found: found.total)


def _states(shares: Iterable[Share], asked: Recipe) -> Training:
    width = bits_of(asked.dtype, "--dtype")
    gradient = width if asked.gradients is None else bits_of(asked.gradients, "gradients")
    sums = [Fraction(0)] * 4
    for share in shares:
        elements, zero = share.elements * share.tensors, asked.degrees.zero
        states = OPTIMIZERS[asked.optimizer](share.row) * share.part * share.tensors
        found = (elements * width / 8, elements * gradient / 8, elements * _master_bits(asked, width) / 8, states)
        for kind, (count, sharded_from) in enumerate(zip(found, (3, 2, 1, 1), strict=True)):
            sums[kind] += count / share.copies if zero >= sharded_from else count
    weights, gradients, master, optimizer = map(math.ceil, sums)
    return Training(asked, 0, 0, weights, gradients, master, optimizer, activations=0, stage=0)


def _master_bits(asked: Recipe, width: int) -> int:
    if asked.master is None:
        return NARROW if width < NARROW else 0
    return 0 if asked.master == NO_MASTER else bits_of(asked.master, "master")


def activation_bytes(rows: Sequence[Row], parts: Sequence[Part], asked: Recipe, context: int, batch: int) -> int:
    """Bytes that the backward pass needs, by Korthikanti et al. 2022, tables 1 and 2: an estimate.

    Their layer is `s·b·h·(10 + 24/t + 5·a·s/(h·t))` bytes at 16 bits: an MLP of 4h, a key head for each query head.
    Without attention's pairs (selective) the last term goes; with full recomputation `2·s·b·h` are left. The first
    pipeline stage keeps as many micro-batches as there are stages, so all layers count; each later one keeps one fewer.
    Raises UnknownCostError: attention whose cost no mark tells.
    """
    tables = (row.tensor for row in rows if row.tensor.use is Use.LOOKUP and row.section in TEXT)
    width = next((int(table.shape[-1]) for table in tables), 0)
    ways, total = asked.degrees.tensor, Fraction(0)
    for part in parts:
        if part.section not in TEXT:
            continue
        if part.attends is None:
            refuse_unmarked(part, parts)
            continue
        if part.attends.cross:
            continue
        layers, tokens = part.times * part.uses, context * batch * width
        kept = Fraction(10) + Fraction(24, ways)
        if asked.recompute == Recompute.FULL:
            kept = Fraction(2)
        elif asked.recompute == Recompute.NONE and width:
            kept += Fraction(5 * int(part.attends.heads) * context, width * ways)
        total += layers * tokens * kept
    return math.ceil(total)
