"""What a model takes in memory: its weights, what its sequences leave in the caches, and the states they carry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..checkpoint.dtypes import config_bits, header_bits
from ..errors import UsageError
from ..images.seen import Images
from ..marks import MAIN, MTP
from ..quantization import Stored
from ..rows import Part, Row
from ..tree import Storage, Use
from .caches import CacheLine, Keeps, Policy, Widths, bytes_of_bits, cache_lines

DECODERS = frozenset({MAIN, "decoder"})
Found = tuple[Row, int, int, bool]
"""A row, the elements that stand for it, their bits, and whether it is only looked up."""


@dataclass(frozen=True, slots=True)
class WeightLine:
    """The weights of one section; `is_loaded` is false for layers that look ahead, which a runtime may leave out.

    `read_bytes` is what one token needs of them: no table, no expert it does not visit. `bits` is the narrowest width.
    """

    section: str
    elements: int
    bytes: int
    read_bytes: int
    bits: int
    is_loaded: bool


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes at a context and a batch. `dtype` is None where weights lie as the files store them.

    The tokens of `images`, where there are some, are part of the context.

    `cache_bytes` is what grows with tokens or with the source, `state_bytes` what does not.
    """

    context: int
    batch: int
    source: int
    dtype: str | None
    cache_dtype: str | None
    policy: Policy
    expanded: bool
    weights: tuple[WeightLine, ...]
    lines: tuple[CacheLine, ...]
    images: Images | None = None

    @property
    def caches(self) -> tuple[CacheLine, ...]:
        """The lines that grow."""
        return tuple(line for line in self.lines if line.keeps is not Keeps.STATE)

    @property
    def states(self) -> tuple[CacheLine, ...]:
        """The lines that do not grow."""
        return tuple(line for line in self.lines if line.keeps is Keeps.STATE)

    @property
    def weights_bytes(self) -> int:
        """Bytes of the weights of every section but `mtp`."""
        return sum(line.bytes for line in self.weights if line.is_loaded)

    @property
    def cache_bytes(self) -> int:
        """Bytes of keys, values and latent rows of all sequences."""
        return self._bytes(self.caches)

    @property
    def state_bytes(self) -> int:
        """Bytes of states of all sequences, whatever their length."""
        return self._bytes(self.states)

    @property
    def total_bytes(self) -> int:
        """Weights, caches and states; a runtime's own buffers and activations come on top."""
        return self.weights_bytes + self.cache_bytes + self.state_bytes

    @property
    def cache_bytes_per_token(self) -> int:
        """Bytes that a token adds to one sequence while every window is open."""
        return sum(bytes_of_bits(line.layers * int(line.cache.per_token) * line.bits) for line in self.caches)

    @property
    def read_bytes(self) -> int:
        """Bytes of weights that decoding one token reads at least: the decoder's, of the experts those it visits."""
        return sum(line.read_bytes for line in self.weights if line.section in DECODERS)

    @property
    def weight_bits(self) -> int:
        """The width of the narrowest matrix that decoding reads."""
        return min((line.bits for line in self.weights if line.section in DECODERS), default=64)

    def at(self, context: int, batch: int) -> Memory:
        """The same at another context and batch."""
        return replace(self, context=context, batch=batch)

    def _bytes(self, lines: Iterable[CacheLine]) -> int:
        return sum(line.bytes(self.context, self.batch, self.source) for line in lines)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: sequences, data types (None: the config's, weights as stored), and what a runtime does.

    `images` are those of each sequence; their tokens come to those of `context`.
    """

    context: int
    batch: int = 1
    source: int | None = None
    dtype: str | None = None
    cache_dtype: str | None = None
    state_dtype: str | None = None
    policy: str = Policy.MINIMUM
    expanded: bool = False
    images: Images | None = None


def memory(
    weights: Sequence[WeightLine], parts: Iterable[Part], asked: Request, own_dtype: str | None, name: str
) -> Memory:
    """What the model of these weights and parts takes; `own_dtype` is the config's.

    Raises UsageError: no such data type or policy, no length where one is needed. UnknownCostError: no mark of a cache.
    """
    for option, count in (("--context", asked.context), ("--batch", asked.batch), ("--source", asked.source)):
        if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
            raise UsageError(f"{option} {count!r}: should be a whole number, 1 or more")
    if asked.policy not in tuple(Policy):
        raise UsageError(f"--policy {asked.policy!r}: should be {' or '.join(Policy)}")
    cache_dtype = asked.cache_dtype or _for_caches(asked.dtype, own_dtype)
    bits = bits_of(cache_dtype, "--cache-dtype") if cache_dtype else 0
    state = bits_of(asked.state_dtype, "--state-dtype") if asked.state_dtype else None
    policy = Policy(asked.policy)
    lines = cache_lines(parts, Widths(bits, state), policy=policy, expanded=asked.expanded)
    if any(line.bits == 0 for line in lines):
        raise UsageError(f"{name}: the config names no data type for the cache: give --cache-dtype")
    images = asked.images
    source = asked.source or (images.source if images else 0)
    if not source and any(line.cache.per_source for line in lines):
        mend = "give --source TOKENS, or --image WIDTHxHEIGHT where it is one"
        raise UsageError(f"{name}: its cross-attention keeps keys and values of another side: {mend}")
    context, sections = asked.context + (images.tokens if images else 0), tuple(weights)
    given = asked.batch, source, asked.dtype, cache_dtype, policy, asked.expanded
    return Memory(context, *given, sections, lines, images)


def _for_caches(dtype: str | None, own: str | None) -> str | None:
    """The config's type; where it has none the weights', unless they are narrower than anything is computed in."""
    if own is not None:
        return own
    return dtype if dtype is not None and bits_of(dtype, "--dtype") >= 16 else None


def bits_of(dtype: str, option: str) -> int:
    """Bits of a data type as a user spells it.

    Raises UsageError: no such type.
    """
    bits = config_bits(dtype)
    if bits is None:
        raise UsageError(f"{option} {dtype!r}: no such data type; write bf16, fp16, fp32, fp8, int8, int4 …")
    return bits


def weights_at(rows: Sequence[Row], bits: int) -> tuple[WeightLine, ...]:
    """Every parameter at one width."""
    tables = lookups(rows)
    return _by_section((row, row.elements, bits, row.pattern in tables) for row in rows if _is_loaded(row))


def weights_as_stored(rows: Iterable[Row], stored: Iterable[Stored], bits: int | None) -> tuple[WeightLine, ...]:
    """Parameters as the files store them, scales and zero points too; what has no type of its own at `bits`.

    Raises UsageError: no `bits` where they are needed, or weights whose packed size is the quantizer's choice.
    """
    stored = list(stored)
    own_heads = {each.row.pattern for each in stored if _is_packed_copy(each)}
    tables = lookups(row for row in rows if row.pattern not in own_heads)
    found: list[Found] = []
    for each in stored:
        if each.is_unsized:
            why = "is chosen by the quantizer: not known from the config"
            raise UsageError(f"the packed size of {each.row.pattern} {why}; give --dtype")
        width = header_bits(each.dtype) or config_bits(each.dtype) if each.dtype else bits
        if width is None:
            kept = ", or --set dtype=… to keep what is quantized as stored" if any(one.dtype for one in stored) else ""
            raise UsageError(f"the config names no data type for {each.pattern}: give --dtype{kept}")
        if _is_loaded(each.row) or _is_packed_copy(each):
            found.append((each.row, each.elements, width, each.row.pattern in tables))
    return _by_section(found)


def _is_packed_copy(stored: Stored) -> bool:
    """A copy that is packed where the original is not (EXL3's tied head) is another tensor in memory too."""
    return stored.row.tensor.storage is Storage.COPY and stored.path != stored.row.path


def lookups(rows: Iterable[Row]) -> set[str]:
    """Patterns of the tables that are only looked up: no head is tied to them."""
    rows = list(rows)
    heads = {row.tensor.same_as for row in rows if row.tensor.use is Use.MATMUL}
    return {row.pattern for row in rows if row.tensor.use is Use.LOOKUP and row.pattern not in heads}


def _is_loaded(row: Row) -> bool:
    """Copies are one tensor in memory, and buffers are made anew."""
    return row.tensor.storage is Storage.OWN


def _by_section(found: Iterable[Found]) -> tuple[WeightLine, ...]:
    sections: dict[str, list[Found]] = {}
    for each in found:
        sections.setdefault(each[0].section, []).append(each)
    return tuple(_weights(section, inside) for section, inside in sections.items())


def _weights(section: str, found: Iterable[Found]) -> WeightLine:
    elements = stored = read = 0
    narrowest = 64
    for row, count, bits, is_table in found:
        elements += count
        stored += count * bits
        active = count if row.routed is None else count * row.routed.active // row.routed.total
        read += 0 if is_table else active * bits
        narrowest = min(narrowest, bits) if row.tensor.use is Use.MATMUL else narrowest
    return WeightLine(section or MAIN, elements, bytes_of_bits(stored), bytes_of_bits(read), narrowest, section != MTP)
