"""A Hub on the loopback for every test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hub_server import Hub, serve


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serve(Hub()) as running:
        yield running
