"""What a sequence leaves in memory: keys and values by layer, latent rows, the states of recurrences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from ..checkpoint.dtypes import config_bits
from ..errors import UnknownCostError
from ..marks import MAIN, MTP
from ..paths import Path, words
from ..rows import Part
from ..tree import Cache, Role


class Keeps(StrEnum):
    """What a kind of cache grows with."""

    TOKENS = "tokens"
    SOURCE = "source"
    STATE = "state"


class Policy(StrEnum):
    """What the architecture needs, or what a runtime takes that gives every layer the full length."""

    MINIMUM = "minimum"
    UNIFIED = "unified"


LANGUAGE = frozenset({"", "decoder"})  # sections
KINDS = MappingProxyType(
    {
        **dict.fromkeys(("KV", "sliding KV", "shared KV", "pooled KV", "borrowed KV"), Keeps.TOKENS),
        **dict.fromkeys(("latent", "sliding latent", "indexer"), Keeps.TOKENS),
        "cross KV": Keeps.SOURCE,
        **dict.fromkeys(("conv state", "SSM state", "recurrent state", "last token", "delayed values"), Keeps.STATE),
    }
)


@dataclass(frozen=True, slots=True)
class CacheLine:
    """One kind of cache in all the layers that keep it. `bits` is the width of an element."""

    section: str
    cache: Cache
    layers: int
    bits: int

    @property
    def keeps(self) -> Keeps:
        """What it grows with."""
        return KINDS[self.cache.label]

    def elements(self, context: int, source: int = 0) -> int:
        """Elements of one sequence, in all the layers."""
        return self.layers * int(self.cache.elements(context, source))

    def bytes(self, context: int, batch: int, source: int = 0) -> int:
        """Bytes of `batch` sequences, a part of a byte rounded up."""
        return bytes_of_bits(self.elements(context, source) * batch * self.bits)


@dataclass(frozen=True, slots=True)
class Widths:
    """Bits of an element: of a cache, and of a state; a state without one has its own, else the cache's."""

    cache: int
    state: int | None = None

    def of(self, cache: Cache) -> int:
        """Bits of an element of this kind of cache.

        Raises UnknownCostError: a data type of unknown width.
        """
        if KINDS[cache.label] is not Keeps.STATE:
            return self.cache
        if self.state is not None:
            return self.state
        own = self.cache if cache.dtype is None else config_bits(cache.dtype)
        if own is None:
            raise UnknownCostError(f"{cache.label}: the width of its data type {cache.dtype!r} is not known")
        return own


def bytes_of_bits(bits: int) -> int:
    """Whole bytes, a part of one rounded up."""
    return -(-bits // 8)


def cache_lines(
    parts: Iterable[Part], widths: Widths, *, policy: Policy = Policy.MINIMUM, expanded: bool = False
) -> tuple[CacheLine, ...]:
    """The caches of a model, layers that keep the same in one line; each pass through a layer keeps its own.

    Raises UnknownCostError: a kind that is not known, attention or recurrence without one.
    """
    parts = [part for part in parts if part.section != MTP]
    for part in parts:
        _refuse_unknown(part, parts)
    sums: dict[tuple[str, Cache], int] = {}
    for part in parts:
        if part.cache is not None:
            key = part.section or MAIN, _kept(part.cache, policy, expanded)
            sums[key] = sums.get(key, 0) + part.times * part.uses
    return tuple(CacheLine(section, cache, layers, widths.of(cache)) for (section, cache), layers in sums.items())


def _kept(cache: Cache, policy: Policy, expanded: bool) -> Cache:
    if policy is Policy.UNIFIED:
        cache = replace(cache, window=None)
    if expanded and cache.expanded is not None:
        cache = replace(cache, label="KV", per_token=cache.expanded)
    return cache


def _refuse_unknown(part: Part, parts: list[Part]) -> None:
    if part.cache is not None and part.cache.label not in KINDS:
        raise UnknownCostError(f"{_named(part)}: a cache of the unknown kind {part.cache.label!r}; known: {_known()}")
    if _should_keep(part) and not any(_touch(part.path, other.path) for other in parts if other.cache is not None):
        raise UnknownCostError(f"{_named(part)}: what it keeps of a sequence is not marked, so no cache is counted")


def _should_keep(part: Part) -> bool:
    """Causal attention and attention to another side keep keys and values, a recurrence its state.

    So it is in the language model: what a tower or a projector computes is not kept from token to token.
    """
    if part.section not in LANGUAGE:
        return False
    if part.role is Role.SSM:
        return part.kind is not None
    if part.role is not Role.ATTENTION or part.kind is None:
        return False
    return part.attends is None or part.attends.causal or part.attends.cross


def _touch(path: Path, other: Path) -> bool:
    """Is one of them within the other?"""
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


def _named(part: Part) -> str:
    return f"{part.kind or part.role.value} ({'.'.join(words(part.path))})"


def _known() -> str:
    return ", ".join(KINDS)
