"""What of a user's settings for the Hub is seen to be wrong before it is asked."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from .errors import HubError, RepositoryNotFoundError


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


def _is_http(address: str) -> bool:
    if not address.isprintable() or " " in address:
        return False
    try:
        parts = urlsplit(address)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        return False
    return has_host and parts.scheme in ("http", "https") and not parts.query and not parts.fragment
