"""What an HTTP status of the Hub means to a user, in one line with the mend."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import HubError, RepositoryGatedError, RepositoryNotFoundError

TRY_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


_BY_CODE: Mapping[str, tuple[type[HubError], str]] = {
    "GatedRepo": (RepositoryGatedError, "access refused: accept its terms on its page and give a token (HF_TOKEN)"),
    "RevisionNotFound": (RepositoryNotFoundError, "no such revision on the Hub: check --revision"),
    "EntryNotFound": (RepositoryNotFoundError, "no such file in the repository"),
    "RepoNotFound": (RepositoryNotFoundError, "not on the Hub: check the spelling, or give a token (HF_TOKEN)"),
}
_CODES = {403: "GatedRepo", 404: "RepoNotFound"}  # what a status means where the server gives no code


def refusal(status: int, code: str, what: str) -> HubError:
    """The error for a status that is no success; `code` is the Hub's X-Error-Code, empty where it gives none."""
    known = _BY_CODE.get(code) or _BY_CODE.get(_CODES.get(status, ""))
    if known:
        kind, message = known
        return kind(f"{what}: {message}")
    if status == 401:
        return RepositoryGatedError(f"{what}: the Hub wants a valid token: `hf auth login`, or set HF_TOKEN")
    return HubError(f"{what}: the Hub answered HTTP {status}: check the name and the address of the Hub (HF_ENDPOINT)")


def trouble(status: int) -> str:
    """What a status that may pass means."""
    return "too many requests (HTTP 429)" if status == 429 else f"the Hub is in trouble (HTTP {status})"
