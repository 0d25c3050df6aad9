"""Config and headers of one repository, from a Hub on the loopback, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub_server import Hub, serve

from . import published, tiny
from .files import write_headers, write_shards

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """The tiny model in two shards, with its index and config."""
    write_shards(tmp_path, tiny.tensors(), 2)
    (tmp_path / "config.json").write_text(json.dumps(tiny.CONFIG), encoding="utf-8")
    with serve(Hub(files={path.name: path.read_bytes() for path in tmp_path.iterdir()})) as running:
        yield running


def run(hub: Hub, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    hidden = ("HF_TOKEN", "HF_HUB_OFFLINE", "GITHUB_ACTIONS")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    environment |= {"HF_ENDPOINT": hub.url, "HF_HOME": str(home), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    command = [sys.executable, "-m", "archcount", *arguments]
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_repository_against_itself(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> None:
    done = run(hub, tmp_path_factory.mktemp("home"), "verify", "owner/model", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert (answer["verdict"], answer["files"], answer["parameters"]) == ("match", "shards with an index", 1_512)
    assert answer["revision"] == "0123456789abcdef0123456789abcdef01234567"


def test_a_server_in_trouble_is_exit_code_2(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> None:
    hub.trouble["api"] = "status 403"
    done = run(hub, tmp_path_factory.mktemp("home"), "weights", "owner/model")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_the_catalogue_against_the_headers_of_the_hub(tmp_path: Path) -> None:
    """This Hub has GPT-2 alone: what it does not have cannot be told, and that is no match."""
    path = tmp_path / "model.safetensors"
    write_headers(path, published.gpt2())
    with path.open("rb") as stream:
        length = 8 + int.from_bytes(stream.read(8), "little")
        stream.seek(0)
        head = stream.read(length)
    repository = Hub("openai-community/gpt2", files={path.name: head}, sizes={path.name: path.stat().st_size})
    with serve(repository) as running:
        done = run(running, tmp_path / "home", "verify", "--all", "--online", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    models = {each["name"]: each for each in json.loads(done.stdout)["models"]}
    assert models["gpt2"]["answer"] == "match with notes"
    assert models["palm-8b"]["answer"] == "no weights are published"
    assert {models[name]["answer"] for name in ("gpt2-xl", "llama-3.1-8b", "deepseek-v3")} == {"could not tell"}


def test_the_catalogue_without_a_network_is_told_once(tmp_path: Path) -> None:
    with serve(Hub()) as gone:
        pass  # its address stands, and nobody answers there any more
    done = run(gone, tmp_path / "home", "verify", "--all", "--online")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith("archcount: openai-community/gpt2: ")
