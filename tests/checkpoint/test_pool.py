"""Calls made at once: answers as they come, the first error raised, nobody waited for."""

from __future__ import annotations

import threading
import time

import pytest

from archcount.checkpoint.pool import as_answered


def test_every_item_is_answered_and_the_slow_last() -> None:
    def call(item: int) -> int:
        time.sleep(0.2 if item == 0 else 0)
        return item * 10

    stop = threading.Event()
    answers = list(as_answered(call, range(9), 4, stop, lambda: 5.0))
    assert sorted(answers) == [(item, item * 10) for item in range(9)]
    assert answers[-1] == (0, 0)
    assert not stop.is_set()


def test_no_items_no_threads() -> None:
    before = threading.active_count()
    assert list(as_answered(str, [], 4, threading.Event(), lambda: 0.0)) == []
    assert threading.active_count() == before


def test_the_first_error_is_raised_and_the_rest_is_stopped() -> None:
    called: list[int] = []

    def call(item: int) -> int:
        called.append(item)
        if item == 1:
            raise ValueError(item)
        return item

    stop = threading.Event()
    with pytest.raises(ValueError, match="1"):
        list(as_answered(call, range(100), 1, stop, lambda: 5.0))
    assert stop.is_set()
    assert called == [0, 1]


def test_a_call_that_hangs_is_left_when_the_time_is_over() -> None:
    hang, stop = threading.Event(), threading.Event()
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        list(as_answered(lambda item: hang.wait(20), [1], 1, stop, lambda: begun + 0.2 - time.monotonic()))
    assert time.monotonic() - begun < 2
    assert stop.is_set()
    hang.set()


def test_a_caller_that_leaves_stops_the_rest() -> None:
    stop = threading.Event()
    for _ in (answers := as_answered(str, range(50), 2, stop, lambda: 5.0)):
        break
    answers.close()  # type: ignore[attr-defined]
    assert stop.is_set()


def test_a_process_that_may_have_few_threads_works_with_those(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start
    started: list[threading.Thread] = []

    def limited(thread: threading.Thread) -> None:
        if len(started) == 2:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    answers = as_answered(str, range(9), 9, threading.Event(), lambda: 5.0)
    assert sorted(answers) == [(item, str(item)) for item in range(9)]
    assert len(started) == 2
