"""A project with one small model, as the tests of this folder lay it out."""

from __future__ import annotations

import json
import math
from pathlib import Path

import archcount
from archcount.expectations import Check, check, read

SMALL = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 100,
}  # fmt: skip
PARAMETERS = 95_040


def write(folder: Path, expected: str, name: str = "archcount.toml", /, **changed: object) -> Path:
    """Write the config and what is expected of it; the path of the latter."""
    (folder / "small").mkdir(parents=True, exist_ok=True)
    text = json.dumps({**SMALL, **changed}, indent=2) + "\n"
    (folder / "small" / "config.json").write_text(text, encoding="utf-8")
    file = folder / name
    file.write_text(expected, encoding="utf-8")
    return file


def outcomes(file: Path) -> list[tuple[str, str, str]]:
    """What each check is about, its outcome, and what it says."""
    return [(each.what, each.outcome.value, each.said) for each in check(read(file))]


def only(file: Path) -> Check:
    """The one check there is."""
    (found,) = check(read(file))
    return found


def write_weights(path: Path, shapes: dict[str, tuple[int, ...]]) -> None:
    """A safetensors file of F32 zeros with these shapes."""
    header: dict[str, object] = {}
    at = 0
    for name, shape in shapes.items():
        end = at + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, end]}
        at = end
    written = json.dumps(header).encode()
    path.write_bytes(len(written).to_bytes(8, "little") + written + bytes(at))


def shapes_of(config: Path) -> dict[str, tuple[int, ...]]:
    """The tensors that a config's weights hold."""
    return {tensor.name: tuple(map(int, tensor.shape)) for tensor in archcount.load(config).tensors()}
