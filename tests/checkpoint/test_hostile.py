"""Answers that no honest server sends: one line each, at once, and never a verdict on a file that was not read."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from archcount.checkpoint.faults import WrongFormatError
from archcount.checkpoint.remote import read_remote
from archcount.checkpoint.transport import Limits
from archcount.errors import CheckpointError, HubError, HubUnreachableError
from tests.hub_server import COMMIT
from tests.raw_server import Raw, Step, listing, part, raw_server, reply

from .files import weights

LIMITS = Limits(total=10, silence=0.5, attempts=2, pause=0.01)
FILE = weights(2)
LIST = listing(["model.safetensors"])
RANGE = f"Content-Range: bytes 0-{len(FILE) - 1}/{len(FILE)}".encode()
CHUNKED = b"HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\n" + RANGE + b"\r\n\r\n"


def entries(raw: Raw) -> int:
    with raw_server(raw):
        return len(read_remote("owner/model", token=False, endpoint=raw.url, limits=LIMITS).entries)


def error(raw: Raw, kind: type[Exception]) -> str:
    with pytest.raises((HubError, CheckpointError)) as caught:
        entries(raw)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


def file_as(*steps: Step) -> Raw:
    return Raw(lambda path, asked: [LIST] if path.startswith("/api/") else steps)


def listed_as(text: str) -> Raw:
    return Raw(lambda path, asked: [reply(text.encode()) if path.startswith("/api/") else part(FILE)])


@pytest.mark.parametrize(
    "steps",
    [
        [CHUNKED + f"{len(FILE):x};a=b\r\n".encode() + FILE + b"\r\n0\r\nX: y\r\n\r\n"],
        [CHUNKED + b"".join(b"1\r\n%c\r\n" % byte for byte in FILE) + b"0\r\n\r\n"],
        [b"HTTP/1.1 206 Partial Content\r\n" + RANGE + b"\r\n\r\n" + FILE, "close"],
        [b"HTTP/1.1 100 Continue\r\n\r\n" * 50 + part(FILE)],
        [part(FILE, "Content-Encoding: Identity", "Set-Cookie: a=b")],
        [part(FILE, "Content-Encoding: ")],
        [part(FILE) + part(FILE)],
    ],
)
def test_an_answer_that_is_odd_is_read(steps: list[Step]) -> None:
    assert entries(file_as(*steps)) == 2


@pytest.mark.parametrize(
    "steps",
    [
        [b"HTTP/1.1 206 P\r\n" + b"X: y\r\n" * 101 + b"\r\n"],
        [b"HTTP/1.1 206 " + b"P" * 1_000_000 + b"\r\n\r\n"],
        [b"<html>" * 10_000 + b"\r\n\r\n"],
        [b"\x1b[31mHTTP\r\n\r\n"],
        [CHUNKED + b"ffffffffffffffffff\r\n" + FILE],
        [CHUNKED + b"-5\r\n" + FILE],
        [CHUNKED + b"zz\r\n" + FILE],
        [CHUNKED + b"1" * 100_000],
        [part(FILE, "Content-Length: 3")],
        [part(FILE).replace(b"Length: ", b"Length: -")],
        [part(FILE).replace(b"Length: ", b"Length: 9")],
        [part(FILE)[:-9], "close"],
        [part(FILE)[:-9], "reset"],
        [part(FILE)[:20], "reset"],
    ],
)
def test_an_answer_that_breaks_is_tried_anew_and_said(steps: list[Step]) -> None:
    assert error(file_as(*steps), HubUnreachableError).endswith("(2 attempts): try again later")


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("x" * 60_000 + ":y", "which is no http address"),
        ("http://127.0.0.1:99999/" + "a" * 60_000, "a redirect to no address"),
        ("http://" + "a" * 70 + ".example/", "label"),
    ],
)
def test_a_redirect_to_nowhere(location: str, message: str) -> None:
    raw = file_as(reply(b"", f"Location: {location}", status="302 Found"))
    text = error(raw, HubError)
    assert "HF_ENDPOINT" in text
    assert message in text or "…" in text


ENDLESS = [
    b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + b"5\r\nabcde\r\n" * 20_000,
    b"Content-Length: 5, 5\r\n\r\n" + b"x" * 200_000,
    b"\r\n" + b"x" * 200_000,
    b"Content-Length: 5\r\n\r\nab",
]


@pytest.mark.parametrize("rest", ENDLESS)
def test_the_body_of_a_redirect_is_not_waited_for(rest: bytes) -> None:
    def answer(path: str, asked: int) -> Iterable[Step]:
        if path == "/there?a=%C3%A9%20b":
            return [part(FILE)]
        slow: list[Step] = [b"x", 0.2] * 40
        start = "HTTP/1.1 302 Found\r\nLocation: /there?a=é%20b\r\n".encode()
        return [LIST] if path.startswith("/api/") else [start + rest, *slow]

    assert entries(Raw(answer)) == 2


@pytest.mark.parametrize("status", [425, 500, 507, 520, 529])
def test_a_server_in_trouble_is_asked_again(status: int) -> None:
    assert f"(HTTP {status}) (2 attempts)" in error(file_as(reply(b"", status=f"{status} X")), HubUnreachableError)


@pytest.mark.parametrize("status", [103, 201, 204, 300, 304, 305, 410, 501, 505, 999])
def test_a_status_without_the_file_is_refused_at_once(status: int) -> None:
    raw = file_as(reply(b"", status=f"{status} X"))
    assert f"HTTP {status}" in error(raw, HubError)
    assert len(raw.paths) == 2


@pytest.mark.parametrize("headers", [b"", b"\r\nContent-Length: 0"])
def test_an_answer_cut_short_is_no_verdict_on_the_file(headers: bytes) -> None:
    one = {"rfilename": "model.safetensors", "size": len(FILE)}
    names = reply(json.dumps({"sha": COMMIT, "siblings": [one]}).encode())
    answer = b"HTTP/1.1 200 OK" + headers + b"\r\n\r\n"
    raw = Raw(lambda path, asked: [names] if path.startswith("/api/") else [answer, "close"])
    assert "by the Hub's list, 0 by its answer" in error(raw, HubError)


def test_a_part_cut_short_whose_size_is_not_told_is_no_verdict_on_the_file() -> None:
    one = {"rfilename": "model.safetensors", "size": len(FILE)}
    names = reply(json.dumps({"sha": COMMIT, "siblings": [one]}).encode())
    some = reply(FILE[:5], "Content-Range: bytes 0-4/*", status="206 Partial Content")
    raw = Raw(lambda path, asked: [names] if path.startswith("/api/") else [some])
    assert f"the server sends 5 bytes of a file of {len(FILE)}: " in error(raw, HubError)


GOOD = f'{{"rfilename":"model.safetensors","size":{len(FILE)}}}'


@pytest.mark.parametrize(
    "text",
    [
        '{"x":' + "[" * 100_000 + "]" * 100_000 + ',"sha":"a","siblings":[]}',
        '{"sha":"a","siblings":[{"rfilename":"x","size":NaN}]}',
        '{"sha":"a","siblings":[{"rfilename":"model.safetensors","size":-5}]}',
        '{"sha":"a","siblings":[{"rfilename":"model.safetensors","size":1e3}]}',
        '{"sha":"a","siblings":[{"rfilename":"' + "x" * 5000 + '"}]}',
        f'{{"sha":null,"siblings":[{GOOD}]}}',
        f'{{"sha":"","siblings":[{GOOD}]}}',
        f'{{"sha":"../../x?y#z","siblings":[{GOOD}]}}',
        f'{{"sha":"\\u001b[31m","siblings":[{GOOD}]}}',
        f'{{"sha":"a\\n","siblings":[{GOOD}]}}',
        f'{{"sha":"\\ud800","siblings":[{GOOD}]}}',
    ],
)
def test_a_list_of_files_that_is_none(text: str) -> None:
    assert "the Hub's answer is no list of files" in error(listed_as(text), HubError)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a?b", "a%3Fb"),
        ("a#b", "a%23b"),
        ("..%2f..%2fx", "..%252f..%252fx"),
        ("a\nb", "a%0Ab"),
        ("é", "%C3%A9"),
    ],
)
def test_a_name_is_asked_for_as_it_is(name: str, path: str) -> None:
    raw = listed_as(json.dumps({"sha": COMMIT, "siblings": [{"rfilename": f"{name}.safetensors"}]}))
    assert entries(raw) == 2
    assert raw.paths[-1] == f"/owner/model/resolve/{COMMIT}/{path}.safetensors"


def test_an_error_on_a_name_with_a_line_break_is_one_line() -> None:
    siblings = [{"rfilename": "a\nb.safetensors", "size": 1}]
    assert r"'a\nb.safetensors'" in error(listed_as(json.dumps({"sha": COMMIT, "siblings": siblings})), HubError)


def test_an_index_that_names_itself() -> None:
    name = "model.safetensors.index.json"

    def answer(path: str, asked: int) -> Iterable[Step]:
        index = json.dumps({"weight_map": {"w": name}}).encode()
        if path.startswith("/api/"):
            return [listing([name])]
        return [part(index) if raw.paths.count(path) > 1 else reply(index)]

    raw = Raw(answer)
    assert "a JSON file, not safetensors" in error(raw, WrongFormatError)
