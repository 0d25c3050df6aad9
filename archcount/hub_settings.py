"""What of a user's settings for the Hub is seen to be wrong before it is asked."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit
from urllib.request import getproxies

from .errors import HubError, RepositoryNotFoundError

_TOKEN = re.compile(r"[!-~]+")


def check_settings(name: str, revision: str | None = None, endpoint: str | None = None) -> None:
    """Look at the revision, and at the address given, else at the one of the environment (HF_ENDPOINT).

    To be called before huggingface_hub is imported, which fails on some addresses; of one without a scheme it would
    ask, and show a token to, whoever answers without encryption. Raises HubError, RepositoryNotFoundError.
    """
    if revision is not None and not revision.isprintable():
        raise RepositoryNotFoundError(f"{name}: {revision!r} holds a character that no revision has: check --revision")
    for address in (endpoint, os.environ.get("HF_ENDPOINT")):
        if address is not None and not _is_http(address):
            raise HubError(f"{name}: no address of a Hub (HF_ENDPOINT): set it to https://host, or unset it")


def check_token(token: str) -> None:
    """Raises HubError: it cannot be the value of a header."""
    if not _TOKEN.fullmatch(token):
        raise HubError(
            "the token holds a character that no token has: set HF_TOKEN anew, or log in with `hf auth login`"
        )


def check_proxies(name: str) -> None:
    """Look at every proxy of the environment, since the Hub's client fails on one that is not even asked.

    Raises HubError; it does not quote the address, which may hold a password.
    """
    for scheme, value in getproxies().items():
        address = value.strip()
        if scheme in ("http", "https", "all") and address and not _has_host(with_scheme(address)):
            raise HubError(f"{name}: the proxy's address is none: set {scheme.upper()}_PROXY to http://host:port")


def with_scheme(address: str) -> str:
    """A proxy's address as a URL, as `host:port` and `//host:port` mean it."""
    return address if "://" in address else f"http://{address.removeprefix('//')}"


def _is_http(address: str) -> bool:
    if not _has_host(address):
        return False
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and not parts.query and not parts.fragment


def _has_host(address: str) -> bool:
    if not address.isprintable() or " " in address:
        return False
    try:
        parts = urlsplit(address)
        return bool((parts.hostname or "").encode("idna")) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address, an empty label
        return False
