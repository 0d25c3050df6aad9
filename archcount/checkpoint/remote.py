"""Weights on the Hub: the chosen files' first bytes, many at once, one request a shard and seldom a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import quote

import msgspec

from ..errors import CheckpointError, HubError, HubUnreachableError, RepositoryNotFoundError
from ..hub_settings import check_settings, check_token
from .choice import choose, numbered_shards, passed_over, settle
from .connections import Connections
from .faults import NoWeightsError
from .header import PREFIX, header_length, parse_header
from .index import LARGEST_INDEX, Index, parse_index
from .ledger import Ledger
from .local import Progress, read_local
from .pool import as_answered
from .result import Checkpoint, Kind, Shard, assemble
from .transport import Call, Limits, Stretch, fetch, fetch_stretch

FIRST_READ = 128 * 1024  # bytes; the headers of nearly all shards fit
_LARGEST_LISTING = 50_000_000  # bytes


class _Lfs(msgspec.Struct):
    sha256: str | None = None


class _Sibling(msgspec.Struct):
    rfilename: Annotated[str, msgspec.Meta(max_length=4096)]
    size: Annotated[int, msgspec.Meta(ge=0)] | None = None
    lfs: _Lfs | None = None


class _Info(msgspec.Struct):
    siblings: list[_Sibling]
    sha: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z._-]{1,64}\Z")]


_Answer = Shard | Index | CheckpointError
Kept = TypeVar("Kept", Shard, Index)
_INFO = msgspec.json.Decoder(_Info)


@dataclass(frozen=True, slots=True)
class _Repository:
    """A repository at one commit, so that every file is of the same state."""

    name: str
    commit: str
    endpoint: str | None
    files: Mapping[str, _Sibling]
    call: Call

    def url(self, file: str) -> str:
        """Where the file is."""
        from huggingface_hub import hf_hub_url  # noqa: PLC0415 - slow, and only a repository id needs it

        return hf_hub_url(self.name, file, revision=self.commit, endpoint=self.endpoint)

    def what(self, file: str) -> str:
        """The file's name in an error."""
        return f"{self.name}/{file if file.isprintable() else repr(file)}"


def read_remote(
    name: str,
    *,
    revision: str | None = None,
    token: str | Literal[False] | None = None,
    endpoint: str | None = None,
    on_progress: Progress | None = None,
    limits: Limits | None = None,
) -> Checkpoint:
    """The weights of a repository on the Hub, of which only the headers are fetched.

    `token` False asks without one. In offline mode (HF_HUB_OFFLINE) the cached copy is read.
    Raises a HubError, or a CheckpointError of `faults`.
    """
    check_settings(name, revision, endpoint)
    from huggingface_hub import constants  # noqa: PLC0415 - slow, and only a repository id needs it

    _check_name(name)
    if constants.HF_HUB_OFFLINE:
        return _read_cached(name, revision, on_progress)
    limits = limits or Limits()
    call = Call(limits, _headers(token), Connections(limits.connections), Ledger(limits.headers))
    base = (endpoint or constants.ENDPOINT).rstrip("/")
    try:
        return _read(_repository(call, name, revision, base), on_progress)
    except TimeoutError:
        message = f"{name}: the Hub did not answer within {limits.total:.0f} s: try again, or raise the time limit"
        raise HubUnreachableError(message) from None
    finally:
        call.end()


def _check_name(name: str) -> None:
    from huggingface_hub import hf_hub_url  # noqa: PLC0415 - slow, and only a repository id needs it
    from huggingface_hub.errors import HFValidationError  # noqa: PLC0415

    try:
        hf_hub_url(name, "config.json")
    except HFValidationError:
        raise RepositoryNotFoundError(f"{name!r} is neither a path nor a repository id (owner/name)") from None


def _headers(token: str | Literal[False] | None) -> dict[str, str]:
    """Who asks, and the token given, or the one of the environment or of `hf auth login` unless switched off."""
    from huggingface_hub import __version__, constants, get_token  # noqa: PLC0415

    if token is None and not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN:
        token = get_token()
    if token:
        check_token(token)
    agent = {"user-agent": f"archcount; hf_hub/{__version__}"}
    return {**agent, "authorization": f"Bearer {token}"} if token else agent


def _read_cached(name: str, revision: str | None, on_progress: Progress | None) -> Checkpoint:
    try:
        return read_local(_cached(name, revision), on_progress)
    except NoWeightsError:
        message = f"{name}: offline mode is on and the cached copy holds no weights"
        raise HubUnreachableError(f"{message}: unset HF_HUB_OFFLINE, or download them first") from None


def _cached(name: str, revision: str | None) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - slow, and only a repository id needs it
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=True))
    except LocalEntryNotFoundError:
        message = f"{name}: offline mode is on and no copy is cached: unset HF_HUB_OFFLINE, or download it first"
        raise HubUnreachableError(message) from None


def _repository(call: Call, name: str, revision: str | None, endpoint: str) -> _Repository:
    at = f"/revision/{quote(revision, safe='')}" if revision else ""
    what = f"{name} at revision {revision}" if revision else name
    url = f"{endpoint}/api/models/{name}{at}?blobs=true"
    # In a thread, though it is one call: so that Ctrl-C and the time limit need not wait for a name server.
    [(_, raw)] = as_answered(lambda url: fetch(call, url, what, _LARGEST_LISTING), [url], 1, call.stop, call.remaining)
    try:
        info = _INFO.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise HubError(f"{what}: the Hub's answer is no list of files ({error}): check HF_ENDPOINT") from None
    return _Repository(name, info.sha, endpoint, {file.rfilename: file for file in info.siblings}, call)


def _read(repository: _Repository, on_progress: Progress | None) -> Checkpoint:
    choice = choose(repository.files, repository.name)
    if choice.kind is Kind.GGUF:
        raise CheckpointError(f"{repository.name}: holds GGUF alone, read from a local file only: download it first")
    # The index is asked for along with the shards it will most likely name; it decides which of them count.
    likely = numbered_shards(choice.index, repository.files) if choice.index else choice.files
    answers = _ask(repository, choice.index, likely, on_progress)
    index = _got(Index, answers[None]) if choice.index else None
    choice = settle(choice, index, repository.files)
    answers |= _ask(repository, None, [file for file in choice.files if file not in answers], on_progress)
    return assemble(
        repository.name,
        choice.kind,
        [_got(Shard, answers[file]) for file in choice.files],
        revision=repository.commit,
        index=index if choice.index else None,
        missing=choice.missing,
        passed_over=passed_over(repository.files, choice.used),
    )


def _ask(
    repository: _Repository, index: str | None, files: Sequence[str], on_progress: Progress | None
) -> dict[str | None, _Answer]:
    """What each of the files holds, or what is wrong with it; under None, what the index says."""
    call = repository.call
    answers: dict[str | None, _Answer] = {}
    items = [*([None] if index else []), *files]
    asked = as_answered(
        lambda file: _answer(repository, file, index), items, call.limits.connections, call.stop, call.remaining
    )
    for file, answer in asked:
        answers[file] = answer
        if on_progress and file is not None:
            on_progress(len(answers.keys() - {None}), len(files))
    return answers


def _answer(repository: _Repository, file: str | None, index: str | None) -> _Answer:
    try:
        if file is None:
            return _read_index(repository, index or "")
        start = _first_bytes(repository, file)
        lfs = repository.files[file].lfs
        header = parse_header(start.data, start.size, repository.what(file))
        return Shard(file, start.size, header, lfs.sha256 if lfs else None)
    except CheckpointError as error:
        return error  # raised where the file is needed


def _read_index(repository: _Repository, file: str) -> Index:
    what = repository.what(file)
    return parse_index(fetch(repository.call, repository.url(file), what, LARGEST_INDEX), what)


def _got(kind: type[Kept], answer: _Answer) -> Kept:
    """The answer, of the kind that was asked for; the error that came instead is raised."""
    if isinstance(answer, kind):
        return answer
    raise answer if isinstance(answer, CheckpointError) else TypeError(f"{answer!r}, where a {kind} was asked for")


def _first_bytes(repository: _Repository, file: str) -> Stretch:
    """The start of a file, as far as its header goes or further."""
    call, what, url = repository.call, repository.what(file), repository.url(file)
    listed = repository.files[file].size

    def enough(first: bytes) -> int:
        return _stop(call, first, None, what) if len(first) > PREFIX else FIRST_READ

    start = fetch_stretch(call, url, what, (0, FIRST_READ), enough)
    size = listed if start.size is None else start.size
    if listed is not None and size != listed:
        raise HubError(f"{what}: {listed:,} bytes by the Hub's list, {size:,} by its answer: use another endpoint")
    _check_length(start.data, PREFIX, size, what)
    data, stop = start.data, _stop(call, start.data, size, what)
    if stop > len(data):
        rest = fetch_stretch(call, url, what, (len(data), stop), enough)
        data = data + rest.data if rest.start else rest.data
        _check_length(data, stop, size, what)
    return Stretch(data, 0, size)


def _stop(call: Call, first: bytes, size: int | None, what: str) -> int:
    """Where a file's header ends."""
    stop = PREFIX + header_length(first, size, what)
    call.ledger.claim(what, stop)
    return stop


def _check_length(data: bytes, stop: int, size: int | None, what: str) -> None:
    if size is not None and len(data) < min(stop, size):
        raise HubError(f"{what}: the server sends {len(data):,} bytes of a file of {size:,}: use another endpoint")
