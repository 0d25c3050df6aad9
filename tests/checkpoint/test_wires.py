"""Connections: a stale one is no failure, a crowded server is waited for, and nothing outlives the question."""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator

import pytest

from archcount.checkpoint.remote import read_remote
from archcount.checkpoint.result import Checkpoint
from archcount.checkpoint.transport import Limits
from archcount.errors import CheckpointError, HubError
from tests.hub_server import Hub
from tests.raw_server import Raw, Step, listing, part, raw_server, reply

from .files import weights
from .repositories import INDEX, sharded

COUNT = 40
_HUB = Hub()
sharded(_HUB, COUNT)
FILES = _HUB.files
ONE_ATTEMPT = Limits(total=20, silence=2, attempts=1, pause=0.01)
ANSWERS = COUNT + 2


def right(path: str) -> bytes:
    if path.startswith("/api/"):
        return listing(FILES)
    name = path.rpartition("/")[2]
    return reply(FILES[name]) if name == INDEX else part(FILES[name])


def read(raw: Raw, limits: Limits = ONE_ATTEMPT) -> Checkpoint:
    return read_remote("owner/model", token=False, endpoint=raw.url, limits=limits)


def closes(path: str, asked: int) -> Iterable[Step]:
    return [right(path), "close"]


def closes_late(path: str, asked: int) -> Iterable[Step]:
    return [right(path), 0.003, "close"]


def resets_the_second(path: str, asked: int) -> Iterable[Step]:
    return ["reset"] if asked else [right(path)]


def leaves_the_second(path: str, asked: int) -> Iterable[Step]:
    return ["close"] if asked else [right(path)]


@pytest.mark.parametrize("answer", [closes, closes_late, resets_the_second, leaves_the_second])
def test_a_connection_that_went_stale_takes_no_attempt(answer: Callable[[str, int], Iterable[Step]]) -> None:
    with raw_server(Raw(answer)) as raw:
        assert len(read(raw).entries) == 3 * COUNT


def test_a_new_connection_that_breaks_takes_one() -> None:
    with raw_server(Raw(lambda path, asked: ["close"])) as raw, pytest.raises(HubError, match=r"\(1 attempts\)"):
        read(raw)
    assert len(raw.paths) == 1


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_a_server_of_few_connections_is_waited_for(seconds: float) -> None:
    with raw_server(Raw(lambda path, asked: [seconds, right(path)], most=3)) as raw:
        begun = time.monotonic()
        assert len(read(raw, Limits(total=30, silence=5, pause=0.1)).entries) == 3 * COUNT
    assert len(raw.paths) == ANSWERS
    assert time.monotonic() - begun < 15


def test_a_server_that_answers_few_at_once_is_waited_for() -> None:
    room = threading.Semaphore(3)

    def answer(path: str, asked: int) -> Iterable[Step]:
        if not room.acquire(blocking=False):
            yield reply(b"", status="503 Service Unavailable")
            return
        yield 0.05
        room.release()
        yield right(path)

    with raw_server(Raw(answer)) as raw:
        assert len(read(raw, Limits(total=30, silence=5, pause=0.2)).entries) == 3 * COUNT


def stalls(path: str, asked: int) -> Iterable[Step]:
    return [right(path)] if path.startswith("/api/") else [30.0]


def _drip(byte: bytes) -> Iterator[Step]:
    while True:
        yield byte
        yield 0.05


def drips(path: str, asked: int) -> Iterable[Step]:
    return [right(path)] if path.startswith("/api/") else _drip(b"H")


def redirects_slowly(path: str, asked: int) -> Iterable[Step]:
    start = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 9000\r\n\r\n"
    return [right(path)] if path.startswith("/api/") else itertools.chain([start], _drip(b"x"))


def lacks_one(path: str, asked: int) -> Iterable[Step]:
    if path.startswith("/api/"):
        return [right(path)]
    return [reply(b"", status="404 Not Found")] if path.endswith("00007-of-00040.safetensors") else [30.0]


@pytest.mark.parametrize("answer", [stalls, drips, redirects_slowly, lacks_one])
def test_nothing_is_left_behind(answer: Callable[[str, int], Iterable[Step]]) -> None:
    gc.collect()
    before = set(threading.enumerate())
    with raw_server(Raw(answer)) as raw:
        with pytest.raises(HubError):
            read(raw, Limits(total=0.4, silence=30, attempts=1))
        deadline = time.monotonic() + 3
        while (left := _readers(before) + len(raw.open)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert left == 0


def _readers(before: set[threading.Thread]) -> int:
    return sum("_work" in thread.name for thread in set(threading.enumerate()) - before)


@pytest.mark.skipif(sys.platform != "linux", reason="open files are counted as Linux lists them")
def test_a_process_that_asks_often_keeps_nothing() -> None:
    with raw_server(Raw(lambda path, asked: [right(path)])) as raw:
        counts = []
        for _ in range(2):
            for _ in range(10):
                read(raw)
            gc.collect()
            deadline = time.monotonic() + 3
            while raw.open and time.monotonic() < deadline:
                time.sleep(0.02)
            counts.append((len(os.listdir("/proc/self/fd")), threading.active_count()))  # noqa: PTH208
    assert counts[0] == counts[1]


def test_headers_without_end_in_all_are_refused_before_they_are_held() -> None:
    start = (50_000_000).to_bytes(8, "little") + b'{"w'

    def answer(path: str, asked: int) -> Iterable[Step]:
        if path.startswith("/api/"):
            return [listing(f"model-{number:05}-of-00020.safetensors" for number in range(1, 21))]
        return [b"HTTP/1.1 200 OK\r\nContent-Length: 50000008\r\n\r\n" + start, 30.0]

    with raw_server(Raw(answer)) as raw, pytest.raises(HubError, match=r"silent"):
        read(raw, Limits(total=20, silence=0.3, attempts=1, headers=10**9))
    message = r"with it the headers of the repository exceed 49,000,000 bytes"
    with raw_server(Raw(answer)) as raw, pytest.raises(CheckpointError, match=message):
        read(raw, Limits(total=20, silence=5, attempts=1, headers=49_000_000))


def test_weights_of_one_file_are_read_as_ever() -> None:
    files = {"model.safetensors": weights()}
    with raw_server(Raw(lambda path, asked: [listing(files) if "/api/" in path else part(weights())])) as raw:
        assert len(read(raw).entries) == 2
