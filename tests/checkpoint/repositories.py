"""What the Hub on the loopback holds, and how it is read."""

from __future__ import annotations

import json
from typing import Literal

from archcount.checkpoint.remote import read_remote
from archcount.checkpoint.result import Checkpoint
from archcount.checkpoint.transport import Limits
from tests.hub_server import Hub

from .files import weights

LIMITS = Limits(total=20, silence=2, attempts=3, pause=0.01)
INDEX = "model.safetensors.index.json"


def read(
    hub: Hub, limits: Limits = LIMITS, revision: str | None = None, token: str | Literal[False] = False
) -> Checkpoint:
    return read_remote(hub.repository, revision=revision, token=token, endpoint=hub.url, limits=limits)


def single(hub: Hub, content: bytes, size: int | None = None) -> None:
    hub.files["model.safetensors"] = content
    if size is not None:
        hub.sizes["model.safetensors"] = size


def sharded(hub: Hub, count: int, header_bytes: int = 0) -> None:
    names: dict[str, str] = {}
    for number in range(1, count + 1):
        file = f"model-{number:05}-of-{count:05}.safetensors"
        content = weights(3, f"shard{number}", {"pad": "x" * header_bytes} if header_bytes else None)
        hub.files[file] = content
        names.update({f"shard{number}.{at}.weight": file for at in range(3)})
    hub.files[INDEX] = json.dumps({"metadata": {"total_size": 48 * count}, "weight_map": names}).encode()
