"""What a question has got so far."""

from __future__ import annotations

import threading
import time

import pytest

from archcount.checkpoint.ledger import Ledger
from archcount.errors import CheckpointError


def test_a_file_is_counted_once_however_often_it_is_asked_for() -> None:
    ledger = Ledger(100)
    for _ in range(5):
        ledger.claim("a", 60)
    ledger.claim("b", 40)
    with pytest.raises(CheckpointError, match=r"^c: with it the headers of the repository exceed 100 bytes: "):
        ledger.claim("c", 1)


def test_one_who_waits_goes_on_when_another_was_answered() -> None:
    ledger = Ledger(0)
    threading.Timer(0.05, ledger.answered).start()
    begun = time.monotonic()
    ledger.wait(20)
    assert time.monotonic() - begun < 10
    assert ledger.answers == 1


def test_nobody_waits_once_it_is_closed() -> None:
    ledger = Ledger(0)
    threading.Timer(0.05, ledger.close).start()
    begun = time.monotonic()
    ledger.wait(20)
    ledger.wait(20)
    assert time.monotonic() - begun < 10
