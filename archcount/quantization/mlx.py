"""MLX: weights of any width packed into unsigned words, a scale and a bias for each group; tables and heads too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..dim import exact_div
from ..errors import ConfigValueError
from ..rows import Row, partition
from ..tree import Use
from .integers import Groups, words
from .selection import module_of
from .stored import Stored, beside, packed, plain

FLOATING_MODES = ("mxfp4", "mxfp8", "nvfp4")


@dataclass(frozen=True, slots=True)
class Setting:
    """The width and group of one module, or nothing where the config says false."""

    groups: Groups
    mode: str


def stored(row: Row, config: Mapping[str, Any]) -> Iterator[Stored]:
    """The tensors of one row; `config` is the `quantization` object, with overrides by module name.

    Raises ConfigValueError: a mode or width archcount has no layout for.
    """
    if row.tensor.use not in (Use.MATMUL, Use.LOOKUP) or len(row.tensor.shape) < 2 or not row.tensor.storage.is_in_file:
        yield plain(row)
        return
    for setting, part in partition(row, lambda name: _setting(config, module_of(name))):
        yield from (plain(part),) if setting is None else _packed(part, setting)


def _setting(config: Mapping[str, Any], module: str) -> Setting | None:
    own = config.get(module, config)
    if own is False or own is None:
        return None
    bits = own.get("bits", config["bits"])
    size = own.get("group_size", config["group_size"])
    return Setting(Groups(bits, size), own.get("mode", config.get("mode", "affine")))


def _packed(row: Row, setting: Setting) -> Iterator[Stored]:
    *leading, inputs = row.tensor.shape
    groups = setting.groups
    scales = (*leading, exact_div(inputs, groups.size))
    yield packed(row, "weight", (*leading, words(inputs, groups.bits)), "U32")
    if setting.mode == "affine":
        yield beside(row, "scales", scales, None)
        yield beside(row, "biases", scales, None)
    elif setting.mode in FLOATING_MODES:
        yield beside(row, "scales", scales, "U8")
    else:
        raise ConfigValueError(f"MLX quantization mode {setting.mode!r} has no layout here")


def with_stacked_experts(row: Row) -> Row:
    """MLX keeps the experts of a layer in one tensor, under `switch_mlp`, where Hugging Face stores them one by one."""
    if "experts" not in row.path or row.routed is None:
        return row
    at = row.path.index("experts")
    numbers = row.path[at + 1]
    if isinstance(numbers, str):
        return row
    shape = (len(numbers), *row.tensor.shape)
    path = (*row.path[:at], "switch_mlp", *row.path[at + 2 :])
    return replace(row, path=path, tensor=replace(row.tensor, shape=shape))
