"""Pairs of tokens, counted by closed forms and one by one."""

from hypothesis import given
from hypothesis import strategies as some

from archcount.costs.pairs import seen, seen_by_all
from archcount.tree import Attends

small = some.integers(1, 40)
maybe = some.none() | small


@given(tokens=small, window=maybe, chosen=maybe, every=some.integers(1, 5), causal=some.booleans())
def test_the_sum_is_that_of_every_position(
    tokens: int, window: int | None, chosen: int | None, every: int, causal: bool
) -> None:
    attends = Attends(1, 1, 1, window=window, chosen=chosen, every=every, causal=causal)
    each = [seen(attends, position if causal else tokens) for position in range(1, tokens + 1)]
    assert seen_by_all(attends, tokens) == sum(each)


@given(tokens=small, window=small)
def test_chunks_start_anew(tokens: int, window: int) -> None:
    attends = Attends(1, 1, 1, window=window, chunked=True)
    each = [
        len([key for key in range(position + 1) if key // window == position // window]) for position in range(tokens)
    ]
    assert [seen(attends, position) for position in range(1, tokens + 1)] == each
    assert seen_by_all(attends, tokens) == sum(each)


def test_a_window_and_half_of_the_square() -> None:
    assert seen_by_all(Attends(1, 1, 1), 8192) == 8192 * 8193 // 2
    assert seen(Attends(1, 1, 1, window=4096), 32768) == 4096


def test_the_other_side_is_seen_whole() -> None:
    cross = Attends(1, 1, 1, causal=False, cross=True)
    assert (seen(cross, 3, source=20), seen_by_all(cross, 3, source=20)) == (20, 60)
    assert seen(Attends(1, 1, 1, cross=True, source=1500), 3) == 1500
