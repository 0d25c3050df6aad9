"""Settings for the Hub that are wrong before anyone is asked."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from archcount.errors import HubError, RepositoryNotFoundError
from archcount.hub_settings import check_settings

WRONG = [
    "",
    "huggingface.co",
    "localhost:8080",
    "//huggingface.co",
    "ftp://huggingface.co",
    "http://",
    "https://host:port",
    "https://host:99999",
    "https://[::1",
    " https://huggingface.co",
    "https://huggingface.co\n",
    "https://huggingface.co/?a=b",
    "https://huggingface.co/#a",
]
RIGHT = ["https://huggingface.co", "http://127.0.0.1:8080/", "HTTPS://HUB.example/mirror/", "https://[::1]:443"]


@pytest.mark.parametrize("address", RIGHT)
def test_an_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    check_settings("owner/model", "refs/pr/1", address)


@pytest.mark.parametrize("address", WRONG)
def test_what_is_no_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    with pytest.raises(HubError, match=r"^owner/model: no address of a Hub \(HF_ENDPOINT\): set it to https://host"):
        check_settings("owner/model", endpoint=address)
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(HubError, match=r"^owner/model: no address of a Hub"):
        check_settings("owner/model")


@pytest.mark.parametrize("revision", ["\udcff", "a\nb", "a\0"])
def test_what_is_no_revision(monkeypatch: pytest.MonkeyPatch, revision: str) -> None:
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    with pytest.raises(RepositoryNotFoundError, match="holds a character that no revision has"):
        check_settings("owner/model", revision)


@pytest.mark.parametrize("verb", ["weights", "verify"])
@pytest.mark.parametrize("address", ["huggingface.co", "http://host:abc", "http://[::1"])
def test_the_command_says_so_in_one_line(verb: str, address: str) -> None:
    command = [sys.executable, "-m", "archcount", verb, "owner/model"]
    environment = {**os.environ, "HF_ENDPOINT": address}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "archcount: owner/model: no address of a Hub (HF_ENDPOINT): set it to https://host, or unset it\n"
    )
