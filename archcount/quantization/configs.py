"""The quantization entries that Hugging Face's own quantizers write, each as a method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from ..errors import ConfigValueError
from ..rows import Row
from . import bitsandbytes, codebooks, floats, integers, microscaling
from .entry import Config
from .gptq_config import gptq, qqq
from .integers import Groups
from .linears import Writer, linears
from .method import Layout, Method, one, unless
from .selection import as_substring, as_transformers, as_transformers_four, is_candidate
from .siblings import Siblings
from .stored import Stored, plain

BNB_STORAGE = {"uint8": "U8", "int8": "I8", "float16": "F16", "bfloat16": "BF16", "float32": "F32"}


def _awq(entry: Config) -> Method:
    groups = Groups(entry.get("bits", entry.get("w_bit", 4)), entry.get("group_size", entry.get("q_group_size", 128)))
    version = str(entry.get("version") or entry.get("format") or "gemm").lower()  # the second is GPTQModel's key
    passed = as_substring(entry.get("modules_to_not_convert"))
    return one(lambda row: integers.awq(row, groups, version), passed, takes_matrices=True)


def _fp8(entry: Config) -> Method:
    block = entry.get("weight_block_size")
    is_static = entry.get("activation_scheme") == "static"
    listed = entry.get("modules_to_not_convert")
    passed, is_taken = as_transformers(listed), linears(entry, listed, takes_experts=True, takes_routers=False)
    by_output = entry.get("weight_scale_method") == "row"  # GPTQModel's
    experts = str(entry.get("expert_dtype") or "fp8")
    if experts not in ("fp8", "fp4"):
        raise ConfigValueError(f"FP8 with experts in {experts!r} has no layout here: archcount knows fp8 and fp4")

    def layout(row: Row) -> Iterable[Stored]:
        if row.routed is not None and experts == "fp4":
            scaled = microscaling.fp4_experts(row)
        else:
            scaled = floats.block_scaled(row, block) if block else floats.tensor_scaled(row, by_output=by_output)
        return [*scaled, floats.activation_scale(row)] if is_static else scaled

    return one(layout, passed, is_taken=is_taken)


def _fbgemm(entry: Config) -> Method:
    listed = entry.get("modules_to_not_convert")
    others = linears(entry, listed)

    def is_taken(row: Row, siblings: Siblings) -> bool:
        return others(row, siblings) or (len(row.tensor.shape) == 3 and is_candidate(row))  # Llama 4's experts

    return one(floats.output_scaled, as_transformers(listed), is_taken=is_taken)


def _eetq(entry: Config) -> Method:
    listed = entry.get("modules_to_not_convert")
    return one(integers.eetq, as_transformers(listed), is_taken=linears(entry, listed))


def _bitnet(entry: Config) -> Method:
    if entry.get("quantization_mode") == "online":  # quantized as it is loaded; the file has plain weights
        return one(lambda row: (plain(row),), None)
    listed = entry.get("modules_to_not_convert")
    return one(integers.bitnet, as_transformers(listed), is_taken=linears(entry, listed))


def _bitsandbytes(entry: Config) -> Method:
    listed = entry.get("llm_int8_skip_modules")
    passed = as_transformers(listed) if Writer.of(entry).version >= 5 else as_transformers_four(listed)
    is_taken = linears(entry, listed, takes_transposed=True)
    if entry.get("load_in_8bit") or entry.get("_load_in_8bit"):
        return one(bitsandbytes.eight_bit, passed, is_taken=is_taken)
    code = entry.get("bnb_4bit_quant_type", "fp4")
    is_nested = bool(entry.get("bnb_4bit_use_double_quant", False))
    kept_as = str(entry.get("bnb_4bit_quant_storage") or "uint8").removeprefix("torch.")
    if (storage := BNB_STORAGE.get(kept_as)) is None:
        known = ", ".join(BNB_STORAGE)
        raise ConfigValueError(f"bitsandbytes in {kept_as!r} has no layout here: archcount knows {known}")

    def layout(row: Row) -> Iterable[Stored]:
        return bitsandbytes.four_bit(row, code, is_nested=is_nested, storage=storage)

    return one(layout, passed, is_taken=is_taken)


def _mxfp4(entry: Config) -> Method:
    passed = as_transformers(entry.get("modules_to_not_convert"))

    def experts_alone(row: Row) -> Iterable[Stored]:
        return microscaling.gpt_oss_experts(row) if len(row.tensor.shape) == 3 else (plain(row),)

    return one(experts_alone, passed)


def _aqlm(entry: Config) -> Method:
    passed = as_transformers(_without_weight(entry.get("linear_weights_not_to_quantize")))
    return one(lambda row: codebooks.aqlm(row, entry), passed)


def _higgs(entry: Config) -> Method:
    listed = entry.get("modules_to_not_convert")
    return one(lambda row: codebooks.higgs(row, entry), as_transformers(listed), is_taken=linears(entry, listed))


def _hqq(entry: Config) -> Method:
    config = entry.get("quant_config") or {}
    passed, is_taken = as_transformers(entry.get("skip_modules")), linears(entry, entry.get("skip_modules"))
    if "weight_quant_params" in config:
        setting = config["weight_quant_params"]
        return one(lambda row: codebooks.hqq(row, setting), passed, is_taken=is_taken)

    @cache
    def layout_of(module: str) -> Layout | None:
        """By the module's name without its numbers: `self_attn.q_proj`."""
        own = next((config[tag] for tag in config if module.endswith(f".{tag}")), None)
        return None if own is None else lambda row: codebooks.hqq(row, own["weight_quant_params"])

    return Method(unless(passed, layout_of))


def _vptq(entry: Config) -> Method:
    own, shared = entry.get("config_for_layers") or {}, entry.get("shared_layer_config") or {}
    passed = as_transformers(entry.get("modules_to_not_convert"))

    def layout_of(module: str) -> Layout | None:
        setting = own.get(module) or shared.get(module.split(".")[1] if "." in module else "")
        return None if setting is None else lambda row: codebooks.vptq(row, setting)

    return Method(unless(passed, layout_of))


def _spqr(entry: Config) -> Method:
    passed = as_transformers(_without_weight(entry.get("modules_to_not_convert")))
    shapes = entry["shapes"]

    def layout_of(module: str) -> Layout | None:
        is_listed = f"{module}.dense_weights.shape" in shapes
        return (lambda row: codebooks.spqr(row, entry)) if is_listed else None

    return Method(unless(passed, layout_of))


def _refused(entry: Config) -> Method:
    raise ConfigValueError("quantization_config names no quant_method: say which writer it is from")


def _without_weight(names: Iterable[str] | None) -> list[str]:
    """Modules by the names of their weights."""
    return [name.removesuffix(".weight") for name in names or ()]


METHODS: Mapping[str, Callable[[Config], Method]] = {
    "": _refused,
    "aqlm": _aqlm,
    "awq": _awq,
    "bitnet": _bitnet,
    "bitsandbytes": _bitsandbytes,
    "eetq": _eetq,
    "fbgemm_fp8": _fbgemm,
    "fp8": _fp8,
    "gptq": gptq,
    "higgs": _higgs,
    "hqq": _hqq,
    "mxfp4": _mxfp4,
    "qqq": qqq,
    "spqr": _spqr,
    "vptq": _vptq,
}
