"""A stretch of a file on the Hub: retried, bounded in bytes and in time."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from ..errors import HubError, HubUnreachableError
from .connections import Connections
from .refusals import TRY_AGAIN, in_words, mend, refusal, trouble

_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")
_LONGEST_PAUSE = 8.0  # seconds, unless the server asks for more
_CHUNK = 1 << 20  # bytes
_PEEK = 64  # bytes that tell how long a header is, and what a file is instead

Enough = Callable[[bytes], int]  # from the first bytes of a file: how many of its bytes are enough


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how hard to try: times in seconds, `connections` at once."""

    total: float = 180.0
    silence: float = 20.0
    attempts: int = 4
    pause: float = 0.5
    connections: int = 64


@dataclass(frozen=True, slots=True)
class Call:
    """One user's question: its limits, the headers of its requests, when it began, and the switch that ends it."""

    limits: Limits
    headers: Mapping[str, str]
    connections: Connections
    begun: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)

    def remaining(self) -> float:
        """Seconds left."""
        return self.begun + self.limits.total - time.monotonic()

    def check(self) -> None:
        """Raises TimeoutError once nobody waits for the answer."""
        if self.stop.is_set() or self.remaining() <= 0:
            raise TimeoutError


@dataclass(frozen=True, slots=True)
class Stretch:
    """Bytes of a file from byte `start` on, and the size of the whole file where the server told it."""

    data: bytes
    start: int
    size: int | None


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why one attempt failed, and the seconds the server asks to wait."""

    problem: str
    wait: float = 0.0


def fetch(call: Call, url: str, what: str, limit: int) -> bytes:
    """The whole of a small file, of at most `limit` bytes; `what` names it in an error.

    Raises a HubError, TimeoutError.
    """
    data = _attempts(call, url, what, None, lambda first: limit + 1).data
    if len(data) > limit:
        raise HubError(f"{what}: the server sends more than {limit:,} bytes: not the file that was asked for")
    return data


def fetch_stretch(call: Call, url: str, what: str, span: tuple[int, int], enough: Enough) -> Stretch:
    """The bytes of a file from span[0] to before span[1], fewer where it ends.

    Of a server that ignores ranges the start of the file is read, until `enough`. Raises a HubError, TimeoutError, and
    what `enough` raises.
    """
    return _attempts(call, url, what, span, enough)


def _attempts(call: Call, url: str, what: str, span: tuple[int, int] | None, enough: Enough) -> Stretch:
    for attempt in range(call.limits.attempts):
        call.check()
        try:
            reply = _once(call, url, what, span, enough)
        except HTTPError as error:
            if advice := mend(error):
                raise HubError(f"{what}: {in_words(error)}: {advice}") from error
            reply = _Trouble(in_words(error))
        if isinstance(reply, Stretch):
            return reply
        pause = min(_LONGEST_PAUSE, call.limits.pause * 2**attempt) * random.uniform(0.75, 1.25)
        is_last = attempt + 1 == call.limits.attempts
        if is_last or max(pause, reply.wait) > call.remaining():
            after = f"in {reply.wait:.0f} s" if reply.wait else "later"
            raise HubUnreachableError(f"{what}: {reply.problem} ({attempt + 1} attempts): try again {after}")
        call.stop.wait(max(pause, reply.wait))
    raise HubUnreachableError(f"{what}: not asked for: allow at least one attempt")


def _once(call: Call, url: str, what: str, span: tuple[int, int] | None, enough: Enough) -> Stretch | _Trouble:
    headers = {**call.headers, "accept-encoding": "identity"}
    if span:
        headers["range"] = f"bytes={span[0]}-{span[1] - 1}"
    timeout = max(0.001, min(call.limits.silence, call.remaining()))
    with call.connections.get(url, headers, timeout) as response:
        status = response.status
        if status in (200, 206) and response.headers.get("content-encoding", "identity") != "identity":
            raise HubError(f"{what}: the server packs the file though asked not to: use another endpoint")
        if status == 206 and span:
            return _read_span(call, response, what, span)
        if status == 200:
            return _read_start(call, response, enough)
        if status == 416 and span and span[0] == 0:
            return Stretch(b"", 0, 0)  # the file is empty
        if status in TRY_AGAIN:
            return _Trouble(trouble(status), _retry_after(response))
        raise refusal(status, response.headers.get("x-error-code", ""), what)


def _read_span(call: Call, response: BaseHTTPResponse, what: str, span: tuple[int, int]) -> Stretch | _Trouble:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("content-range", ""))
    if match is None or int(match[1]) != span[0] or not span[0] <= int(match[2]) < span[1]:
        raise HubError(f"{what}: the server answers with other bytes than those asked for: use another endpoint")
    size = None if match[3] == "*" else int(match[3])
    promised = int(match[2]) - span[0] + 1
    data = bytearray()
    while chunk := response.read1(_CHUNK):  # to its end, for only then the connection can be used again
        call.check()
        data += chunk
        if len(data) > promised:
            raise HubError(f"{what}: the server sends more bytes than it says: use another endpoint")
    asked = span[1] - span[0] if size is None else min(span[1], size) - span[0]
    if len(data) < promised or (promised < asked and size is not None):
        return _Trouble(f"the server sent {len(data):,} of {asked:,} bytes")
    return Stretch(bytes(data), span[0], size)


def _read_start(call: Call, response: BaseHTTPResponse, enough: Enough) -> Stretch:
    length = response.headers.get("content-length", "")
    data = bytearray()
    while chunk := response.read1(_CHUNK):
        call.check()
        data += chunk
        if len(data) >= enough(bytes(data[:_PEEK])):
            break
    return Stretch(bytes(data), 0, int(length) if length.isdecimal() and len(length) < 20 else None)


def _retry_after(response: BaseHTTPResponse) -> float:
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() and len(seconds) < 8 else 0.0
