"""Weight files for the tests: whole headers, and as many bytes after them as they ask for, none of them written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

BITS = {
    "F4": 4,
    "F8_E4M3": 8,
    "F8_E8M0": 8,
    "I8": 8,
    "U8": 8,
    "BOOL": 8,
    "I16": 16,
    "F16": 16,
    "BF16": 16,
    "F32": 32,
    "I32": 32,
    "U32": 32,
    "I64": 64,
}
Tensor = tuple[str, str, list[int]]


def write_headers(path: Path, tensors: Iterable[Tensor], metadata: Mapping[str, str] | None = None) -> int:
    """A sparse file of these (name, dtype, shape); the bytes of its tensors."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    at = 0
    for name, dtype, shape in tensors:
        end = at + math.prod(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode()
    with path.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        stream.truncate(8 + len(text) + at)
    return at


def write_shards(
    folder: Path, tensors: Iterable[Tensor], shards: int, index_metadata: Mapping[str, object] | None = None
) -> dict[str, str]:
    """So many sparse shards and their index; the index's weight_map."""
    everything = list(tensors)
    each = math.ceil(len(everything) / shards)
    weight_map: dict[str, str] = {}
    total = 0
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        part = everything[shard * each : (shard + 1) * each]
        total += write_headers(folder / file, part)
        weight_map.update({name: file for name, _, _ in part})
    write_index(folder, weight_map, {"total_size": total} if index_metadata is None else index_metadata)
    return weight_map


def write_index(folder: Path, weight_map: Mapping[str, str], metadata: Mapping[str, object]) -> None:
    """`model.safetensors.index.json`."""
    index = {"metadata": metadata, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
