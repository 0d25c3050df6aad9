"""Headers from a Hub on the loopback, with as many requests as are needed and no more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from archcount.checkpoint.faults import NoWeightsError
from archcount.checkpoint.remote import FIRST_READ, read_remote
from archcount.checkpoint.result import Kind
from archcount.checkpoint.transport import Limits
from archcount.errors import CheckpointError, HubError, RepositoryNotFoundError
from tests.hub_server import COMMIT, Hub

from .files import of_header_length, weights
from .repositories import INDEX, LIMITS, read, sharded, single


def test_shards_take_one_request_each(hub: Hub) -> None:
    sharded(hub, 20)
    hub.files["original/consolidated.00.pth"] = b"PK"
    hub.hashes["model-00001-of-00020.safetensors"] = "ab" * 32
    steps: list[tuple[int, int]] = []
    checkpoint = read_remote(
        hub.repository, token=False, endpoint=hub.url, limits=LIMITS, on_progress=lambda *step: steps.append(step)
    )
    assert len(hub.requests) == 22  # the list, the index, 20 shards
    assert {request.method for request in hub.requests} == {"GET"}
    assert (checkpoint.kind, checkpoint.revision, len(checkpoint.entries)) == (Kind.SHARDED, COMMIT, 60)
    assert [shard.file for shard in checkpoint.shards] == sorted(shard.file for shard in checkpoint.shards)
    assert checkpoint.shards[0].content_hash == "ab" * 32
    assert [item.file for item in checkpoint.passed_over] == ["original/consolidated.00.pth"]
    assert steps == [(done, 20) for done in range(1, 21)]
    assert all(request.path.startswith(f"/{hub.repository}/resolve/{COMMIT}/") for request in hub.requests[1:])


def test_many_shards_at_once(hub: Hub) -> None:
    sharded(hub, 60)
    hub.latency = 0.2
    read(hub)
    assert 20 <= hub.busiest <= LIMITS.connections


@pytest.mark.parametrize("length", [99_992, *range(99_993, 100_002), *range(FIRST_READ - 10, FIRST_READ + 3), 300_000])
def test_a_header_beside_a_first_reads_boundary_is_read_whole(hub: Hub, length: int) -> None:
    single(hub, *of_header_length(length))
    checkpoint = read(hub)
    assert (checkpoint.shards[0].header.length, len(checkpoint.entries)) == (length, length // 90)
    assert len(hub.asked("model.safetensors")) == (1 if length + 8 <= FIRST_READ else 2)


@pytest.mark.parametrize(
    "trouble", ["no-ranges", "endless", "star", "short-once", "hangup-once", "once 503", "once 429"]
)
def test_a_server_that_does_less_than_it_could_is_read(hub: Hub, trouble: str) -> None:
    start, size = of_header_length(200_000)
    single(hub, start, size if trouble != "endless" else 500_000_000)
    if trouble == "endless":  # it tells no length and never stops; the list's size is not the file's, and not checked
        hub.sizes["model.safetensors"] = size
    hub.trouble["model.safetensors"] = trouble
    checkpoint = read(hub)
    assert len(checkpoint.entries) == 200_000 // 90
    assert checkpoint.notices == ()


def test_a_whole_file_is_left_after_its_header(hub: Hub) -> None:
    header = b'{"w":{"dtype":"U8","shape":[4000000000],"data_offsets":[0,4000000000]}}'
    single(hub, len(header).to_bytes(8, "little") + header, 8 + len(header) + 4_000_000_000)
    hub.trouble["model.safetensors"] = "no-ranges"
    begun = time.monotonic()
    assert read(hub).elements == 4_000_000_000
    assert time.monotonic() - begun < 5
    assert len(hub.asked("model.safetensors")) == 1


def test_a_redirect_to_a_second_host_is_followed_without_the_token(hub: Hub) -> None:
    sharded(hub, 3)
    hub.token = "hf_secret"
    hub.trouble = {f"model-0000{number}-of-00003.safetensors": "second" for number in (1, 2, 3)}
    checkpoint = read(hub, token="hf_secret")
    assert len(checkpoint.entries) == 9
    second = hub.second_url.removeprefix("http://")
    seen = {(request.host == second, request.authorization) for request in hub.requests}
    assert seen == {(False, "Bearer hf_secret"), (True, None)}
    ranges = [request.range for request in hub.requests if request.host == second]
    assert ranges == [f"bytes=0-{FIRST_READ - 1}"] * 3


def test_a_revision_is_asked_for_and_missed(hub: Hub) -> None:
    single(hub, weights())
    assert read(hub, revision="main").revision == COMMIT
    with pytest.raises(RepositoryNotFoundError, match=r"owner/model at revision v9: no such revision"):
        read(hub, revision="v9")


def test_what_is_no_repository_id() -> None:
    with pytest.raises(RepositoryNotFoundError, match="neither a path nor a repository id"):
        read_remote("no such//name", token=False)


def test_a_list_of_files_that_is_a_page(hub: Hub) -> None:
    hub.trouble["api"] = "html"
    with pytest.raises(HubError, match="no list of files"):
        read(hub)


def test_shards_that_the_index_names_and_the_repository_lacks(hub: Hub) -> None:
    sharded(hub, 3)
    del hub.files["model-00002-of-00003.safetensors"]
    checkpoint = read(hub)
    assert checkpoint.missing == ("model-00002-of-00003.safetensors",)
    assert len(checkpoint.entries) == 6


def test_an_index_decides_which_shards_count(hub: Hub) -> None:
    sharded(hub, 3)
    index = json.loads(hub.files[INDEX])
    extra = "mtp/extra.safetensors"
    kept = {name: file for name, file in index["weight_map"].items() if "00002" not in file}
    hub.files[INDEX] = json.dumps({"weight_map": {**kept, "mtp.0.weight": extra}}).encode()
    hub.files["model-00002-of-00003.safetensors"] = b"broken, and named by no index"
    hub.files[extra] = weights(1, "mtp")
    checkpoint = read(hub)
    assert [shard.file for shard in checkpoint.shards] == [*dict.fromkeys(kept.values()), extra]
    assert checkpoint.files["mtp.0.weight"] == extra
    assert [item.file for item in checkpoint.passed_over] == ["model-00002-of-00003.safetensors"]


def test_pickles_and_gguf_alone(hub: Hub) -> None:
    hub.files["pytorch_model.bin.index.json"] = b'{"metadata":{"total_size":8},"weight_map":{"w":"pytorch_model.bin"}}'
    hub.files["pytorch_model.bin"] = b"\x80\x02"
    checkpoint = read(hub)
    assert (checkpoint.kind, checkpoint.shards, hub.asked("pytorch_model.bin")) == (Kind.NAMES_ONLY, (), [])
    hub.files = {"pytorch_model.bin": b"\x80\x02"}
    with pytest.raises(NoWeightsError, match="a pickle is never opened"):
        read(hub)
    hub.files = {"m.gguf": b"GGUF"}
    with pytest.raises(CheckpointError, match="download it first"):
        read(hub)


def test_one_shard_that_fails_ends_the_others(hub: Hub) -> None:
    sharded(hub, 30)
    hub.latency = 0.05
    hub.trouble["model-00001-of-00030.safetensors"] = "status 404"
    with pytest.raises(RepositoryNotFoundError, match="model-00001-of-00030"):
        read(hub, Limits(total=20, silence=2, attempts=3, pause=0.01, connections=2))
    asked = len(hub.requests)
    assert asked < 12
    time.sleep(0.3)
    assert len(hub.requests) <= asked + 2


def test_identical_shards_are_found_by_their_hash(hub: Hub) -> None:
    sharded(hub, 3)
    for number in (1, 3):
        hub.hashes[f"model-0000{number}-of-00003.safetensors"] = "cd" * 32
    assert read(hub).identical == (("model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"),)


PROGRAM = "from archcount.checkpoint.sources import read_checkpoint as r; print(len(r('owner/model').entries))"


def _environment(hub: Hub, home: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    return {**inherited, "HF_ENDPOINT": hub.url, "HF_HOME": str(home), "HF_HUB_DISABLE_TELEMETRY": "1", **more}


def test_endpoint_and_token_of_the_environment(hub: Hub, tmp_path: Path) -> None:
    single(hub, weights(4))
    hub.token = "hf_environment"
    environment = _environment(hub, tmp_path, HF_TOKEN="hf_environment")
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("4\n", "")


def test_offline_the_cached_copy_is_read_and_nothing_asked(hub: Hub, tmp_path: Path) -> None:
    environment = _environment(hub, tmp_path, HF_HUB_OFFLINE="1")
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert "HubUnreachableError: owner/model: offline mode is on and no copy is cached" in run.stderr
    snapshot = tmp_path / "hub" / "models--owner--model" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    references = snapshot.parent.parent / "refs"
    references.mkdir()
    (references / "main").write_text(COMMIT)
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert "HubUnreachableError: owner/model: offline mode is on and the cached copy holds no weights" in run.stderr
    (snapshot / "model.safetensors").write_bytes(weights(4))
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert (run.stdout, hub.requests) == ("4\n", [])


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_ends_at_once(hub: Hub, tmp_path: Path) -> None:
    sharded(hub, 40)
    hub.trouble = {file: "stall" for file in hub.files if file != INDEX}
    heeding = f"import signal as s; s.signal(s.SIGINT, s.default_int_handler); {PROGRAM}"  # a background job ignores it
    with subprocess.Popen(
        [sys.executable, "-c", heeding], env=_environment(hub, tmp_path), stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 20
        while hub.busiest < 40 and time.monotonic() < deadline:
            time.sleep(0.02)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, stderr = process.communicate(timeout=10)
        finally:
            process.kill()
    assert time.monotonic() - begun < 2
    assert process.returncode in (-signal.SIGINT, 130)
    assert stderr.count("Traceback") == 1
    assert stderr.rstrip().endswith("KeyboardInterrupt")
