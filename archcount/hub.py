"""A model's config from the Hub, through huggingface_hub: its cache, token, endpoint and offline switches."""

from __future__ import annotations

from pathlib import Path

from .errors import HubError, HubUnreachableError, RepositoryGatedError, RepositoryNotFoundError

HINT = "known names need no network (archcount list)"


def config_file(repository: str, revision: str | None = None) -> Path:
    """The local path of a repository's config.json, else of its params.json; downloaded once, then cached.

    Raises RepositoryNotFoundError, RepositoryGatedError or HubUnreachableError.
    """
    for name in ("config.json", "params.json"):
        path = _download(repository, name, revision)
        if path is not None:
            return path
    raise RepositoryNotFoundError(f"{repository} on the Hub holds neither config.json nor params.json")


def _download(repository: str, name: str, revision: str | None) -> Path | None:
    """The file's path in the cache; None where the repository has no such file."""
    from huggingface_hub import errors, hf_hub_download  # noqa: PLC0415 - slow, and only a repository id needs it

    at = f" at revision {revision}" if revision else ""
    try:
        return Path(hf_hub_download(repository, name, revision=revision))
    except errors.LocalEntryNotFoundError as error:
        raise HubUnreachableError(f"cannot reach the Hub for {repository}, and no copy is cached: {HINT}") from error
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
    except OSError as error:
        raise HubError(f"the Hub did not give {name} of {repository}{at}: {str(error).splitlines()[0]}") from error
