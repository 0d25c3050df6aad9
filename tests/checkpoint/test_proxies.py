"""Which proxy is meant by what people write into their environment."""

from __future__ import annotations

import pytest

from archcount.checkpoint.proxies import Host, Proxy, SettingError, proxy_for

from .test_connections import PROXIES

HTTP = Host("http", "hub.example", 80)
HTTPS = Host("https", "hub.example", 443)


@pytest.fixture(autouse=True)
def _no_proxy_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("value", "proxy"),
    [
        ("http://p:1", Proxy("http://p:1", None, False)),
        ("p:1", Proxy("http://p:1", None, False)),
        ("//p:1", Proxy("http://p:1", None, False)),
        (" http://p:1/ ", Proxy("http://p:1/", None, False)),
        ("HTTPS://p:1", Proxy("HTTPS://p:1", None, True)),
        ("http://u%40x:p%3Aw@p:1", Proxy("http://u%40x:p%3Aw@p:1", "u@x:p:w", False)),
        ("http://u:é@p:1", Proxy("http://u:é@p:1", "u:Ã©", False)),
        ("http://u:%D0%BF@p:1", Proxy("http://u:%D0%BF@p:1", "u:\xd0\xbf", False)),
        ("", None),
        ("  ", None),
    ],
)
@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
def test_the_forms_of_an_address(monkeypatch: pytest.MonkeyPatch, name: str, value: str, proxy: Proxy | None) -> None:
    monkeypatch.setenv(name, value)
    assert proxy_for(HTTPS) == proxy


def test_each_scheme_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://a:1")
    monkeypatch.setenv("HTTPS_PROXY", "http://b:1")
    assert [proxy.address for host in (HTTP, HTTPS) if (proxy := proxy_for(host))] == ["http://a:1", "http://b:1"]


@pytest.mark.parametrize(
    ("exempt", "host", "is_exempt"),
    [
        ("*", HTTPS, True),
        (" * ", HTTPS, True),
        ("other.example, *", HTTPS, True),
        ("other.example , hub.example ", HTTPS, True),
        ("EXAMPLE", HTTPS, True),
        (".example", HTTPS, True),
        ("ample", HTTPS, False),
        ("hub.example:443", HTTPS, True),
        ("hub.example:80", HTTPS, False),
        ("::1", Host("https", "[::1]", 443), True),
        ("[::1]", Host("https", "[::1]", 443), True),
        ("", HTTPS, False),
    ],
)
def test_the_forms_of_an_exemption(monkeypatch: pytest.MonkeyPatch, exempt: str, host: Host, is_exempt: bool) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://p:1")
    monkeypatch.setenv("NO_PROXY", exempt)
    assert (proxy_for(host) is None) is is_exempt


@pytest.mark.parametrize(
    "value", ["http://p:abc", "http://p:99999", "http://", "http://[::1", "http://u:p#w@p:1", "a b"]
)
def test_an_address_that_is_none_is_not_quoted(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    with pytest.raises(SettingError, match=r"^the proxy's address is none$") as caught:
        proxy_for(HTTPS)
    assert caught.value.mend == "set HTTPS_PROXY to http://host:port, or unset it"
