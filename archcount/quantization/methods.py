"""From a config's quantization entry to what the file holds for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..errors import ConfigValueError
from ..rows import Row, partition
from . import bitsandbytes, compressed, floats, integers, microscaling, mlx
from .entry import Config
from .integers import Groups
from .selection import Passed, as_substring, as_targets, as_transformers, as_wildcards, is_candidate, module_of
from .stored import Stored, plain

Layout = Callable[[Row], Iterable[Stored]]


@dataclass(frozen=True, slots=True)
class Method:
    """Which layout packs a module's weights; None where the quantizer passed it over.

    `always` is the layout of every module, where no name has to be asked.
    """

    layout_of: Callable[[str], Layout | None]
    always: Layout | None = None


def packed(in_file: list[Row], entry: Config) -> list[Stored]:
    """What the file holds for these rows by the quantization entry of its config.

    Raises ConfigValueError: a method archcount has no layout for, or a key of it missing.
    """
    try:
        return list(_stored(in_file, entry))
    except KeyError as missing:
        raise ConfigValueError(f"quantization_config: {missing.args[0]} is missing") from None
    except (TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        # The entry has no schema (each method reads its own keys), so a value of the wrong kind is met only here.
        raise ConfigValueError(f"quantization_config: a value is of the wrong kind ({error})") from error


def _stored(rows: list[Row], entry: Config) -> Iterator[Stored]:
    name = method_name(entry)
    if name == "mlx":
        for row in rows:
            yield from mlx.stored(mlx.with_stacked_experts(row), entry)
        return
    if name not in METHODS:
        known = ", ".join(sorted(METHODS))
        raise ConfigValueError(f"quant_method {name!r} has no layout here: archcount knows {known}, mlx")
    method = METHODS[name](entry)
    for row in rows:
        if not is_candidate(row):
            yield plain(row)
            continue
        if method.always is not None:
            yield from method.always(row)
            continue
        for layout, part in partition(row, lambda full: method.layout_of(module_of(full))):
            yield from (plain(part),) if layout is None else layout(part)


def method_name(entry: Config) -> str:
    """`gptq`, `awq`, `fp8` …; Model Optimizer's writers name the algorithm beside it."""
    name = str(entry.get("quant_method") or entry.get("quant_algo") or "")
    if name.startswith("modelopt") or entry.get("producer"):
        return "modelopt"
    return name.lower()


def _one(layout: Layout, passed: Passed | None) -> Method:
    if passed is None:
        return Method(lambda _: layout, layout)
    return Method(lambda module: None if passed(module) else layout)


def _gptq(entry: Config) -> Method:
    groups = Groups(entry["bits"], entry.get("group_size", 128))
    return _one(lambda row: integers.gptq(row, groups), as_transformers(entry.get("modules_to_not_convert")))


def _awq(entry: Config) -> Method:
    groups = Groups(entry.get("bits", entry.get("w_bit", 4)), entry.get("group_size", entry.get("q_group_size", 128)))
    return _one(lambda row: integers.awq(row, groups), as_substring(entry.get("modules_to_not_convert")))


def _fp8(entry: Config) -> Method:
    block = entry.get("weight_block_size")
    is_static = entry.get("activation_scheme") == "static"
    passed = as_transformers(entry.get("modules_to_not_convert"))
    if block:
        return _one(lambda row: floats.block_scaled(row, block), passed)
    return _one(lambda row: floats.tensor_scaled(row, is_static=is_static), passed)


def _fbgemm(entry: Config) -> Method:
    return _one(floats.output_scaled, as_transformers(entry.get("modules_to_not_convert")))


def _eetq(entry: Config) -> Method:
    return _one(integers.eetq, as_transformers(entry.get("modules_to_not_convert")))


def _bitsandbytes(entry: Config) -> Method:
    passed = as_transformers(entry.get("llm_int8_skip_modules"))
    if entry.get("load_in_8bit") or entry.get("_load_in_8bit"):
        return _one(bitsandbytes.eight_bit, passed)
    code = entry.get("bnb_4bit_quant_type", "fp4")
    is_nested = bool(entry.get("bnb_4bit_use_double_quant", False))
    return _one(lambda row: bitsandbytes.four_bit(row, code, is_nested=is_nested), passed)


def _mxfp4(entry: Config) -> Method:
    passed = as_transformers(entry.get("modules_to_not_convert"))

    def experts_alone(row: Row) -> Iterable[Stored]:
        return microscaling.gpt_oss_experts(row) if len(row.tensor.shape) == 3 else (plain(row),)

    return _one(experts_alone, passed)


def _modelopt(entry: Config) -> Method:
    inner = entry.get("quantization") if isinstance(entry.get("quantization"), Mapping) else entry
    algorithm = str((inner or entry).get("quant_algo", ""))
    layouts: dict[str, Layout] = {"FP8": floats.modelopt_float8, "NVFP4": microscaling.modelopt_nvfp4}
    if algorithm not in layouts:
        raise ConfigValueError(f"Model Optimizer's {algorithm!r} has no layout here: archcount knows FP8, NVFP4")
    excluded = (inner or entry).get("exclude_modules") or entry.get("ignore") or ()
    return _one(layouts[algorithm], as_wildcards(excluded))


def _compressed(entry: Config) -> Method:
    ignored = as_targets(entry.get("ignore") or ())
    groups = []
    for group in entry["config_groups"].values():
        scheme = compressed.Scheme.read(group, entry.get("format", ""))
        groups.append((group.get("targets") or ["Linear"], as_targets(group.get("targets") or ()), _layout(scheme)))

    def layout_of(module: str) -> Layout | None:
        if ignored(module):
            return None
        named = (layout for _, is_target, layout in groups if is_target(module))
        by_class = (layout for targets, _, layout in groups if "Linear" in targets)
        return next(named, next(by_class, None))

    return Method(layout_of)


def _layout(scheme: compressed.Scheme) -> Layout:
    return lambda row: compressed.stored(row, scheme)


METHODS: Mapping[str, Callable[[Config], Method]] = {
    "awq": _awq,
    "bitsandbytes": _bitsandbytes,
    "compressed-tensors": _compressed,
    "eetq": _eetq,
    "fbgemm_fp8": _fbgemm,
    "fp8": _fp8,
    "gptq": _gptq,
    "modelopt": _modelopt,
    "mxfp4": _mxfp4,
}
