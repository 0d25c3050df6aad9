"""A model's config from the Hub, through huggingface_hub: its cache, token, endpoint and offline switches."""

from __future__ import annotations

from pathlib import Path

from ..errors import HubError, HubUnreachableError, RepositoryGatedError, RepositoryNotFoundError
from ..hub_settings import check_proxies, check_settings, check_token
from .packing import TENSOR_LIST

NAMES = ("config.json", "params.json")
ADAPTER = "adapter_config.json"  # read for the model it names, which an error then can say
HINT = "known names need no network (archcount list)"
MAY_PASS = frozenset({408, 429, 500, 502, 503, 504})  # statuses after which the same request may succeed


def config_file(repository: str, revision: str | None = None) -> Path:
    """The local path of a repository's config.json, else of its params.json; downloaded once, then cached.

    Where the Hub cannot be reached the cached copy is taken.

    Raises RepositoryNotFoundError, RepositoryGatedError, HubUnreachableError, or HubError for any other answer.
    """
    check_settings(repository, revision)
    check_proxies(repository)
    _check_own_token()
    for name in (*NAMES, ADAPTER):
        path = _download(repository, name, revision)
        if path is not None:
            return path
    raise RepositoryNotFoundError(f"{repository} on the Hub holds neither {' nor '.join(NAMES)}")


def tensor_list(repository: str, revision: str | None = None) -> Path | None:
    """The local path of a repository's list of packed tensors; None where it has none, or the Hub cannot be reached.

    Raises as `config_file` does.
    """
    try:
        return _download(repository, TENSOR_LIST, revision)
    except HubUnreachableError:  # what the config alone tells is still told
        return None


def _check_own_token() -> None:
    from huggingface_hub import get_token  # noqa: PLC0415 - slow, and only a repository id needs it

    if token := get_token():
        check_token(token)


def _download(repository: str, name: str, revision: str | None) -> Path | None:
    """The file's path in the cache; None where the repository has no such file."""
    from huggingface_hub import errors, get_hf_file_metadata, hf_hub_download, hf_hub_url  # noqa: PLC0415 - slow

    at = f" at revision {revision}" if revision else ""
    try:
        # Asked once, since hf_hub_download tries for half a minute before it says that there is no network.
        get_hf_file_metadata(hf_hub_url(repository, name, revision=revision))
        return Path(hf_hub_download(repository, name, revision=revision))
    except errors.EntryNotFoundError:
        return None
    except errors.GatedRepoError as error:
        advice = "accept its terms on its page, then log in with `hf auth login` or set HF_TOKEN"
        raise RepositoryGatedError(f"{repository} is gated: {advice}; {HINT}") from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError) as error:
        advice = "check the spelling, or give a token that may read it (HF_TOKEN)"
        raise RepositoryNotFoundError(f"no repository {repository}{at} on the Hub: {advice}; {HINT}") from error
    except errors.HFValidationError as error:
        raise RepositoryNotFoundError(f"{repository!r} is not a repository id: {HINT}") from error
    except errors.HfHubHTTPError as error:
        if error.response.status_code not in MAY_PASS:
            answer = f"the Hub answers HTTP {error.response.status_code} for {name} of {repository}{at}"
            raise HubError(f"{answer}: check HF_TOKEN and HF_ENDPOINT; {HINT}") from error
        return _cached(repository, name, revision, f"HTTP {error.response.status_code}")
    except errors.OfflineModeIsEnabled:
        return _cached(repository, name, revision, "offline mode is on: HF_HUB_OFFLINE")
    except ImportError as error:  # what it needs for a proxy of that kind
        raise HubError(f"{repository}: {_first_line(error)}, or name an http proxy (HTTPS_PROXY)") from error
    except (_transport_error(), OSError) as error:
        return _cached(repository, name, revision, _first_line(error))


def _cached(repository: str, name: str, revision: str | None, trouble: str) -> Path:
    """The copy an earlier download left, for when the Hub cannot be reached."""
    from huggingface_hub import errors, hf_hub_download  # noqa: PLC0415 - slow, and only a repository id needs it

    try:
        return Path(hf_hub_download(repository, name, revision=revision, local_files_only=True))
    except errors.EntryNotFoundError as error:
        message = f"cannot reach the Hub for {repository} ({trouble}), and no copy is cached: {HINT}"
        raise HubUnreachableError(message) from error


def _transport_error() -> type[Exception]:
    """The base that the Hub's own errors share with those of its HTTP library, whichever that is."""
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415 - slow, and only a repository id needs it

    return next(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception) and base is not OSError)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
