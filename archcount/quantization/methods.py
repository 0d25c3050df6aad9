"""From a config's quantization entry to what the file holds for each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import ConfigValueError
from ..rows import Row, partition
from . import exllama, mlx
from .auto_round import auto_round
from .compressed_config import compressed_tensors
from .configs import METHODS
from .entry import Config
from .experts import biases_one_by_one, one_by_one
from .integers import zero_bias
from .method import Layout, Method
from .modelopt_config import cache_scales, modelopt
from .selection import module_of
from .siblings import Siblings
from .stored import Stored, plain
from .torchao import torchao
from .values import checked

REFUSED = {
    "quanto": "transformers cannot save it, as of 5.24",
}
ALL_METHODS = {
    **METHODS,
    "auto-round": auto_round,
    "compressed-tensors": compressed_tensors,
    "modelopt": modelopt,
    "torchao": torchao,
}
OTHERS = ("exl2", "exl3", "mlx")  # that lay out more than matrices


def packed(rows: list[Row], entry: Config) -> list[Stored]:
    """What the file holds for these rows, tied ones too, by the quantization entry of its config.

    Raises ConfigValueError: a method archcount has no layout for, or a key of it missing or of the wrong type.
    """
    try:
        return list(_stored(rows, entry))
    except KeyError as missing:
        raise ConfigValueError(f"quantization_config: {missing.args[0]} is missing") from None
    except (TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, OverflowError) as wrong:
        raise ConfigValueError(f"quantization_config: a key of it is not what its method writes ({wrong})") from None


def method_name(entry: Config) -> str:
    """`gptq`, `awq`, `fp8` …; Model Optimizer's writers name the algorithm beside it."""
    name = str(entry.get("quant_method") or entry.get("quant_algo") or "").lower()
    if name.startswith("modelopt") or entry.get("producer"):
        return "modelopt"
    return name.removeprefix("intel/")  # AutoRound's, as it once called itself


def _stored(rows: list[Row], entry: Config) -> Iterable[Stored]:
    name, in_file = method_name(entry), [row for row in rows if row.tensor.storage.is_in_file]
    match name:
        case "exl2":
            return exllama.exl2(rows)
        case "exl3":
            return exllama.exl3(rows, entry)
        case "mlx":
            checked(entry)
            return mlx.stored(rows, entry)
        case _ if name in ALL_METHODS:
            checked(entry)
            return _by_matrix(in_file, ALL_METHODS[name](entry))
    known = ", ".join(sorted(filter(None, (*ALL_METHODS, *OTHERS))))
    raise ConfigValueError(f"quant_method {name!r} has no layout here: {REFUSED.get(name, f'archcount knows {known}')}")


def _by_matrix(rows: list[Row], method: Method) -> Iterator[Stored]:
    siblings = Siblings.of(rows)
    for row in rows:
        weight = siblings.weight_of(row) if method.takes_matrices else None
        if weight is not None and _of_row(weight, method, siblings) != [plain(weight)]:
            yield from map(plain, biases_one_by_one(row))
            continue
        yield from _of_row(row, method, siblings)
        yield from cache_scales(row, method.cache)


def _of_row(row: Row, method: Method, siblings: Siblings) -> list[Stored]:
    if not method.is_taken(row, siblings):
        return [plain(row)]
    is_transposed = siblings.is_transposed(row)
    singles = list(one_by_one(row, is_transposed=is_transposed)) if method.takes_matrices else [row]
    if singles == [row]:
        singles = [siblings.upright(row)] if len(row.tensor.shape) == 2 else singles
    has_bias = siblings.bias_of(row) is not None
    found = [stored for single in singles for stored in _of_matrix(single, method, has_bias=has_bias)]
    is_passed_over = len(found) == len(singles) and all(_is_plain(stored) for stored in found)
    return [plain(row)] if is_passed_over else found


def _of_matrix(row: Row, method: Method, *, has_bias: bool) -> Iterator[Stored]:
    for layout, part in _kinds(row, method):
        if layout is None:
            yield plain(part)
            continue
        yield from layout(part)
        if method.writes_bias and not has_bias:
            yield zero_bias(part)


def _kinds(row: Row, method: Method) -> Iterable[tuple[Layout | None, Row]]:
    if method.always is not None:
        return ((method.always, row),)
    return partition(row, lambda name: method.layout_of(module_of(name)))


def _is_plain(stored: Stored) -> bool:
    """Left as the model has it?"""
    return stored.path == stored.row.path and stored.shape == stored.row.tensor.shape and stored.dtype is None
