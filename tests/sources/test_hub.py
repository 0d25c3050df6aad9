"""A config from the Hub, through huggingface_hub itself, against a small Hub on the loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from archcount.sources.catalog import config_of
from tests.hub_server import COMMIT, Hub, serve

ROOT = Path(__file__).parent.parent.parent
CONFIG = json.dumps(config_of("llama-3.2-1b")).encode()
HINT = "known names need no network (archcount list)"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serve(Hub(files={"config.json": CONFIG})) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def _ask(url: str, home: Path, *arguments: str, **variables: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a process that takes `url` for the Hub and keeps its cache in `home`."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
    environment = {**clean, "PYTHONPATH": str(ROOT), "HF_ENDPOINT": url, "HF_HOME": str(home), **variables}
    command = [sys.executable, "-m", "archcount", *(arguments or ("owner/model",))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=20)
    return done.returncode, done.stdout, done.stderr


def _refused(hub: Hub, home: Path, *arguments: str, **variables: str) -> str:
    code, out, err = _ask(hub.url, home, *arguments, **variables)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err.removeprefix("archcount: ").rstrip("\n")


def test_a_repository_is_counted_and_then_cached(hub: Hub, home: Path) -> None:
    code, out, err = _ask(hub.url, home)
    assert (code, err) == (0, "")
    assert out.startswith("owner/model: llama, LlamaForCausalLM\n")
    assert "total" in out
    assert "1,235,814,400" in out
    again = _ask(hub.url, home, HF_HUB_OFFLINE="1")
    assert again == (0, out, "")


def test_a_revision_is_passed_on(hub: Hub, home: Path) -> None:
    assert _ask(hub.url, home, "owner/model", "--revision", "v1.0")[0] == 0
    assert {request.path for request in hub.asked("config.json")} == {"/owner/model/resolve/v1.0/config.json"}


def test_a_known_model_at_a_revision_is_its_repository(home: Path) -> None:
    with serve(Hub(repository="meta-llama/Llama-3.2-1B", files={"config.json": CONFIG})) as hub:
        code, out, _ = _ask(hub.url, home, "llama-3.2-1b", "--revision", COMMIT)
    assert code == 0
    assert out.startswith("meta-llama/Llama-3.2-1B: llama")


def test_params_json_serves_where_there_is_no_config(home: Path) -> None:
    params = {"dim": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100, "multiple_of": 32}
    with serve(Hub(files={"params.json": json.dumps(params).encode()})) as hub:
        assert _ask(hub.url, home)[0] == 0


def test_exl3_s_list_of_tensors_is_read_beside_the_config(home: Path) -> None:
    config = {**config_of("llama-3.2-1b"), "quantization_config": {"quant_method": "exl3"}}
    listed = b'{"tensor_storage": {"model.norm": {"stored_tensors": {}}}}'
    files = {"config.json": json.dumps(config).encode(), "quantization_config.json": listed}
    with serve(Hub(files=files)) as hub:
        page = " ".join(_ask(hub.url, home)[1].split())
    assert "tensor_storage lists no model.layers.0.self_attn.q_proj" in page
    with serve(Hub(files={"config.json": json.dumps(config).encode()})) as hub:
        page = " ".join(_ask(hub.url, home / "other")[1].split())
    assert "tensor_storage, which is missing" in page


def test_a_token_opens_a_gated_repository(hub: Hub, home: Path) -> None:
    hub.token = "secret"
    advice = "accept its terms on its page, then log in with `hf auth login` or set HF_TOKEN"
    assert _refused(hub, home) == f"owner/model is gated: {advice}; {HINT}"
    assert _ask(hub.url, home, HF_TOKEN="secret")[0] == 0


def test_a_repository_that_is_not_there(hub: Hub, home: Path) -> None:
    advice = "check the spelling, or give a token that may read it (HF_TOKEN)"
    assert _refused(hub, home, "owner/other") == f"no repository owner/other on the Hub: {advice}; {HINT}"
    hub.trouble = {"config.json": "code RevisionNotFound"}
    assert _refused(hub, home, "owner/model", "--revision", "v9") == (
        f"no repository owner/model at revision v9 on the Hub: {advice}; {HINT}"
    )


def test_a_repository_without_a_config(home: Path) -> None:
    with serve(Hub(files={"README.md": b""})) as hub:
        assert _refused(hub, home) == "owner/model on the Hub holds neither config.json nor params.json"


def test_a_config_that_is_not_json_is_named(home: Path) -> None:
    with serve(Hub(files={"config.json": b'{"dim'})) as hub:
        assert "config.json: not JSON at line 1, column 2" in _refused(hub, home)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("status 500", "HTTP 500"),
        ("status 429", "HTTP 429"),
        ("hangup", "Server disconnected without sending a response"),
    ],
)
def test_a_hub_in_trouble_is_asked_once(hub: Hub, home: Path, trouble: str, said: str) -> None:
    hub.trouble = {"config.json": trouble}
    assert _refused(hub, home) == f"cannot reach the Hub for owner/model ({said}), and no copy is cached: {HINT}"
    assert len(hub.asked("config.json")) == 1


def test_a_hub_in_trouble_does_not_matter_where_a_copy_is_cached(hub: Hub, home: Path) -> None:
    assert _ask(hub.url, home)[0] == 0
    hub.trouble = {"config.json": "status 503"}
    assert _ask(hub.url, home)[0] == 0


def test_an_answer_that_will_not_pass(hub: Hub, home: Path) -> None:
    hub.trouble = {"config.json": "status 401"}
    assert _refused(hub, home) == (
        f"the Hub answers HTTP 401 for config.json of owner/model: check HF_TOKEN and HF_ENDPOINT; {HINT}"
    )


def test_no_network_and_offline_mode_say_which(hub: Hub, home: Path) -> None:
    assert _refused(hub, home, HF_HUB_OFFLINE="1") == (
        f"cannot reach the Hub for owner/model (offline mode is on: HF_HUB_OFFLINE), and no copy is cached: {HINT}"
    )
    nobody = Hub(url="http://127.0.0.1:9")  # the port of the discard service, which nobody runs
    message = _refused(nobody, home)
    assert message.startswith("cannot reach the Hub for owner/model (")
    assert "Connection refused" in message


def test_a_known_name_asks_nobody(hub: Hub, home: Path) -> None:
    assert _ask(hub.url, home, "meta-llama/Llama-3.2-1B")[0] == 0
    assert hub.requests == []
