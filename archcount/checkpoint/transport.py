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
from .ledger import Ledger
from .refusals import TRY_AGAIN, in_words, mend, refusal, trouble

_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)")
_LONGEST_PAUSE = 8.0  # seconds, unless the server asks for more
_MOST_DOUBLINGS = 10
_CHUNK = 1 << 20  # bytes
_PEEK = 64  # bytes that tell how long a header is, and what a file is instead

Enough = Callable[[bytes], int]  # from the first bytes of a file: how many of its bytes are enough


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how hard to try: times in seconds, `connections` at once, `headers` bytes of them in all.

    `attempts` in which nothing of the whole question was answered: a server that serves a few at once is waited for.
    """

    total: float = 180.0
    silence: float = 20.0
    attempts: int = 4
    pause: float = 0.5
    connections: int = 64
    headers: int = 250_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """One user's question: its limits, the headers of its requests, what it got, and what ends it."""

    limits: Limits
    headers: Mapping[str, str]
    connections: Connections
    ledger: Ledger
    begun: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)

    def remaining(self) -> float:
        """Seconds left."""
        return self.begun + self.limits.total - time.monotonic()

    def end(self) -> None:
        """End what other threads still do for it."""
        self.stop.set()
        self.ledger.close()
        self.connections.close()

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
    """Why one attempt failed, the seconds the server asks to wait, and whether it may have had too many others."""

    problem: str
    wait: float = 0.0
    is_crowded: bool = False


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
    tries, failed, answers = 0, 0, call.ledger.answers
    while failed < call.limits.attempts:
        call.check()
        reply = _attempt(call, url, what, span, enough)
        if isinstance(reply, Stretch):
            call.ledger.answered()
            return reply
        pause = min(_LONGEST_PAUSE, call.limits.pause * 2 ** min(tries, _MOST_DOUBLINGS)) * random.uniform(0.75, 1.25)
        tries += 1
        failed = failed + 1 if call.ledger.answers == answers else 1
        answers = call.ledger.answers
        if failed == call.limits.attempts or max(pause, reply.wait) > call.remaining():
            after = f"in {reply.wait:.0f} s" if reply.wait else "later"
            raise HubUnreachableError(f"{what}: {reply.problem} ({tries} attempts): try again {after}")
        if reply.is_crowded:
            call.ledger.wait(pause)
        else:
            call.stop.wait(max(pause, reply.wait))
    raise HubUnreachableError(f"{what}: not asked for: allow at least one attempt")


def _attempt(call: Call, url: str, what: str, span: tuple[int, int] | None, enough: Enough) -> Stretch | _Trouble:
    try:
        return _once(call, url, what, span, enough)
    except HTTPError as error:
        if advice := mend(error):
            raise HubError(f"{what}: {in_words(error)}: {advice}") from error
        return _Trouble(in_words(error), is_crowded=True)


def _once(call: Call, url: str, what: str, span: tuple[int, int] | None, enough: Enough) -> Stretch | _Trouble:
    headers = {**call.headers, "accept-encoding": "identity"}
    if span:
        headers["range"] = f"bytes={span[0]}-{span[1] - 1}"
    timeout = max(0.001, min(call.limits.silence, call.remaining()))
    with call.connections.get(url, headers, timeout) as response:
        status = response.status
        packed_by = response.headers.get("content-encoding", "").strip().lower()
        if status in (200, 206) and packed_by not in ("", "identity"):
            raise HubError(f"{what}: the server packs the file though asked not to: use another endpoint")
        if status == 206 and span:
            return _read_span(call, response, what, span)
        if status == 200:
            return _read_start(call, response, enough)
        if status == 416 and span and span[0] == 0:
            return Stretch(b"", 0, 0)  # the file is empty
        if status in TRY_AGAIN:
            wait = _retry_after(response)
            return _Trouble(trouble(status), wait, is_crowded=status == 503 and not wait)
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
    size = int(length) if length.isdecimal() and len(length) < 20 else None
    data = bytearray()
    while chunk := response.read1(_CHUNK):
        call.check()
        data += chunk
        if len(data) >= enough(bytes(data[:_PEEK])):
            break
    else:
        size = len(data)  # to its end
    return Stretch(bytes(data), 0, size)


def _retry_after(response: BaseHTTPResponse) -> float:
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() and len(seconds) < 8 else 0.0
