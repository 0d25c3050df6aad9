"""Bytes in powers of two and of ten."""

import pytest

from archcount.show.units import binary, both, decimal, flops


@pytest.mark.parametrize(
    ("count", "two", "ten"),
    [
        (0, "0 B", "0 B"),
        (1023, "1,023 B", "1.02 KB"),
        (2**30, "1.00 GiB", "1.07 GB"),
        (16_060_522_496, "14.96 GiB", "16.06 GB"),
        (10**24, "888,178,419.70 PiB", "1,000,000,000.00 PB"),
    ],
)
def test_gib_and_gb_are_told_apart(count: int, two: str, ten: str) -> None:
    assert (binary(count), decimal(count)) == (two, ten)


def test_few_bytes_need_no_second_word() -> None:
    assert (both(999), both(1000)) == ("", "1,000 B = 1.00 KB")


def test_operations() -> None:
    assert (flops(17_157_062_656.5), flops(12)) == ("17.16 GFLOP", "12 FLOP")
