"""The way to the Hub: certificates, proxies, tokens, and connections that are used again."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from archcount.checkpoint.connections import host_of
from archcount.checkpoint.proxies import Host
from archcount.checkpoint.remote import read_remote
from archcount.checkpoint.transport import Limits
from archcount.errors import HubError, HubUnreachableError
from tests.hub_server import Hub, serve

from .files import weights
from .repositories import LIMITS, read, sharded, single

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


@pytest.fixture(autouse=True)
def _no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def safe_hub(authority: trustme.CA) -> Iterator[Hub]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serve(Hub(), context) as running:
        yield running


def test_a_certificate_of_the_environment_is_trusted(
    safe_hub: Hub, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    sharded(safe_hub, 3)
    safe_hub.token = "hf_secret"
    safe_hub.trouble["model-00002-of-00003.safetensors"] = "second"
    assert len(read(safe_hub, token="hf_secret").entries) == 9


def test_a_certificate_nobody_trusts_is_refused_at_once(safe_hub: Hub) -> None:
    single(safe_hub, weights())
    with pytest.raises(HubError, match=r"no safe connection: .*SSL_CERT_FILE") as caught:
        read(safe_hub)
    assert type(caught.value) is HubError
    assert safe_hub.requests == []


def test_a_proxy_is_asked_for_every_host_but_those_it_is_not_for(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    sharded(hub, 3)
    hub.trouble["model-00001-of-00003.safetensors"] = "second"
    monkeypatch.setenv("HTTP_PROXY", hub.url.replace("://", "://user:pass%40word@"))
    monkeypatch.setenv("NO_PROXY", hub.second_url.removeprefix("http://"))
    checkpoint = read_remote(hub.repository, token=False, endpoint="http://hub.example", limits=LIMITS)
    assert len(checkpoint.entries) == 9
    login = "Basic " + base64.b64encode(b"user:pass@word").decode()
    seen = {(request.host, request.proxy_authorization) for request in hub.requests}
    assert seen == {("hub.example", login), (hub.second_url.removeprefix("http://"), None)}


@pytest.mark.parametrize(
    ("proxy", "message", "kind"),
    [
        ("http://127.0.0.1:1", r"the proxy \(HTTPS_PROXY\) does not serve: .*3 attempts", HubUnreachableError),
        ("127.0.0.1:1", r"the proxy \(HTTPS_PROXY\) does not serve: .*3 attempts", HubUnreachableError),
        ("socks5://127.0.0.1:1", "unsupported scheme socks5.*: name an http proxy", HubError),
    ],
)
def test_a_proxy_that_does_not_serve(
    monkeypatch: pytest.MonkeyPatch, proxy: str, message: str, kind: type[HubError]
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(HubError, match=message) as caught:
        read_remote("owner/model", token=False, endpoint="http://hub.example", limits=LIMITS)
    assert type(caught.value) is kind


@pytest.mark.parametrize("token", ["hf_a\nb", "hf_é", "hf a"])
def test_a_token_that_is_none(hub: Hub, token: str) -> None:
    single(hub, weights())
    with pytest.raises(HubError, match="a character that no token has"):
        read(hub, token=token)
    assert hub.requests == []


def test_a_token_does_not_follow_a_redirect_back(hub: Hub) -> None:
    single(hub, weights())
    hub.token = "hf_secret"
    hub.trouble["model.safetensors"] = f"to {hub.second_url}/owner/model/resolve/x/back.safetensors"
    hub.trouble["back.safetensors"] = f"to {hub.url}/owner/model/resolve/x/again.safetensors"
    hub.files["again.safetensors"] = weights()
    with pytest.raises(HubError, match="access refused"):
        read(hub, token="hf_secret")
    assert [request.authorization for request in hub.asked("again.safetensors")] == [None]


def test_connections_are_used_again(hub: Hub) -> None:
    sharded(hub, 30)
    hub.trouble = {file: "second" for file in hub.files if file.endswith(".safetensors")}
    assert len(read(hub, Limits(total=20, silence=2, attempts=1, connections=3)).entries) == 90
    assert len(hub.requests) == 62
    assert hub.connections <= 7


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"", "no certificate in it"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "no certificate in it"),
    ],
)
def test_a_certificate_that_cannot_be_read(
    safe_hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "authority.pem"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    single(safe_hub, weights())
    with pytest.raises(HubError) as caught:
        read(safe_hub)
    where = f"SSL_CERT_FILE {str(file)!r} cannot be read ({reason})"
    assert str(caught.value) == f"owner/model: {where}: set SSL_CERT_FILE anew, or unset it"


def test_a_proxy_whose_login_is_no_ascii(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    single(hub, weights())
    monkeypatch.setenv("HTTP_PROXY", hub.url.replace("://", "://u:п@"))
    read_remote(hub.repository, token=False, endpoint="http://hub.example", limits=LIMITS)
    login = "Basic " + base64.b64encode("u:п".encode()).decode()
    assert {request.proxy_authorization for request in hub.requests} == {login}


def test_a_proxy_that_wants_a_login(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.trouble["api"] = "status 407"
    monkeypatch.setenv("HTTP_PROXY", hub.url)
    with pytest.raises(HubError, match=r"the proxy wants a login \(HTTP 407\): set HTTPS_PROXY"):
        read_remote(hub.repository, token=False, endpoint="http://hub.example", limits=LIMITS)


@pytest.mark.parametrize(("url", "port"), [("http://a/x", 80), ("https://A:443/x", 443), ("https://a?x", 443)])
def test_a_host_is_the_same_with_its_usual_port(url: str, port: int) -> None:
    assert host_of(url) == Host(url.partition(":")[0], "a", port)
