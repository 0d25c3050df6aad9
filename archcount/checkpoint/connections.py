"""Connections to the Hub and the hosts it redirects to: one a request at once, kept open, by way of the usual proxies.

The Hub's own session keeps twenty connections open, so that of sixty-four most are made anew for each file.
"""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from urllib.parse import quote, urljoin

import truststore
from urllib3 import BaseHTTPResponse, PoolManager, ProxyManager, make_headers
from urllib3.exceptions import HTTPError, ProtocolError, SSLError
from urllib3.util import parse_url

from .proxies import Host, SettingError, proxy_for
from .wires import Wires

_MOST_REDIRECTS = 10
_SHORT = 10_000  # bytes of a redirect that are read, so that the connection can be used again
_PORTS = {"http": 80, "https": 443}
_ASCII = "".join(map(chr, range(33, 127)))


class RedirectError(HTTPError):
    """Redirects that do not end, or that lead to no http address."""


class Connections:
    """At most `at_once` open connections a host; safe to use from many threads."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._managers: dict[Host, PoolManager] = {}
        self._lock = threading.Lock()
        self._wires = Wires()

    def get(self, url: str, headers: Mapping[str, str], timeout: float) -> BaseHTTPResponse:
        """The answer at the end of the redirects, its body unread; a token is for the first host only.

        `timeout` in seconds, for each wait. Raises an HTTPError of urllib3.
        """
        for _ in range(_MOST_REDIRECTS):
            host = host_of(url)
            response = self._ask(self._manager(host), url, headers, timeout)
            location = response.get_redirect_location()
            if not location:
                return response
            _leave(response)
            url = _target(url, location)
            if host_of(url) != host:
                headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
        raise RedirectError(f"more than {_MOST_REDIRECTS} redirects")

    def close(self) -> None:
        """Close what is open, and end what other threads are reading."""
        self._wires.cut()
        with self._lock:
            managers = list(self._managers.values())
        for manager in managers:
            manager.clear()

    def _ask(self, manager: PoolManager, url: str, headers: Mapping[str, str], timeout: float) -> BaseHTTPResponse:
        while True:
            self._wires.begin()
            try:
                return manager.request(
                    "GET",
                    url,
                    headers=headers,
                    timeout=timeout,
                    retries=False,
                    redirect=False,
                    preload_content=False,
                    decode_content=False,
                )
            except (ProtocolError, SSLError) as error:
                # What is idle a server may close when it likes: that is no failure, another connection is tried.
                if self._wires.has_opened or not isinstance(error.args[-1], OSError):
                    raise

    def _manager(self, host: Host) -> PoolManager:
        with self._lock:
            if host not in self._managers:
                self._managers[host] = self._new_manager(host)
                self._managers[host].pool_classes_by_scheme = self._wires.pools
            return self._managers[host]

    def _new_manager(self, host: Host) -> PoolManager:
        proxy = proxy_for(host)
        context = self._trust if host.scheme == "https" or (proxy and proxy.is_safe) else None
        if proxy is None:
            return PoolManager(maxsize=self._at_once, ssl_context=context)
        return ProxyManager(
            proxy.address,
            maxsize=self._at_once,
            ssl_context=context,
            proxy_ssl_context=context,
            proxy_headers=make_headers(proxy_basic_auth=proxy.login) if proxy.login else None,
        )

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """The certificates the system trusts, and those the environment adds (SSL_CERT_FILE, SSL_CERT_DIR)."""
        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        for name, keyword in (("SSL_CERT_FILE", "cafile"), ("SSL_CERT_DIR", "capath")):
            if path := os.environ.get(name):
                _load(context, name, keyword, path)
        return context


def _load(context: ssl.SSLContext, name: str, keyword: str, path: str) -> None:
    try:
        context.load_verify_locations(**{keyword: path})
    except OSError as error:  # ssl.SSLError is one: no certificate in it
        reason = "no certificate in it" if isinstance(error, ssl.SSLError) else error.strerror
        raise SettingError(f"{name} {path!r} cannot be read ({reason})", f"set {name} anew, or unset it") from None


def host_of(url: str) -> Host:
    """The host of a URL, its usual port said; raises LocationParseError."""
    parts = parse_url(url)
    scheme = parts.scheme or ""
    return Host(scheme, parts.host or "", parts.port or _PORTS.get(scheme))


def _target(url: str, location: str) -> str:
    try:
        # Bytes that are no ASCII came as one character each (http.client); in a URL they are percent-encoded.
        target = urljoin(url, quote(location.encode("latin-1"), safe=_ASCII))
        scheme = parse_url(target).scheme
    except ValueError as error:
        raise RedirectError(f"a redirect to no address ({error})") from None
    if scheme not in _PORTS:
        raise RedirectError(f"a redirect to {scheme!r}, which is no http address")
    return target


def _leave(response: BaseHTTPResponse) -> None:
    """Done with a redirect: its connection is kept where its body is short and known to be."""
    length = response.length_remaining
    if length is not None and length < _SHORT:
        with suppress(HTTPError):  # cut short: its location is known all the same, and its connection closed
            response.read(length + 1)  # the body and its end: of 0 bytes nothing would be read
    response.close()
