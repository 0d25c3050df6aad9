"""Many calls at once, whose answers are taken as they come and which nobody waits for after Ctrl-C."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def as_answered(
    call: Callable[[Item], Answer],
    items: Sequence[Item],
    threads: int,
    stop: threading.Event,
    remaining: Callable[[], float],
) -> Iterator[tuple[Item, Answer]]:
    """Each item with its answer, in the order of the answers; the first error of a call is raised.

    `remaining` tells the seconds left; TimeoutError when there are none. Unless all are answered, `stop` is set. The
    threads are daemons: one that hangs in the network keeps neither the caller nor the end of the process waiting.
    """
    todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Item, Answer] | Exception] = queue.SimpleQueue()
    for item in items:
        todo.put(item)
    try:
        _start(min(threads, len(items)), lambda: _work(call, todo, done, stop))
        for _ in items:
            outcome = _next(done, remaining)
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome
    except BaseException:  # Ctrl-C and a caller that leaves, too
        stop.set()
        raise


def _start(threads: int, work: Callable[[], None]) -> None:
    """So many threads, or as many as this process may have; RuntimeError where it may have none."""
    for number in range(threads):
        try:
            threading.Thread(target=work, daemon=True).start()
        except RuntimeError:
            if number == 0:
                raise
            return


def _next(
    done: queue.SimpleQueue[tuple[Item, Answer] | Exception], remaining: Callable[[], float]
) -> tuple[Item, Answer] | Exception:
    try:
        return done.get(timeout=max(0.0, remaining()))
    except queue.Empty:
        raise TimeoutError from None


def _work(
    call: Callable[[Item], Answer],
    todo: queue.SimpleQueue[Item],
    done: queue.SimpleQueue[tuple[Item, Answer] | Exception],
    stop: threading.Event,
) -> None:
    while not stop.is_set():
        try:
            item = todo.get_nowait()
        except queue.Empty:
            return
        try:
            done.put((item, call(item)))
        except Exception as error:  # raised again where the answers are taken
            done.put(error)
            return
