"""What an HTTP status of the Hub, or a connection that fails, means to a user, in one line with the mend."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    ProtocolError,
    ProxyError,
    ProxySchemeUnknown,
    ReadTimeoutError,
    SSLError,
)

from ..errors import HubError, RepositoryGatedError, RepositoryNotFoundError
from .connections import RedirectError
from .proxies import SettingError

TRY_AGAIN = frozenset({408, 425, 429, *range(500, 600)} - {501, 505, 511})

_LONGEST = 200  # characters of what a server or a library says

_BY_CODE: Mapping[str, tuple[type[HubError], str]] = {
    "GatedRepo": (RepositoryGatedError, "access refused: accept its terms on its page and give a token (HF_TOKEN)"),
    "RevisionNotFound": (RepositoryNotFoundError, "no such revision on the Hub: check --revision"),
    "EntryNotFound": (RepositoryNotFoundError, "no such file in the repository"),
    "RepoNotFound": (RepositoryNotFoundError, "not on the Hub: check the spelling, or give a token (HF_TOKEN)"),
}
_CODES = {403: "GatedRepo", 404: "RepoNotFound"}  # what a status means where the server gives no code
_WORDS: Mapping[type[HTTPError], str] = {
    ProxyError: "the proxy (HTTPS_PROXY) does not serve",
    ReadTimeoutError: "the server is silent",
    ConnectTimeoutError: "cannot connect",
    SSLError: "no safe connection",
    ProtocolError: "the connection broke",
}


def refusal(status: int, code: str, what: str) -> HubError:
    """The error for a status that is no success; `code` is the Hub's X-Error-Code, empty where it gives none."""
    known = _BY_CODE.get(code) or _BY_CODE.get(_CODES.get(status, ""))
    if known:
        kind, message = known
        return kind(f"{what}: {message}")
    if status == 401:
        return RepositoryGatedError(f"{what}: the Hub wants a valid token: `hf auth login`, or set HF_TOKEN")
    if status == 407:
        return HubError(
            f"{what}: the proxy wants a login (HTTP 407): set HTTPS_PROXY to http://user:password@host:port"
        )
    return HubError(f"{what}: the Hub answered HTTP {status}: check the name and the address of the Hub (HF_ENDPOINT)")


def trouble(status: int) -> str:
    """What a status that may pass means."""
    return "too many requests (HTTP 429)" if status == 429 else f"the Hub is in trouble (HTTP {status})"


def in_words(error: HTTPError) -> str:
    """What went wrong in one line, without the names of urllib3's objects."""
    cause: BaseException = error
    while inner := _inner(cause):
        cause = inner
    reason = (cause.strerror if isinstance(cause, OSError) else "") or str(cause).strip().partition("\n")[0].rstrip(".")
    reason = _short(reason or type(cause).__name__)
    words = next((words for kind, words in _WORDS.items() if isinstance(error, kind)), "")
    return f"{words}: {reason}" if words else reason


def mend(error: HTTPError) -> str:
    """What to do where trying again is no use; empty where it may be."""
    if isinstance(error, SettingError):
        return error.mend
    if isinstance(error, SSLError) and isinstance(_inner(error), ssl.SSLCertVerificationError):
        return "trust its certificate (SSL_CERT_FILE), or use another address (HF_ENDPOINT)"
    if isinstance(error, ProxySchemeUnknown):
        return "name an http proxy (HTTPS_PROXY)"
    return "check the address of the Hub (HF_ENDPOINT)" if isinstance(error, RedirectError | LocationValueError) else ""


def _short(text: str) -> str:
    """What a terminal shows as it is, and no more than fits in a message; a server may send anything."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(character if character.isprintable() else "�" for character in shown)


def _inner(error: BaseException) -> BaseException | None:
    last = error.args[-1] if error.args else None
    return last if isinstance(last, BaseException) else error.__cause__
