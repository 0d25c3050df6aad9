"""Headers over HTTP: a plain line for all that a server can do wrong, in bounded time and memory."""

from __future__ import annotations

import time

import pytest

from archcount.checkpoint.faults import FileTooShortError, HeaderTooLargeError, HeaderTruncatedError, WrongFormatError
from archcount.checkpoint.transport import Limits
from archcount.errors import (
    CheckpointError,
    HubError,
    HubUnreachableError,
    RepositoryGatedError,
    RepositoryNotFoundError,
)
from tests.hub_server import Hub

from .files import of_header_length, weights
from .repositories import INDEX, read, single

REFUSED = [
    ("status 401", RepositoryGatedError, "wants a valid token"),
    ("status 403", RepositoryGatedError, "accept its terms"),
    ("code GatedRepo", RepositoryGatedError, "accept its terms"),
    ("status 404", RepositoryNotFoundError, "check the spelling"),
    ("code RevisionNotFound", RepositoryNotFoundError, "no such revision"),
    ("code EntryNotFound", RepositoryNotFoundError, "no such file"),
    ("status 418", HubError, "HTTP 418"),
    ("status 429", HubUnreachableError, r"HTTP 429\) \(3 attempts\)"),
    ("status 500", HubUnreachableError, r"HTTP 500\) \(3 attempts\)"),
    ("status 503", HubUnreachableError, r"HTTP 503\) \(3 attempts\)"),
    ("wait 3600", HubUnreachableError, "try again in 3600 s"),
    ("hangup", HubUnreachableError, "3 attempts"),
    ("loop", HubError, "redirects"),
    ("to ftp://127.0.0.1/x", HubError, "a redirect to 'ftp', which is no http address: .*HF_ENDPOINT"),
    ("to http://[::1", HubError, "a redirect to no address .*HF_ENDPOINT"),
    ("to http://127.0.0.1:99999/x", HubError, "HF_ENDPOINT"),
    ("to http://a..b/x", HubError, "HF_ENDPOINT"),
]


@pytest.mark.parametrize(("trouble", "kind", "message"), REFUSED)
@pytest.mark.parametrize("where", ["api", "model.safetensors"])
def test_a_refusal_is_one_line(hub: Hub, where: str, trouble: str, kind: type[HubError], message: str) -> None:
    single(hub, weights())
    hub.trouble[where] = trouble
    with pytest.raises(HubError, match=message) as caught:
        read(hub)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(hub.repository)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("lies-start", "other bytes than those asked for"),
        ("no-content-range", "other bytes than those asked for"),
        ("lies-size", "by the Hub's list"),
        ("more", "more bytes than it says"),
        ("packed", "packs the file"),
        ("short", r"\(3 attempts\)"),
    ],
)
def test_a_server_that_lies_is_not_believed(hub: Hub, trouble: str, message: str) -> None:
    start, size = of_header_length(100_000)
    single(hub, start, size + 100_000)
    hub.trouble["model.safetensors"] = trouble
    with pytest.raises(HubError, match=message):
        read(hub)


@pytest.mark.parametrize(
    ("content", "size", "fault"),
    [
        (b"", 0, FileTooShortError),
        (b"1234567", 7, FileTooShortError),
        (b"\xff" * 16, 10**9, HeaderTooLargeError),
        (b"\0\0\x10\0\0\0\0\0{", 1000, HeaderTruncatedError),
        (b"PK\x03\x04\0\0\0\0\0\0", 10**9, WrongFormatError),
        (b"<html>" + b" " * 100, 106, WrongFormatError),
    ],
)
def test_a_broken_file_is_refused_on_its_first_bytes(
    hub: Hub, content: bytes, size: int, fault: type[CheckpointError]
) -> None:
    single(hub, content, size)
    with pytest.raises(fault, match=r"^owner/model/model\.safetensors: "):
        read(hub)
    assert len(hub.asked("model.safetensors")) == 1


@pytest.mark.parametrize("where", ["api", "model.safetensors"])
def test_a_server_that_stalls_is_left_at_the_time_limit(hub: Hub, where: str) -> None:
    single(hub, weights())
    hub.trouble[where] = "stall"
    begun = time.monotonic()
    with pytest.raises(HubUnreachableError):
        read(hub, Limits(total=1, silence=30, attempts=2, pause=0.01))
    assert time.monotonic() - begun < 4


def test_a_server_that_drips_is_left_at_the_time_limit(hub: Hub) -> None:
    single(hub, weights(50))
    hub.trouble["*"] = "drip"
    begun = time.monotonic()
    with pytest.raises(HubUnreachableError, match="within 1 s"):
        read(hub, Limits(total=1, silence=30, attempts=2, pause=0.01))
    assert time.monotonic() - begun < 4


def test_nobody_listens() -> None:
    hub = Hub(url="http://127.0.0.1:9")
    with pytest.raises(HubUnreachableError, match=r"^owner/model: .*\(3 attempts\): try again later"):
        read(hub)


def test_an_index_without_an_end_is_left_at_its_limit(hub: Hub) -> None:
    hub.files[INDEX] = b"{"
    hub.trouble[INDEX] = "endless"
    with pytest.raises(HubError, match="sends more than 100,000,000 bytes"):
        read(hub, Limits(total=60, silence=2, attempts=1))
