"""The widths of types, by the names that headers and configs use."""

from __future__ import annotations

import re

import pytest
from safetensors import SafetensorError, deserialize

from archcount.checkpoint.dtypes import HEADER_BITS, config_bits, header_bits, is_alike, is_scale

from .files import file_of


def test_the_dtypes_are_those_that_the_safetensors_package_names() -> None:
    with pytest.raises(SafetensorError) as caught:
        deserialize(file_of('{"w":{"dtype":"?","shape":[0],"data_offsets":[0,0]}}'))
    assert set(re.findall(r"`([A-Z0-9_]+)`", str(caught.value))) == set(HEADER_BITS)


@pytest.mark.parametrize("dtype", sorted(HEADER_BITS))
def test_eight_elements_take_as_many_bytes_as_one_has_bits(dtype: str) -> None:
    bits = header_bits(dtype)
    assert bits is not None
    raw = file_of(f'{{"w":{{"dtype":"{dtype}","shape":[8],"data_offsets":[0,{bits}]}}}}', bytes(bits))
    assert len(deserialize(raw)[0][1]["data"]) == bits


@pytest.mark.parametrize(
    ("spelling", "bits"),
    [
        ("bfloat16", 16),
        ("torch.bfloat16", 16),
        ("bf16", 16),
        ("torch.float16", 16),
        ("FP32", 32),
        ("float64", 64),
        ("fp8", 8),
        ("torch.float8_e4m3fn", 8),
        ("int8", 8),
        ("nf4", 4),
        ("float16x", None),
        ("", None),
        ("auto", None),
    ],
)
def test_config_spellings(spelling: str, bits: int | None) -> None:
    assert config_bits(spelling) == bits


@pytest.mark.parametrize(
    ("wanted", "alike"),
    [
        ("bfloat16", {"BF16", "F16"}),
        ("F8_E4M3", {"F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "U8"}),
        ("U8", {"U8", "I8", "F8_E8M0"}),
        ("torch.int8", {"I8", "U8"}),
        ("float8_e8m0fnu", {"F8_E8M0", "U8"}),
        ("BOOL", {"BOOL", "U8"}),
        ("I32", {"I32", "U32"}),
        ("float64", {"F64"}),
        ("complex64", {"C64"}),
    ],
)
def test_types_that_hold_the_same_kind_of_numbers(wanted: str, alike: set[str]) -> None:
    bits = header_bits(wanted) or config_bits(wanted)
    assert {dtype for dtype in HEADER_BITS if header_bits(dtype) == bits and is_alike(dtype, wanted)} == alike


def test_types_of_scales() -> None:
    assert {dtype for dtype in HEADER_BITS if is_scale(dtype)} == {"BF16", "F16", "F32", "F64"}
    assert (is_scale("torch.bfloat16"), is_scale("fp8"), is_scale("int32")) == (True, False, False)
