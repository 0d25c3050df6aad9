"""Why a tensor is missing, unexpected or of another shape, where that can be told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..checkpoint.result import Checkpoint, Kind
from ..dim import Dim
from ..quantization import Stored
from ..tree import Role
from .choices import choice_of
from .prediction import Prediction
from .sorting import Sorted, layer_beyond, layer_of

Shape = tuple[int, ...]
SHARD = re.compile(r"-\d{5}-of-(?P<count>\d{5})\.safetensors$")

PACKED_PARTS = frozenset(
    {
        *("qweight", "qzeros", "scales", "g_idx", "biases", "SCB", "weight_format", "absmax", "quant_map"),
        *("nested_absmax", "nested_quant_map", "weight_scale", "weight_scale_inv", "weight_scale_2", "input_scale"),
        *("weight_packed", "weight_shape", "weight_zero_point", "weight_g_idx", "weight_global_scale"),
        *("k_scale", "v_scale", "weight_scales", "activation_scale", "q_weight", "q_scale", "q_groups", "q_perm"),
        *("q_scale_max", "q_invperm", "trellis", "suh", "svh", "su", "sv", "mcg", "mul1"),
        *("gate_up_proj_blocks", "gate_up_proj_scales", "down_proj_blocks", "down_proj_scales"),
    }
)
"""Last parts of names that only quantized files hold."""


@dataclass(frozen=True, slots=True)
class Causes:
    """Asks the files and the prediction why; "" where neither tells.

    `layers` are how many the config declares, `absent` those of which the files hold nothing (`model.layers.2`).
    """

    checkpoint: Checkpoint
    prediction: Prediction
    found: Sorted
    layers: dict[str, int]
    absent: frozenset[str]

    @classmethod
    def of(cls, checkpoint: Checkpoint, prediction: Prediction, found: Sorted) -> Causes:
        """What is asked of every finding, looked up once."""
        layers = prediction.layers()
        absent: set[str] = set()
        if found.missing:  # a hundred thousand names are gone through only then
            names = (name for stored in prediction.stored for name in stored.names())
            present = {_layer_of(name, layers) for name in names if name not in found.matching.absent}
            stacks = {layer.rpartition(".")[0] for layer in present}  # one of which nothing is there has other names
            gone = {_layer_of(name, layers) for name in found.missing} - present - {""}
            absent = {layer for layer in gone if layer.rpartition(".")[0] in stacks}
        return cls(checkpoint, prediction, found, layers, frozenset(absent))

    def of_missing(self, name: str, stored: Stored) -> str:
        """Why a predicted tensor is not there."""
        index = self.checkpoint.index
        if index and index.weight_map.get(name) in self.checkpoint.missing:
            return f"in {index.weight_map[name]}, which is missing"
        if choice_of(stored) is not None:
            return "others of its kind are there, which are left out of a file together or not at all"
        module = name.rpartition(".")[0]
        if stored.path != stored.row.path and f"{module}.{stored.row.path[-1]}" in self.found.unexpected:
            return "stored as it is, where the config says that it is quantized"
        if stored.path == stored.row.path and any(f"{module}.{part}" in self.found.unexpected for part in PACKED_PARTS):
            return "packed, where the config says nothing of that"
        metadata = (shard.header.metadata for shard in self.checkpoint.shards)
        kept = next((each[name] for each in metadata if name in each), "")
        if kept:
            return f"left out as the same as {kept} by the header's own word, and the config does not tie the two"
        is_gone = _layer_of(name, self.layers) in self.absent
        is_head = stored.row.role is Role.HEAD and len(stored.shape) == 2
        why = "the files hold nothing of this layer" if is_gone else ""
        return _whole_of(self.checkpoint) or why or ("the config does not tie it to the embedding" if is_head else "")

    def of_unexpected(self, name: str) -> str:
        """Why a stored tensor is not predicted."""
        module, _, last = name.rpartition(".")
        if layer := layer_beyond(name, self.layers):
            prefix = layer.rpartition(".")[0]
            return f"beyond the {self.layers[prefix]} layers that the config declares"
        if last in ("lora_A", "lora_B") or ".lora_A." in name or ".lora_B." in name:
            return "of an adapter"
        if last in PACKED_PARTS:
            return "as only a quantized file of another kind than the config's has it"
        if last == "bias" and self._is_known(module):
            return "a bias that the config does not declare"
        parts = {stored.path[0] for stored in self.prediction.stored} if not self.found.missing else set()
        return "of a part that the config does not declare" if parts and name.partition(".")[0] not in parts else ""

    def of_shape(self, predicted: Shape, found: Shape) -> str:
        """How two shapes differ: by the config's keys, where the sizes predicted are bare keys."""
        if predicted[::-1] == found:
            return "the other way round"
        if predicted[1:] == found[1:] and predicted and found:
            return f"{found[0]:,} rows, where the config says {predicted[0]:,}"
        differ = [pair for pair in zip(predicted, found, strict=False) if pair[0] != pair[1]]
        keys = [_key(size) for size, _ in differ]
        if len(predicted) != len(found) or "" in keys:
            return ""
        pairs = dict(zip(keys, differ, strict=True))
        return "; ".join(f"{key} is {here:,}, where the config says {size:,}" for key, (size, here) in pairs.items())

    def _is_known(self, module: str) -> bool:
        """Is the weight of that module predicted, and there?"""
        return f"{module}.weight" in self.checkpoint.entries and f"{module}.weight" not in self.found.unexpected


def _whole_of(checkpoint: Checkpoint) -> str:
    """What to name instead, where the only file that was named is one shard of several."""
    file = checkpoint.shards[0].file if checkpoint.kind is Kind.SINGLE else ""
    match = SHARD.search(file)
    count = int(match["count"]) if match else 1
    return f"{file} is one of {count} shards: name their folder" if count > 1 else ""


def _layer_of(name: str, layers: Mapping[str, int]) -> str:
    """`model.layers.2` for a tensor of a numbered layer, "" for any other."""
    return ".".join(layer_of(name, layers)).strip(".")


def _key(size: int) -> str:
    """The config's key that a size was read from, "" for one that was computed."""
    return size.term if isinstance(size, Dim) and isinstance(size.term, str) else ""
