"""A config as a git repository holds it at a revision: `main:config.json`, `HEAD~2:models/small`, `:config.json`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from ..errors import ConfigNotFoundError, ConfigSyntaxError
from .files import LARGEST_CONFIG, NAMES, parse_object

DRIVE = re.compile(r"[A-Za-z]:[\\/]")  # C:\models, which is no revision
SECONDS = 60  # a partial clone may have to fetch the file
HELD = re.compile(rb"[0-9a-f]{40,64} (?P<kind>\w+) (?P<size>\d+)")


def is_revision(source: str) -> bool:
    """Is this spelled `REV:path`, as git spells a file at a revision?"""
    return ":" in source and not DRIVE.match(source) and "://" not in source


def config_at(source: str, folder: Path | None = None) -> dict[str, object]:
    """The config at `REV:path` of the git repository that holds `folder` (else the one we stand in).

    The path is git's: from the top of the repository, or with `./` from the folder. It may be a folder with a config.

    Raises ConfigNotFoundError: no git, no repository, no such revision or file. ConfigSyntaxError: not a config.
    """
    return parse_object(text_at(source, folder), source)


def text_at(source: str, folder: Path | None = None) -> str:
    """The text at `REV:path`, of the config in it where it is a folder.

    Raises ConfigNotFoundError: no git, no repository, no such revision or file. ConfigSyntaxError: not text.
    """
    data = _blob(source, folder)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigSyntaxError(f"{source}: not text (byte {error.start:,}): give the model's config.json") from None


def text_if_held(source: str, folder: Path | None = None) -> str | None:
    """The text at `REV:path`, None where the revision holds no such file.

    Raises ConfigNotFoundError: no git, no repository or no such revision. ConfigSyntaxError: not text.
    """
    kind, _ = _object(source, folder)
    if kind:
        return text_at(source, folder)
    _check_revision(source, folder)
    return None


def _blob(source: str, folder: Path | None) -> bytes:
    kind, data = _object(source, folder)
    if kind == "blob":
        return data
    if kind == "tree" or source.startswith(":"):  # the index knows of no folders, but of what is in them
        inside = source if source.endswith((":", "/")) else f"{source}/"
        for name in NAMES:
            within, data = _object(f"{inside}{name}", folder)
            if within == "blob":
                return data
    if kind == "tree":
        raise ConfigNotFoundError(f"{source}: the folder holds neither {' nor '.join(NAMES)} at that revision")
    _check_revision(source, folder)
    path, mend = source.partition(":")[2], "a path counts from the top of the repository, ./ from here"
    raise ConfigNotFoundError(f"{source}: no file {path} at that revision; {mend}")


def _object(source: str, folder: Path | None) -> tuple[str, bytes]:
    """The kind of object git has there, and a blob's bytes; "" where it has none."""
    answer = _git(["cat-file", "--batch-check"], f"{source}\n", folder)
    held = HELD.match(answer)
    if held is None:
        return "", b""
    kind = held["kind"].decode()
    if kind != "blob":
        return kind, b""
    if int(held["size"]) > LARGEST_CONFIG:
        raise ConfigSyntaxError(f"{source}: larger than {LARGEST_CONFIG:,} bytes, so not a config")
    found = _git(["cat-file", "--batch"], f"{source}\n", folder)
    return kind, found[found.index(b"\n") + 1 : -1]


def _check_revision(source: str, folder: Path | None) -> None:
    revision = source.partition(":")[0]
    if revision and not HELD.match(_git(["cat-file", "--batch-check"], f"{revision}^{{commit}}\n", folder)):
        mend = f"git fetch it first (a shallow clone has the last commit only), or see git rev-parse {revision}"
        raise ConfigNotFoundError(f"{source}: no revision {revision} in this git repository: {mend}")


def _git(arguments: list[str], asked: str, folder: Path | None) -> bytes:
    """What git answers on its standard input, where no name can be taken for an option.

    Raises ConfigNotFoundError: git is missing, or refuses.
    """
    git = shutil.which("git")
    if git is None:
        raise ConfigNotFoundError(f"{asked.strip()}: git is not installed, and only it can read a revision")
    if asked.count("\n") != 1 or "\0" in asked:
        raise ConfigNotFoundError(f"{asked.strip()!r}: no revision and no path has a line break in it")
    try:
        done = subprocess.run(
            [git, *arguments], input=asked.encode(), capture_output=True, cwd=folder, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ConfigNotFoundError(f"{asked.strip()}: git did not answer within {SECONDS} seconds") from None
    if done.returncode:
        said = next(iter(done.stderr.decode(errors="replace").splitlines()), "git failed")
        raise ConfigNotFoundError(f"{asked.strip()}: {said.removeprefix('fatal: ')}")
    return done.stdout
