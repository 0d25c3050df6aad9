"""Weights as indices into learned tables, and weights with outliers kept apart: AQLM, VPTQ, SpQR, and HQQ's groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..dim import ceil_div, exact_div
from ..errors import ConfigValueError
from ..rows import Row
from .entry import Config
from .integers import WORD, matrix
from .selection import module_of
from .stored import ANY_LENGTH, Stored, beside, packed

HQQ_NUMBERS = {"nbits": "I32", "group_size": "I32", "axis": "I32"}
HQQ_FLAGS = (
    *("view_as_float", "quant_scale", "quant_zero", "channel_wise", "optimize", "round_zero"),
    *("offload_meta", "encoded_state_dict", "stores_quant_config"),
)
HQQ_WORDS = ("packing", "unpack_view_dtype", "compute_dtype")


def aqlm(row: Row, entry: Config) -> list[Stored]:
    """`codes` [output groups, input groups, codebooks], `codebooks` [codebooks, 2^bits, …], `scales` by output group.

    Egiazarian et al. 2024; a code is kept in 8 bits where they suffice, else in 16.
    """
    outputs, inputs = matrix(row)
    bits, count = _counts(entry["nbits_per_codebook"], entry["num_codebooks"])
    group, across = _counts(entry["in_group_size"], entry["out_group_size"])
    codes = (exact_div(outputs, across), exact_div(inputs, group), count)
    return [
        packed(row, "codes", codes, "I8" if bits <= 8 else "I16"),
        beside(row, "codebooks", (count, 2**bits, across, group), None),
        beside(row, "scales", (exact_div(outputs, across), 1, 1, 1), None),
    ]


def higgs(row: Row, entry: Config) -> list[Stored]:
    """`weight` in 16-bit words along the outputs, `scales` by group, and a table twice (Malinovskii et al. 2024)."""
    outputs, inputs = matrix(row)
    bits, group = entry.get("bits", 4), entry.get("group_size", 256)
    return [
        packed(row, "weight", (exact_div(outputs * bits, 16), inputs), "I16"),
        beside(row, "scales", (outputs, exact_div(inputs, group)), None),
        beside(row, "tables", (2**bits,), None),
        beside(row, "tables2", (2**bits, 2**bits, 2), None),
    ]


def hqq(row: Row, setting: Mapping[str, Any]) -> list[Stored]:
    """`W_q` packed along its first axis after grouping, `scale` and `zero` by group (Badri and Shaji 2023).

    Raises ConfigValueError: a width, axis or group archcount has no layout for.
    """
    bits, size, axis = setting.get("nbits", 4), setting.get("group_size", 64), setting.get("axis", 1)
    outputs, inputs = matrix(row)
    if bits not in (1, 2, 3, 4, 8) or axis not in (0, 1) or setting.get("quant_zero") or setting.get("quant_scale"):
        raise ConfigValueError(f"HQQ with nbits {bits}, axis {axis} or quantized scales has no layout here")
    if size is None:
        grouped = (outputs, inputs)
    else:
        count = exact_div(outputs * inputs, size)
        grouped = (count, size) if axis == 1 else (size, count)
    scales = (grouped[0], 1) if axis == 1 else (1, grouped[1])
    first = ceil_div(grouped[0], 10) if bits == 3 else exact_div(grouped[0] * bits, 8)  # ten 3-bit weights to a word
    stored = [
        packed(row, "W_q", (first, grouped[1]), "I32" if bits == 3 else "U8"),
        beside(row, "scale", scales, None),
        beside(row, "zero", scales, None),
        beside(row, "shape", (2,), "I64", is_optional=True),
    ]
    stored += (beside(row, name, (), dtype, is_optional=True) for name, dtype in HQQ_NUMBERS.items())
    stored += (beside(row, name, (), "U8", is_optional=True) for name in HQQ_FLAGS)
    return [*stored, *(beside(row, name, (ANY_LENGTH,), "U8", is_optional=True) for name in HQQ_WORDS)]


def vptq(row: Row, layer: Mapping[str, Any]) -> Iterator[Stored]:
    """Packed `indices`, tables of `centroids`, and what the layer's own settings add (Liu et al. 2024).

    Indices of outliers are not packed: 16-bit words, or those read as fractions.

    Raises ConfigValueError: a size that is none.
    """
    outputs, inputs = matrix(row)
    length, centroids = _counts(layer["vector_lens"][1], layer["num_centroids"][1])
    books, size, outliers = _counts(layer["group_num"], layer["group_size"], layer.get("outlier_size", 0))
    residual = layer["num_res_centroids"][1]  # -1 where there are none, as of outliers
    bits = _bits(centroids) + (_bits(residual) if residual > 0 else 0)
    yield packed(row, "indices", (books, ceil_div(outputs, length), ceil_div(size * bits, WORD)), "I32")
    yield beside(row, "centroids.weight", (books, centroids * length), None)
    if residual > 0:
        yield beside(row, "res_centroids.weight", (books, residual * length), None)
    first, few = layer["vector_lens"][0], layer["num_centroids"][0]
    if first > 1 and few > 0:
        yield beside(row, "outlier_centroids.weight", (1, few * first), None)
        dtype = "F16" if layer.get("indices_as_float") else "I16"
        yield beside(row, "outlier_indices", (1, ceil_div(outputs, first), outliers), dtype)
    if layer.get("enable_perm"):
        yield beside(row, "perm", (inputs,), "I16")
    if layer.get("enable_norm"):
        yield beside(row, "weight_scale", (inputs,), None)
        yield beside(row, "weight_bias", (inputs,), None)


def spqr(row: Row, entry: Config) -> list[Stored]:
    """`dense_weights` and the sparse outliers, of the shapes that the config lists by module (Dettmers et al. 2023).

    Raises ConfigValueError: a module that stands for several places, or that the config does not list.
    """
    module = module_of(row.pattern)
    names = {"dense_weights": "I64", "row_offsets": "I32", "col_vals": "I32", "in_perm": "I32"}
    shapes = {name: entry["shapes"].get(f"{module}.{name}.shape") for name in names}
    if None in shapes.values():
        raise ConfigValueError(f"quantization_config: shapes lists no {module}")
    sized = {name: _counts(*((shape,) if isinstance(shape, int) else shape)) for name, shape in shapes.items()}
    dense = packed(row, "dense_weights", sized.pop("dense_weights"), names["dense_weights"])
    return [dense, *(beside(row, name, shape, names[name]) for name, shape in sized.items() if shape not in ((), (0,)))]


def _counts(*sizes: object) -> tuple[int, ...]:
    """Sizes that a config states as they are.

    Raises ConfigValueError: one that is no whole number, or below 0.
    """
    counts = tuple(size for size in sizes if isinstance(size, int) and size >= 0)
    if len(counts) < len(sizes):
        wrong = next(size for size in sizes if not isinstance(size, int) or size < 0)
        raise ConfigValueError(f"quantization_config: a size in it is {wrong!r}: should be a whole number, not below 0")
    return counts


def _bits(centroids: int) -> int:
    """How many bits an index into so many takes."""
    return int(centroids).bit_length() - 1
