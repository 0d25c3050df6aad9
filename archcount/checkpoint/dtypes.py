"""How many bits one element takes, by the name a header or a config gives its type."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Every variant of the `Dtype` enum of safetensors 0.8.0, which names them in its own error message.
HEADER_BITS: Mapping[str, int] = MappingProxyType(
    {
        "F4": 4,
        "F6_E2M3": 6,
        "F6_E3M2": 6,
        "BOOL": 8,
        "U8": 8,
        "I8": 8,
        "F8_E5M2": 8,
        "F8_E4M3": 8,
        "F8_E8M0": 8,
        "F8_E4M3FNUZ": 8,
        "F8_E5M2FNUZ": 8,
        "I16": 16,
        "U16": 16,
        "F16": 16,
        "BF16": 16,
        "I32": 32,
        "U32": 32,
        "F32": 32,
        "C64": 64,
        "F64": 64,
        "I64": 64,
        "U64": 64,
    }
)

# The spellings of torch, numpy, JAX and of command lines; a config writes them with or without "torch.".
_CONFIG_SPELLINGS: Mapping[int, tuple[str, ...]] = {
    4: ("fp4", "nf4", "mxfp4", "nvfp4", "float4", "float4_e2m1fn", "int4", "uint4"),
    6: ("fp6", "float6_e2m3fn", "float6_e3m2fn"),
    8: (
        *("fp8", "float8", "f8", "fp8_e4m3", "fp8_e5m2", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz"),
        *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "int8", "uint8", "i8", "u8", "bool"),
    ),
    16: ("bfloat16", "bf16", "float16", "fp16", "f16", "half", "int16", "uint16", "short"),
    32: ("float32", "fp32", "f32", "float", "int32", "uint32", "int"),
    64: ("float64", "fp64", "f64", "double", "int64", "uint64", "long", "complex64", "cfloat"),
}

CONFIG_BITS: Mapping[str, int] = MappingProxyType(
    {spelling: bits for bits, spellings in _CONFIG_SPELLINGS.items() for spelling in spellings}
)


_WHOLE = frozenset({"I", "U", "i", "u", "s", "l"})  # first letters: I32, U16, int32, uint16, short, long


def is_whole(spelling: str) -> bool:
    """Whether a type of 16 bits or more, as headers or configs spell it, holds whole numbers rather than fractions."""
    return spelling.strip().removeprefix("torch.")[:1] in _WHOLE


_KINDS = {
    **dict.fromkeys(("u8", "uint8"), "bytes"),
    **dict.fromkeys(("f8_e8m0", "float8_e8m0fnu"), "exponents"),
    **dict.fromkeys(("c64", "complex64", "cfloat"), "complex"),
    "bool": "flags",
}
_STAND_IN = {"bytes": ("whole", "exponents"), **dict.fromkeys(("whole", "exponents", "fractions", "flags"), ("bytes",))}


def is_alike(dtype: str, wanted: str) -> bool:
    """Whether a header's type holds the kind of numbers that another of its width does, as headers or configs spell it.

    Whole numbers are no fractions. A U8 is what writers put anything into that takes a byte; F8_E8M0 has the exponents
    of MX scales alone, BOOL flags.
    """
    kind, other = _kind(dtype), _kind(wanted)
    return kind == other or kind in _STAND_IN.get(other, ())


def is_scale(spelling: str) -> bool:
    """Whether a type, as headers or configs spell it, is one that scales are kept in: fractions of 16 bits or more."""
    bits = header_bits(spelling) or config_bits(spelling) or 0
    return _kind(spelling) == "fractions" and bits >= 16


def _kind(spelling: str) -> str:
    name = spelling.strip().lower().removeprefix("torch.")
    return _KINDS.get(name) or ("whole" if is_whole(spelling) else "fractions")


def header_bits(dtype: str) -> int | None:
    """Bits of one element of a safetensors dtype ("BF16", "F8_E4M3"), or None where the format does not know it."""
    return HEADER_BITS.get(dtype)


def config_bits(spelling: str) -> int | None:
    """Bits of one element as a config or a user spells the type ("torch.bfloat16", "fp8"), or None where unknown."""
    return CONFIG_BITS.get(spelling.strip().lower().removeprefix("torch."))
