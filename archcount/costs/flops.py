"""What a token costs: two floating-point operations for each weight it is multiplied with, and attention's pairs."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..errors import UsageError
from ..images.seen import Images
from ..marks import GLOBAL_TOKENS, MAIN, MTP, UNPRICED
from ..rows import Part, Row
from ..tree import Attends, Per, Role, Storage
from .gap import gap
from .pairs import refuse_unmarked, seen, seen_by_all
from .per import ENCODER, TEXT, per
from .seeing import MULTIPLIED, PAIRS, SEES, VISION, Seeing, named, seeing, without_stages


class Recompute(StrEnum):
    """What the backward pass computes again instead of keeping it: nothing, attention's pairs, or every layer."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


# How often forward, and once more attention alone, is paid for in training: the backward pass costs two forward.
TRAINING = {Recompute.NONE: (3, 0), Recompute.SELECTIVE: (3, 1), Recompute.FULL: (4, 0)}


@dataclass(frozen=True, slots=True)
class Multiplied:
    """Weights of one role that something is multiplied with: `elements` for each token, patch or sequence (`per`)."""

    section: str
    role: Role
    per: str
    elements: int

    @property
    def flops(self) -> int:
        """A multiplication and an addition each."""
        return 2 * self.elements


@dataclass(frozen=True, slots=True)
class Attention:
    """One kind of attention in all the layers that have it."""

    section: str
    kind: str
    layers: int
    attends: Attends

    @property
    def per_pair(self) -> int:
        """FLOPs of a query with one token, in all the layers: a score over the key's width, a sum over the value's."""
        widths = int(self.attends.key_width) + int(self.attends.value_width)
        return 2 * self.layers * int(self.attends.heads) * widths

    def at(self, position: int, source: int) -> int:
        """FLOPs of the token at `position`."""
        return self.per_pair * seen(self.attends, position, source)

    def over(self, tokens: int, source: int) -> int:
        """FLOPs of all tokens of a sequence, none for what the mask hides."""
        return self.per_pair * seen_by_all(self.attends, tokens, source)

    def unmasked(self, tokens: int, source: int) -> int:
        """FLOPs of all tokens where the whole square of pairs is computed."""
        if self.attends.cross:
            return self.over(tokens, source)
        return self.per_pair * tokens * (tokens // self.attends.every)


@dataclass(frozen=True, slots=True)
class Flops:
    """FLOPs at a context. A token is the model's own (in an encoder-decoder the decoder's) at the end of the context.

    The tokens of `images`, where there are some, are part of the context; `each_image` is what each costs beside them.

    `left_out` names what no mark fixes: projectors between towers, layers that look ahead, recurrences' own work.
    """

    context: int
    source: int
    recompute: Recompute
    matmuls: tuple[Multiplied, ...]
    attention: tuple[Attention, ...]
    left_out: tuple[str, ...]
    parameters: int
    gap: tuple[tuple[str, int], ...]
    images: Images | None = None
    each_image: Seeing | None = None

    @property
    def matmul_per_token(self) -> int:
        """FLOPs of the weights for one token, the head's among them, the input embedding's not."""
        return self._weights(Per.TOKEN.value)

    @property
    def attention_per_token(self) -> int:
        """FLOPs of attention's pairs for the last token of the context."""
        return sum(line.at(self.context, self.source) for line in self._of(TEXT))

    @property
    def forward_per_token(self) -> int:
        """FLOPs of the last token of the context, which sees all that a window lets it see: a step of decoding."""
        return self.matmul_per_token + self.attention_per_token

    @property
    def forward_per_token_causal(self) -> float:
        """The mean over the sequence: with a causal mask a token sees half of it, and one more half token."""
        return self.matmul_per_token + self._attention(self.context) / self.context

    @property
    def training_per_token(self) -> int:
        """Three times forward (the backward pass costs two), and what is computed again."""
        forward, attention = TRAINING[self.recompute]
        return forward * self.forward_per_token + attention * self.attention_per_token

    @property
    def training_per_token_causal(self) -> float:
        """The same with the mean over the sequence."""
        forward, attention = TRAINING[self.recompute]
        return forward * self.forward_per_token_causal + attention * self._attention(self.context) / self.context

    @property
    def prefill(self) -> int:
        """FLOPs of `context` tokens and their source, masked pairs left out, with logits for each token."""
        pairs = self._attention(self.context)
        return self.matmul_per_token * self.context + pairs + self.encoder + self.per_sequence + self.seeing

    @property
    def prefill_unmasked(self) -> int:
        """The same where kernels compute masked pairs too, as `torch.utils.flop_counter` counts."""
        pairs = sum(line.unmasked(self.context, self.source) for line in self._of(TEXT))
        return self.matmul_per_token * self.context + pairs + self.encoder + self.per_sequence + self.seeing

    @property
    def seeing(self) -> int:
        """FLOPs of the images: tower, attention among patches and projector, once each."""
        return 0 if self.images is None or self.each_image is None else self.images.count * self.each_image.total

    @property
    def per_source_token(self) -> int:
        """FLOPs of the weights for a token of the other side: its encoder, and keys and values of cross-attention."""
        return self._weights(Per.SOURCE.value)

    @property
    def encoder(self) -> int:
        """FLOPs of the whole source."""
        pairs = sum(line.over(self.source, 0) for line in self._of({ENCODER}))
        return self.per_source_token * self.source + pairs

    @property
    def per_patch(self) -> int:
        """FLOPs of the vision tower's weights for one patch; attention among patches is not in it."""
        return self._weights("patch")

    @property
    def per_sequence(self) -> int:
        """FLOPs of what runs once a sequence, such as a pooler."""
        return self._weights(Per.SEQUENCE.value)

    @property
    def six_n(self) -> int:
        """`6N`, the rule of thumb for training FLOPs a token, with every parameter as N."""
        return 6 * self.parameters

    def _weights(self, per: str) -> int:
        return sum(line.flops for line in self.matmuls if line.per == per)

    def _attention(self, tokens: int) -> int:
        return sum(line.over(tokens, self.source) for line in self._of(TEXT))

    def _of(self, sections: Iterable[str]) -> Iterator[Attention]:
        return (line for line in self.attention if line.section in sections)


def flops(
    rows: Sequence[Row],
    parts: Iterable[Part],
    *,
    context: int,
    source: int | None = None,
    recompute: str = Recompute.NONE,
    images: Images | None = None,
) -> Flops:
    """FLOPs of the model of these rows and parts for sequences of `context` tokens, and those of `images` with them.

    Raises UsageError: a length that is missing or no number. UnknownCostError: attention without a mark.
    """
    _check(context, source, recompute)
    rows, parts = [row for row in rows if row.section != MTP], [part for part in parts if part.section != MTP]
    priced, stages = without_stages(rows)
    attention, matmuls, how = tuple(_attention(parts)), tuple(_multiplied(priced)), Recompute(recompute)
    fixed = next((line.attends.source for line in attention if line.attends.source), None)
    source = source or (images.source if images else 0) or fixed
    if source is None and any(line.attends.cross for line in attention if line.section in TEXT):
        image = ", or --image WIDTHxHEIGHT" if any(row.section in SEES for row in rows) else ""
        mend = f"give --source TOKENS{image}"
        raise UsageError(f"cross-attention reads another side, whose length the config does not fix: {mend}")
    each = seeing(rows, parts, images.each) if images else None
    unpriced = *_left_out(rows, parts, SEES if each else ()), *(each.left_out if each else stages)
    left_out, tokens = tuple(dict.fromkeys(unpriced)), context + (images.tokens if images else 0)
    parameters = sum(row.elements for row in rows if row.tensor.storage is Storage.OWN)
    return Flops(tokens, source or 0, how, matmuls, attention, left_out, parameters, gap(rows), images, each)


def _check(context: int, source: int | None, recompute: str) -> None:
    for option, count in (("--context", context), ("--source", source)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise UsageError(f"{option} {count!r}: should be a whole number, 1 or more")
    if recompute not in tuple(Recompute):
        raise UsageError(f"--recompute {recompute!r}: should be {', '.join(Recompute)}")


def _attention(parts: Iterable[Part]) -> Iterator[Attention]:
    sums: dict[tuple[str, str, Attends], int] = {}
    parts = list(parts)
    for part in parts:
        if part.attends is None:
            refuse_unmarked(part, parts)
            continue
        key = part.section, part.kind or "attention", part.attends
        sums[key] = sums.get(key, 0) + part.times * part.uses
    for (section, kind, attends), layers in sums.items():
        yield Attention(section, kind, layers, attends)


def _multiplied(rows: Iterable[Row]) -> Iterator[Multiplied]:
    sums: dict[tuple[str, Role, str], int] = {}
    for row in rows:
        if once_for := per(row):
            key = row.section or MAIN, row.role, once_for
            sums[key] = sums.get(key, 0) + row.active * row.uses
    return (Multiplied(*key, elements) for key, elements in sums.items())


def _left_out(rows: Iterable[Row], parts: Iterable[Part], priced: Container[str]) -> Iterator[str]:
    """What no mark fixes, but for the sections that are `priced` apart."""
    for part in parts:
        if part.role is Role.SSM and part.kind and part.attends is None and part.section not in priced:
            yield f"{part.kind}: what its recurrence does element by element"
        if part.kind == GLOBAL_TOKENS:
            yield f"{GLOBAL_TOKENS}: {'their keys and values' if part.attends else 'what is computed for them'}"
        if part.kind in UNPRICED:
            yield f"{part.kind}: what it does among tokens"
        if part.section == VISION and part.attends is not None and VISION not in priced:
            yield PAIRS
    unmarked: dict[str, list[str]] = {}
    for row in rows:
        if row.tensor.use in MULTIPLIED and not per(row) and row.section not in priced:
            unmarked.setdefault(row.section or MAIN, []).append(row.pattern)
    for section, patterns in unmarked.items():
        yield f"{section}: {named(patterns)}"
