"""A server that answers in bytes, right or wrong, for what no well-behaved library can be made to send."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from .hub_server import COMMIT

Step = bytes | float | Literal["close", "reset"]
"""Bytes to send, seconds to wait, or how to end the connection."""


@dataclass(slots=True)
class Raw:
    """`answer(path, how often this connection was asked)`; more than `most` open connections are reset."""

    answer: Callable[[str, int], Iterable[Step]]
    most: int = 1000
    url: str = ""
    paths: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    open: set[socket.socket] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def raw_server(raw: Raw) -> Iterator[Raw]:
    """The server at `raw.url`, until the block ends."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        raw.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        threading.Thread(target=_accept, args=(raw, listener), daemon=True).start()
        try:
            yield raw
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in list(raw.open):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def _accept(raw: Raw, listener: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_serve, args=(raw, connection), daemon=True).start()


def _serve(raw: Raw, connection: socket.socket) -> None:
    with raw.lock:
        is_one_too_many = len(raw.open) >= raw.most
        if not is_one_too_many:
            raw.open.add(connection)
    with connection, suppress(OSError):
        if is_one_too_many:
            _reset(connection)
        else:
            _talk(raw, connection)
    with raw.lock:
        raw.open.discard(connection)


def _talk(raw: Raw, connection: socket.socket) -> None:
    asked = 0
    while head := _head(connection):
        path = head.split(b" ")[1].decode("latin-1")
        raw.paths.append(path)
        raw.heads.append(head)
        for step in raw.answer(path, asked):
            if isinstance(step, bytes):
                connection.sendall(step)
            elif step == "reset":
                _reset(connection)
                return
            elif step == "close" or _is_left(connection, step):
                return
        asked += 1


def _is_left(connection: socket.socket, seconds: float) -> bool:
    """Whether the client, which asks one thing at a time, hung up in so many seconds."""
    return bool(select.select([connection], [], [], seconds)[0])


def _head(connection: socket.socket) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = connection.recv(65_536)
        if not more:
            return b""
        head += more
    return head


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reply(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A whole answer with its length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def part(body: bytes, *headers: str) -> bytes:
    """A whole file as the answer to a range that it is shorter than."""
    return reply(body, f"Content-Range: bytes 0-{len(body) - 1}/{len(body)}", *headers, status="206 Partial Content")


def listing(files: Iterable[str]) -> bytes:
    """The answer that lists those files, of unknown sizes."""
    return reply(json.dumps({"sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}).encode())
