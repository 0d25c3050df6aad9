"""What one question has got so far, over all its threads: how many answers, and how many bytes of headers."""

from __future__ import annotations

import threading

from ..errors import CheckpointError


class Ledger:
    """Safe to use from many threads; `most` bytes of headers are allowed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._claims: dict[str, int] = {}
        self._total = 0
        self._change = threading.Condition()
        self._is_closed = False
        self.answers = 0

    def answered(self) -> None:
        """One more stretch of a file has come."""
        with self._change:
            self.answers += 1
            self._change.notify()

    def wait(self, seconds: float) -> None:
        """Until another thread was answered, whose connection is free then; at most so long, and not once closed."""
        with self._change:
            if not self._is_closed:
                self._change.wait(seconds)

    def close(self) -> None:
        """Nobody needs to wait any more."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()

    def claim(self, file: str, size: int) -> None:
        """Before so many bytes of a file are held; asked again, the last size counts.

        Raises CheckpointError: with them there are too many for the memory of an honest reader.
        """
        with self._change:
            self._total += size - self._claims.get(file, 0)
            self._claims[file] = size
            is_too_much = self._total > self._most
        if is_too_much:
            raise CheckpointError(
                f"{file}: with it the headers of the repository exceed {self._most:,} bytes: download it first"
            )
