"""What a layer without a key-value cache keeps of a sequence: a fixed number of elements, whatever its length."""

from __future__ import annotations

from ..tree import Cache, Module
from .linear import convolution

STATE_DTYPE = "float32"  # small, and added to at every token: runtimes keep it at full width


def causal_convolution(channels: int, kernel: int, *, bias: bool = False, groups: int | None = None) -> Module:
    """`weight` [channels, 1, kernel], one filter a channel (or a group); keeps its last kernel - 1 inputs."""
    kept = Cache("conv state", fixed=channels * (kernel - 1), dtype=STATE_DTYPE)
    return convolution(channels, channels, kernel, groups=groups or channels, bias=bias).marked(cache=kept)


def recurrent_state(elements: int, label: str = "recurrent state") -> Cache:
    """The `elements` a recurrence carries from token to token."""
    return Cache(label, fixed=elements, dtype=STATE_DTYPE)
