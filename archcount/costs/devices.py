"""Will it fit, and how fast can it be at most? Accelerators with their memory, bandwidth and matrix throughput."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import UsageError
from .flops import Flops
from .memory import Memory

TABLE = Path(__file__).with_name("devices.toml")
LONGEST = 1 << 40  # tokens; a cache that still fits then is one that does not grow


@dataclass(frozen=True, slots=True)
class Device:
    """One accelerator. `memory_bytes`; `bandwidth` in bytes a second; `flops`: dense FLOP/s by bits of an element."""

    name: str
    title: str
    memory_bytes: int
    bandwidth: int
    flops: Mapping[int, float]
    source: str

    def peak(self, bits: int) -> float:
        """Dense FLOP/s for elements of this many bits: narrower ones than the device multiplies are widened first."""
        return self.flops[min((each for each in self.flops if each >= bits), default=max(self.flops))]


@dataclass(frozen=True, slots=True)
class Fit:
    """What `count` devices can hold, their memory as one. `largest_context` is None where the cache stops growing,
    `largest_batch` where a sequence leaves nothing.

    The speeds are upper bounds (a roofline): nothing waits, nothing is read twice, every matrix unit is busy.
    """

    device: Device
    count: int
    needed_bytes: int
    largest_batch: int | None
    largest_context: int | None
    decode_tokens_per_second: float
    first_token_seconds: float

    @property
    def memory_bytes(self) -> int:
        """Bytes of all the devices."""
        return self.device.memory_bytes * self.count

    @property
    def fits(self) -> bool:
        """Do weights, caches and states go in?"""
        return self.needed_bytes <= self.memory_bytes


@cache
def devices() -> Mapping[str, Device]:
    """Every device by its name and its other names."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {key: _device(name, entry) for name, entry in table.items() for key in (name, *entry.get("also", ()))}


def _device(name: str, entry: dict[str, object]) -> Device:
    memory, bandwidth, peaks = entry["memory"], entry["bandwidth"], entry["teraflops"]
    if not isinstance(memory, int) or not isinstance(bandwidth, int) or not isinstance(peaks, dict):
        raise TypeError(f"{TABLE.name}: {name} is not written as the rest")
    flops = {int(bits): float(tera) * 1e12 for bits, tera in peaks.items()}
    return Device(name, str(entry["title"]), memory * 10**9, bandwidth * 10**9, flops, str(entry["source"]))


def device(name: str) -> Device:
    """The device of that name, in any case.

    Raises UsageError: none; the message lists them.
    """
    found = devices().get(name.lower().replace("_", "-"))
    if found is None:
        names = ", ".join(dict.fromkeys(each.name for each in devices().values()))
        raise UsageError(f"--device {name!r}: not in the table; known: {names}")
    return found


def fit(memory: Memory, flops: Flops, on: Device, count: int = 1) -> Fit:
    """Whether this memory goes into `count` devices, and the bounds on speed.

    Raises UsageError: no device at all.
    """
    if count < 1:
        raise UsageError(f"--device {count}x{on.name}: the count should be 1 or more")
    room = on.memory_bytes * count
    return Fit(
        on,
        count,
        memory.total_bytes,
        _largest_batch(memory, room),
        _largest_context(memory, room),
        decode_bound(memory, flops, on, count),
        max(flops.prefill / (on.peak(memory.weight_bits) * count), memory.read_bytes / (on.bandwidth * count)),
    )


def _largest_batch(memory: Memory, room: int) -> int | None:
    """Sequences that go in: parts of bytes are rounded up once a batch, so a few more than one by one may."""
    each = memory.at(memory.context, 1)
    sequence = each.total_bytes - each.weights_bytes
    if not sequence:
        return None if each.total_bytes <= room else 0
    batch = max((room - memory.weights_bytes) // sequence, 0)
    while memory.at(memory.context, batch + 1).total_bytes <= room:
        batch += 1
    return batch


def _largest_context(memory: Memory, room: int) -> int | None:
    """The longest context that goes in at this batch: the cache grows in pieces, and never shrinks, so by halving."""
    if memory.at(LONGEST, memory.batch).total_bytes <= room:
        return None
    low, high = 0, LONGEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if memory.at(middle, memory.batch).total_bytes <= room else (low, middle)
    return low


def decode_bound(memory: Memory, flops: Flops, on: Device, count: int = 1) -> float:
    """Tokens a second of the whole batch: a step reads the weights of one token at least, and every cache."""
    read = memory.read_bytes + memory.cache_bytes + memory.state_bytes
    seconds = max(
        read / (on.bandwidth * count),
        memory.batch * flops.forward_per_token / (on.peak(memory.weight_bits) * count),
    )
    return memory.batch / seconds
