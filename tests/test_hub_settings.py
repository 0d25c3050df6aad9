"""Settings for the Hub that are wrong before anyone is asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
    "https://hé..example",
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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "HTTPS_PROXY",
            "http://p:abc",
            "owner/model: the proxy's address is none: set HTTPS_PROXY to http://host:port",
        ),
        ("all_proxy", "http://[::1", "owner/model: the proxy's address is none: set ALL_PROXY to http://host:port"),
        ("HF_TOKEN", "hf_é", "the token holds a character that no token has"),
        ("ALL_PROXY", "socks5://127.0.0.1:1", "HTTPS_PROXY"),
        ("SSL_CERT_FILE", "/nonexistent.pem", "No such file or directory"),
    ],
)
@pytest.mark.parametrize("verb", ["weights", "verify"])
def test_a_setting_that_is_wrong_is_one_line(tmp_path: Path, verb: str, name: str, value: str, message: str) -> None:
    own = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    hub = {"HF_ENDPOINT": "https://127.0.0.1:1", "HF_HOME": str(tmp_path), name: value}
    command = [sys.executable, "-m", "archcount", verb, "owner/model"]
    run = subprocess.run(command, env={**own, **hub}, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert run.stderr.startswith("archcount: ")
    if verb == "verify":
        assert message in run.stderr
