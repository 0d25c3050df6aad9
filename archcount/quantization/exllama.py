"""ExLlama's formats: EXL2, whose widths stand in the file alone, and EXL3, which lists the width of each module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..dim import ceil_div, round_up
from ..errors import ConfigValueError
from ..marks import MTP, TOWERS
from ..rows import Row, partition
from ..tree import Role, Storage, Use
from .entry import Config
from .integers import WORD, matrix
from .selection import PACKED_ROLES, module_of
from .stored import ANY_LENGTH, Stored, beside, packed, plain

HALF = "F16"  # what is not packed is kept in it, whatever the config's own type
COPIED = frozenset({MTP, *TOWERS})  # EXL2 takes these over from the original as they are
MODULES = frozenset(
    {
        *("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
        *("w1", "w2", "w3", "c_fc", "c_proj", "lm_head"),
    }
)
"""The modules that EXL2 packs under the names they have in the original."""
FUSED = frozenset({"qkv_proj", "gate_up_proj", "c_attn", "wqkv", "Wqkv", "query_key_value"})
OUTPUTS_TO, SCALE_BITS = 32, 4  # EXL2 fills outputs up to a multiple of 32, and keeps a scale in 4 bits
TILE, PADDING = 16, 128  # EXL3 packs squares of 16 × 16 weights, after both sides are filled up to a multiple of 128


def exl2(rows: list[Row]) -> Iterator[Stored]:
    """What an EXL2 file holds: matrices and the head packed, a tied head too, everything else in half precision.

    Raises ConfigValueError: a matrix that EXL2 stores under other names, or has none for.
    """
    packs = {row.path[:-1] for row in rows if row.section not in COPIED and _is_matrix(row)}
    for row in rows:
        if row.section in COPIED:
            yield from _as_it_is(row)
        elif _is_matrix(row):
            yield from _exl2(_with_own_head(row))
        elif row.path[-1] == "bias" and row.path[:-1] in packs:
            yield _padded_bias(row, OUTPUTS_TO)
        else:
            yield from _in_half(row)


def _exl2(row: Row) -> Iterator[Stored]:
    """`q_weight` [words, outputs] by groups of inputs, each of a width of its own, so that its length is the writer's.

    `q_scale` [groups, outputs × 4 ÷ 32], `q_scale_max` [groups] and `q_groups` [2 × groups] go with the groups.
    """
    name = row.path[-2] if len(row.path) > 1 else ""
    if row.path[-1] != "weight" or row.section or name not in MODULES:
        is_fused = name in FUSED or row.path[-1] in FUSED
        why = "it is stored in parts, whose sizes are not told here" if is_fused else "none of exllamav2's own names"
        raise ConfigValueError(f"EXL2 has no layout here for {row.pattern}: {why}")
    outputs, inputs = matrix(row)
    padded = round_up(outputs, OUTPUTS_TO)
    yield packed(row, "q_weight", (ANY_LENGTH, padded), "I32")
    yield beside(row, "q_scale", (ANY_LENGTH, padded * SCALE_BITS // WORD), "I32")
    yield beside(row, "q_scale_max", (ANY_LENGTH,), HALF)
    yield beside(row, "q_groups", (ANY_LENGTH,), "I16")
    yield beside(row, "q_invperm", (inputs,), "I32")


@dataclass(frozen=True, slots=True)
class _Trellis:
    """How EXL3 packed one module: 16-bit words for a tile of 256 weights, and what stands beside them."""

    words: int
    beside: frozenset[str]


AS_IT_IS = _Trellis(0, frozenset())


def exl3(rows: list[Row], entry: Config) -> Iterator[Stored]:
    """What an EXL3 file holds by its `tensor_storage`: the modules listed as exl3 packed, all else in half precision.

    Raises ConfigValueError: no such list, or a matrix that it leaves out.
    """
    listed = entry.get("tensor_storage")
    if not listed:
        mend = "keep the quantization_config.json of its writer beside config.json, or ask where the Hub is reached"
        raise ConfigValueError(f"EXL3's widths stand in tensor_storage, which is missing: {mend}")
    for row in rows:
        for kind, part in partition(row, lambda name: _kind(listed, name)):
            if kind is None and _is_matrix(part) and part.section not in COPIED and part.tensor.storage.is_in_file:
                raise ConfigValueError(f"EXL3's tensor_storage lists no {module_of(next(part.names()))}")
            if kind is None or kind is AS_IT_IS:
                yield from _in_half(part)
            elif part.path[-1] == "weight":
                yield from _exl3(_with_own_head(part), kind)
            else:
                yield _padded_bias(part, PADDING)


def _kind(listed: Mapping[str, Any], name: str) -> _Trellis | None:
    """How the module of a tensor is kept; None where it is not listed."""
    module, _, last = name.rpartition(".")
    kept = listed.get(module)
    if kept is None:
        return None
    if kept.get("quant_format") != "exl3" or last not in ("weight", "bias"):
        return AS_IT_IS
    bits = kept["bits_per_weight"]
    if bits <= 0 or bits * TILE % 1:
        raise ConfigValueError(f"EXL3's tensor_storage gives {module} {bits} bits: a tile of them is no whole words")
    return _Trellis(int(bits * TILE), frozenset(tensor.rpartition(".")[2] for tensor in kept["stored_tensors"]))


def _exl3(row: Row, kind: _Trellis) -> Iterator[Stored]:
    """`trellis` [inputs ÷ 16, outputs ÷ 16, 16 × bits], a scale for each input and output, a mark of the codebook.

    At first the scales were signs alone, 16 in a word: `su` and `sv` where there are now `suh` and `svh`.
    """
    outputs, inputs = (round_up(size, PADDING) for size in matrix(row))
    yield packed(row, "trellis", (ceil_div(inputs, TILE), ceil_div(outputs, TILE), kind.words), "I16")
    for size, signs, scales in ((inputs, "su", "suh"), (outputs, "sv", "svh")):
        if signs in kind.beside and scales not in kind.beside:
            yield beside(row, signs, (ceil_div(size, TILE),), "I16")
        else:
            yield beside(row, scales, (size,), HALF)
    for mark in ("mcg", "mul1"):
        if mark in kind.beside:
            yield beside(row, mark, (), "I32")


def _is_matrix(row: Row) -> bool:
    """A matrix of a layer or the head, whether or not the model's own file holds it."""
    is_packed = row.role in PACKED_ROLES or row.role is Role.HEAD
    return is_packed and row.tensor.use is Use.MATMUL and len(row.tensor.shape) >= 2


def _with_own_head(row: Row) -> Row:
    """The row in the file: of a tied head a packed copy is written."""
    if row.tensor.storage is not Storage.TIED:
        return row
    return replace(row, tensor=replace(row.tensor, storage=Storage.COPY))


def _padded_bias(row: Row, multiple: int) -> Stored:
    return replace(plain(row), shape=(round_up(row.tensor.shape[0], multiple),), dtype=HALF)


def _in_half(row: Row) -> Iterator[Stored]:
    yield from (replace(each, dtype=row.tensor.dtype or HALF) for each in _as_it_is(row))


def _as_it_is(row: Row) -> Iterator[Stored]:
    if row.tensor.storage.is_in_file:
        yield replace(plain(row), is_optional=row.section == MTP)
