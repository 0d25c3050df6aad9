"""What a rule marks on the parts of a model: their use and role, what they keep of a sequence, what they attend to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MAIN = "main"
"""What the section without a name is called where sections are listed."""
MTP = "mtp"
"""The section of layers that predict further tokens: in no total, and left out by many a format."""
TOWERS = ("vision", "audio", "projector")
"""The sections of what sees and hears, and of what joins it to the text: apart from it in many a format."""
GLOBAL_TOKENS = "global tokens"
"""The kind of what stands beside attention through a window for the few tokens that see everything."""

DYNAMIC_CONVOLUTION = "dynamic convolution"
FOURIER = "Fourier transform"
NYSTROM = "Nyström attention"
UNPRICED = frozenset({DYNAMIC_CONVOLUTION, FOURIER, NYSTROM})
"""Kinds that mix tokens in a way no mark prices: what they do is left out of FLOPs, and said so."""


class Use(Enum):
    """What a forward pass does with a tensor: asked by FLOPs and by quantization."""

    LOOKUP = "lookup"
    MATMUL = "matmul"
    CONVOLUTION = "convolution"
    SCALE = "scale"
    BIAS = "bias"
    OTHER = "other"


class Role(Enum):
    """The part of a model that a tensor belongs to."""

    EMBEDDING = "embedding"
    ATTENTION = "attention"
    SSM = "ssm"
    MLP = "mlp"
    ROUTER = "router"
    EXPERTS = "experts"
    NORM = "norm"
    HEAD = "head"
    OTHER = "other"


class Per(Enum):
    """What a module runs once for."""

    TOKEN = "token"
    SOURCE = "source token"  # the other side of a cross-attention
    SEQUENCE = "sequence"


@dataclass(frozen=True, slots=True)
class Routed:
    """Of `total` equal experts, a token visits `active`."""

    active: int
    total: int


@dataclass(frozen=True, slots=True)
class Grouped:
    """Of a projection's outputs, `rows` are keys and values of `heads` heads: no device holds less than a head."""

    heads: int
    rows: int


@dataclass(frozen=True, slots=True)
class Cache:
    """What one sequence leaves in memory: `fixed + per_source × source + per_token × min(tokens, window)` elements.

    `expanded` is what a runtime keeps per token that stores keys and values instead of the latent row. `dtype` is set
    only where a state is kept in a type of its own, whatever the cache's. `every` is how many tokens are pooled into
    one row: `per_token` is then kept once for each `every` tokens that are full.
    """

    label: str
    per_token: int = 0
    window: int | None = None
    fixed: int = 0
    per_source: int = 0
    expanded: int | None = None
    dtype: str | None = None
    every: int = 1

    def elements(self, tokens: int, source: int = 0) -> int:
        """Elements for one sequence of `tokens`, and for a cross-attention `source` tokens on the other side."""
        rows = tokens // self.every
        seen = rows if self.window is None else min(rows, self.window)
        return self.fixed + self.per_source * source + self.per_token * seen


@dataclass(frozen=True, slots=True)
class Attends:
    """What attention costs at a context: per pair of tokens, `heads × (key_width + value_width)` multiply-adds.

    `chosen` is how many of the tokens before it a query sees where an indexer picks them, `every` how many are pooled
    into one. A `chunked` window starts anew every `window` tokens. `source` is set where the other side always has so
    many tokens, `kv_heads` where keys and values have heads of their own. The rest are words for the comparison table.
    """

    heads: int
    key_width: int
    value_width: int
    window: int | None = None
    causal: bool = True
    cross: bool = False
    positions: str | None = None
    query_key_norm: str | None = None
    chosen: int | None = None
    every: int = 1
    chunked: bool = False
    kv_heads: int | None = None
    source: int | None = None
