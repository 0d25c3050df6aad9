"""What a config leaves to the file beside it: the list of an EXL3 model's tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .files import read_object

TENSOR_LIST = "quantization_config.json"
METHOD, ENTRY, LIST = "exl3", "quantization_config", "tensor_storage"


def completed(config: dict[str, object], find: Callable[[], Path | None]) -> dict[str, object]:
    """The config with the list that `find` has the path of, where the config is of EXL3 and has none itself.

    Raises ConfigSyntaxError: a list that is no JSON object.
    """
    entry = config.get(ENTRY)
    if not isinstance(entry, Mapping) or entry.get("quant_method") != METHOD or entry.get(LIST):
        return config
    path = find()
    listed = read_object(path).get(LIST) if path else None
    return {**config, ENTRY: {**entry, LIST: listed}} if listed else config


def beside(path: Path) -> Path | None:
    """The list next to a config on this machine, None where there is none."""
    found = path.parent / TENSOR_LIST
    return found if found.is_file() else None
