"""What a device holds, and the bounds on its speed."""

import pytest

import archcount
from archcount.costs.devices import Fit, device, devices, fit
from archcount.errors import UsageError


def on(name: str, device_name: str, context: int, batch: int = 1, count: int = 1) -> Fit:
    """The fit of a known model."""
    model = archcount.load(name)
    return fit(model.memory(context, batch), model.flops(context), device(device_name), count)


def test_every_device_says_where_its_figures_are_from() -> None:
    for each in devices().values():
        assert each.source and each.memory_bytes > 10**9 and each.bandwidth > 10**11
        assert each.flops[16] < each.flops[8]


def test_figures_of_the_makers() -> None:
    h100 = device("H100-SXM")
    assert (h100.memory_bytes, h100.bandwidth, h100.peak(16)) == (80 * 10**9, 3350 * 10**9, 989.4e12)
    assert h100.peak(4) == h100.peak(8) == 1978.9e12  # four bits are widened to eight
    assert device("mi300x").memory_bytes == 192 * 10**9


def test_a_device_that_is_not_known() -> None:
    with pytest.raises(UsageError, match="--device 'h900': not in the table; known: a100-40gb, a100, b200, h100"):
        device("h900")


def test_an_8b_model_on_80_gb() -> None:
    found = on("llama-3.1-8b", "h100", 131_072)
    assert found.fits
    assert found.largest_batch == (80 * 10**9 - 16_060_522_496) // (131_072 * 131_072) == 3
    assert found.largest_context == (80 * 10**9 - 16_060_522_496) // 131_072 == 487_819


def test_the_largest_are_the_largest() -> None:
    """Caches grow in pieces where windows close: the next sequence and the next token are too many."""
    model, room = archcount.load("gemma-3-27b"), 80 * 10**9
    found = on("gemma-3-27b", "h100", 8192)
    assert found.largest_batch is not None and found.largest_context is not None
    for fits, context, batch in (
        (True, 8192, found.largest_batch),
        (False, 8192, found.largest_batch + 1),
        (True, found.largest_context, 1),
        (False, found.largest_context + 1, 1),
    ):
        assert (model.memory(context, batch).total_bytes <= room) is fits


def test_a_cache_that_stops_growing_sets_no_limit() -> None:
    assert on("mistral-7b", "rtx4090", 32_768).largest_context is None


def test_what_does_not_fit() -> None:
    found = on("llama-3.1-70b", "h200", 8192)
    assert (found.fits, found.largest_batch, found.largest_context) == (False, 0, 0)
    assert on("llama-3.1-70b", "h200", 8192, count=2).fits


def test_decoding_reads_every_weight_and_cache_once() -> None:
    found = on("llama-3.1-8b", "h100", 8192)
    read = 2 * (8_030_261_248 - 525_336_576) + 8192 * 131_072
    assert found.decode_tokens_per_second == pytest.approx(3350e9 / read)
    flops = archcount.load("llama-3.1-8b").flops(8192)
    assert found.first_token_seconds == pytest.approx(flops.prefill / 989.4e12)


def test_a_large_batch_is_bound_by_multiplication() -> None:
    model = archcount.load("llama-3.1-8b")
    found = on("llama-3.1-8b", "h100", 16, batch=1000)
    assert found.decode_tokens_per_second == pytest.approx(989.4e12 / model.flops(16).forward_per_token)


def test_no_device_at_all() -> None:
    with pytest.raises(UsageError, match="--device 0xh100: the count should be 1 or more"):
        on("llama-3.1-8b", "h100", 16, count=0)
