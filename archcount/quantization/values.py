"""The values of a quantization entry are what their writers put there, or the key that is not is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeGuard

from ..errors import ConfigValueError
from .entry import Config

WIDEST = 64  # bits of one weight, or of one index; 2 to the power of it is the size of a table
ALL = -1  # a group of all inputs
WIDTHS = frozenset({"bits", "num_bits", "nbits", "nbits_per_codebook", "w_bit"})
GROUPS = frozenset({"group_size", "q_group_size"})
BLOCKS = frozenset({"block_structure", "weight_block_size"})
LISTS = frozenset(
    {
        *("exclude_modules", "ignore", "linear_weights_not_to_quantize", "llm_int8_skip_modules"),
        *("modules_to_not_convert", "skip_modules", "targets"),
    }
)
OBJECTS = frozenset(
    {
        *("input_activations", "quant_config", "shapes", "shared_layer_config"),
        *("sparsity_config", "weight_quant_params"),
    }
)
OBJECTS_OF_OBJECTS = frozenset({"config_for_layers", "config_groups", "extra_config", "quantized_layers"})


def checked(entry: Config) -> None:
    """Raises ConfigValueError: a value of another kind than its key asks for, at any depth; null is none."""
    for key, value in entry.items():
        if value is None:
            continue
        for keys, is_right, wanted in KINDS:
            if key in keys and not is_right(value):
                raise ConfigValueError(f"quantization_config: {key} is {value!r}: should be {wanted}")
        if isinstance(value, Mapping):
            checked(value)


def expression(pattern: str) -> re.Pattern[str]:
    """A regular expression of the entry, compiled.

    Raises ConfigValueError: it is none.
    """
    try:
        return re.compile(pattern)
    except re.error as wrong:
        raise ConfigValueError(f"quantization_config: {pattern!r} is no regular expression ({wrong})") from None


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_width(value: object) -> bool:
    return _is_whole(value) and 1 <= value <= WIDEST


def _is_block(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_whole(side) and side > 0 for side in value)


def _is_group(value: object) -> bool:
    return _is_block(value) or (_is_whole(value) and value >= ALL)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _holds_objects(value: object) -> bool:
    return isinstance(value, Mapping) and all(each is None or isinstance(each, Mapping) for each in value.values())


KINDS: tuple[tuple[frozenset[str], Callable[[object], bool], str], ...] = (
    (WIDTHS, _is_width, f"a whole number from 1 to {WIDEST}"),
    (GROUPS, _is_group, "a whole number from -1, or two above 0"),
    (BLOCKS, _is_block, "two whole numbers above 0"),
    (LISTS, _is_list, "a list of texts"),
    (OBJECTS, _is_object, "an object"),
    (OBJECTS_OF_OBJECTS, _holds_objects, "an object of objects"),
)
