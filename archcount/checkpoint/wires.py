"""Connections of which is known whether they are new, and that can be cut from another thread.

urllib3 takes a kept connection that the server closed in the meantime for a failed request, and has no way to end a
request that is under way: a thread that reads from a server which sends without end would outlive the question.
"""

from __future__ import annotations

import queue
import socket
import threading
from contextlib import suppress
from typing import ClassVar, TypeVar
from weakref import WeakSet

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ProtocolError

_Kept = TypeVar("_Kept")


class Wires:
    """The connections one question has open; `pools` is what a PoolManager makes its pools of."""

    def __init__(self) -> None:
        self._open: WeakSet[_Wire] = WeakSet()
        self._lock = threading.Lock()
        self._is_cut = False
        self._thread = threading.local()
        self.pools = _pools(self)

    def begin(self) -> None:
        """A request of this thread begins."""
        self._thread.has_opened = False

    @property
    def has_opened(self) -> bool:
        """Whether the request of this thread opened a connection, rather than to use one again."""
        return bool(self._thread.has_opened)

    def admit(self, wire: _Wire) -> None:
        """Note a connection that is opened; raises ProtocolError once all are cut."""
        self._thread.has_opened = True
        with self._lock:
            if self._is_cut:
                raise ProtocolError("nobody waits for the answer")
            self._open.add(wire)

    def cut(self) -> None:
        """End what is being sent or read, in every thread; none is opened any more."""
        with self._lock:
            self._is_cut = True
            wires = list(self._open)
        for wire in wires:
            wire.cut()


class _Wire(HTTPConnection):
    wires: ClassVar[Wires]
    _line: object = None  # kept, since `sock` is gone while the last answer of a connection is read

    def connect(self) -> None:
        self.wires.admit(self)
        super().connect()
        self._line = self.sock
        self.wires.admit(self)  # all may have been cut while it had no socket yet

    def cut(self) -> None:
        """End what is being sent or read."""
        for line in (_socket(self._line), _socket(self.sock)):
            if line is not None:
                with suppress(OSError):  # closed already
                    # Not the method of an SSLSocket: that forgets the encryption, under a thread that reads.
                    socket.socket.shutdown(line, socket.SHUT_RDWR)


class _Idle(queue.LifoQueue[_Kept]):
    """A pool's connections, those that are open first; None stands for leave to open one.

    Otherwise the leave that a refused connection gives back would be taken before those that a server lets us keep.
    """

    def _put(self, item: _Kept) -> None:
        self.queue.insert(0 if item is None else len(self.queue), item)


def _socket(line: object) -> socket.socket | None:
    """The socket itself, also of TLS within TLS by way of a proxy."""
    return line if line is None or isinstance(line, socket.socket) else _socket(getattr(line, "socket", None))


def _pools(all_wires: Wires) -> dict[str, type]:
    class Plain(_Wire):
        wires = all_wires

    class Safe(Plain, HTTPSConnection):
        pass

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain
        QueueCls = _Idle

    class SafePool(HTTPSConnectionPool):
        ConnectionCls = Safe
        QueueCls = _Idle

    return {"http": PlainPool, "https": SafePool}
