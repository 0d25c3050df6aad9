"""Connections to the Hub and the hosts it redirects to: one a request at once, kept open, by way of the usual proxies.

The Hub's own session keeps twenty connections open, so that of sixty-four most are made anew for each file.
"""

from __future__ import annotations

import os
import re
import ssl
import threading
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote, urljoin
from urllib.request import getproxies, proxy_bypass

import truststore
from urllib3 import BaseHTTPResponse, PoolManager, ProxyManager, make_headers
from urllib3.exceptions import HTTPError
from urllib3.util import parse_url

_MOST_REDIRECTS = 10
_SHORT = re.compile(r"\d{1,4}")  # lengths in bytes of redirects that are read, so that the connection can be used again


class RedirectError(HTTPError):
    """Redirects that do not end, or that lead to no http address."""


class Host(NamedTuple):
    """Where a URL leads, and what a token is for."""

    scheme: str
    name: str
    port: int | None


class Connections:
    """At most `at_once` open connections a host; safe to use from many threads."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._managers: dict[Host, PoolManager] = {}
        self._lock = threading.Lock()

    def get(self, url: str, headers: Mapping[str, str], timeout: float) -> BaseHTTPResponse:
        """The answer at the end of the redirects, its body unread; a token is for the first host only.

        `timeout` in seconds, for each wait. Raises an HTTPError of urllib3.
        """
        for _ in range(_MOST_REDIRECTS):
            host = _host(url)
            response = self._manager(host).request(
                "GET",
                url,
                headers=headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            location = response.get_redirect_location()
            if not location:
                return response
            _leave(response)
            url = _target(url, location)
            if _host(url) != host:
                headers = {name: value for name, value in headers.items() if name.lower() != "authorization"}
        raise RedirectError(f"more than {_MOST_REDIRECTS} redirects")

    def close(self) -> None:
        """Close what is open and idle."""
        for manager in self._managers.values():
            manager.clear()

    def _manager(self, host: Host) -> PoolManager:
        with self._lock:
            if host not in self._managers:
                self._managers[host] = self._new_manager(host)
            return self._managers[host]

    def _new_manager(self, host: Host) -> PoolManager:
        proxy = _proxy(host)
        context = self._trust if "https" in (host.scheme, proxy.partition(":")[0]) else None
        if not proxy:
            return PoolManager(maxsize=self._at_once, ssl_context=context)
        address = proxy if "://" in proxy else f"http://{proxy}"
        auth = parse_url(address).auth
        return ProxyManager(
            address,
            maxsize=self._at_once,
            ssl_context=context,
            proxy_ssl_context=context,
            proxy_headers=make_headers(proxy_basic_auth=unquote(auth)) if auth else None,
        )

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        """The certificates the system trusts, and those the environment adds (SSL_CERT_FILE, SSL_CERT_DIR)."""
        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        if file or folder:
            context.load_verify_locations(file or None, folder or None)
        return context


def _proxy(host: Host) -> str:
    """The proxy the environment (HTTPS_PROXY, ALL_PROXY, NO_PROXY) or the system names for a host; empty for none."""
    proxies = getproxies()
    if not host.name or proxy_bypass(host.name if host.port is None else f"{host.name}:{host.port}"):
        return ""
    return proxies.get(host.scheme) or proxies.get("all", "")


def _host(url: str) -> Host:
    parts = parse_url(url)
    return Host(parts.scheme or "", parts.host or "", parts.port)


def _target(url: str, location: str) -> str:
    try:
        target = urljoin(url, location)
        scheme = parse_url(target).scheme
    except ValueError as error:
        raise RedirectError(f"a redirect to no address ({error})") from None
    if scheme not in ("http", "https"):
        raise RedirectError(f"a redirect to {scheme!r}, which is no http address")
    return target


def _leave(response: BaseHTTPResponse) -> None:
    """Done with a redirect: its connection is kept where its body is short and known to be."""
    if _SHORT.fullmatch(response.headers.get("content-length", "")):
        response.drain_conn()
    response.close()
