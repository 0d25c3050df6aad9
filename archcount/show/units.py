"""Bytes and rates as a person reads them, powers of two and of ten told apart."""

from __future__ import annotations

from collections.abc import Sequence

BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
DECIMAL = ("B", "KB", "MB", "GB", "TB", "PB")
TIMES = ("", "K", "M", "G", "T", "P", "E", "Z")


def binary(count: int) -> str:
    """`14.96 GiB`: powers of 1,024."""
    return _scaled(count, 1024, BINARY)


def decimal(count: int) -> str:
    """`16.06 GB`: powers of 1,000."""
    return _scaled(count, 1000, DECIMAL)


def both(count: int) -> str:
    """`14.96 GiB = 16.06 GB`."""
    return f"{binary(count)} = {decimal(count)}" if count >= 1000 else ""


def flops(count: float) -> str:
    """`17.16 GFLOP`: powers of 1,000."""
    return _scaled(count, 1000, tuple(f"{letter}FLOP" for letter in TIMES))


def _scaled(count: float, step: int, units: Sequence[str]) -> str:
    power = 0
    while abs(count) >= step ** (power + 1) and power + 1 < len(units):
        power += 1
    return f"{count / step**power:,.2f} {units[power]}" if power else f"{count:,} {units[0]}"
