"""The widths of types, by the names that headers and configs use."""

from __future__ import annotations

import re

import pytest
from safetensors import SafetensorError, deserialize

from archcount.checkpoint.dtypes import HEADER_BITS, config_bits, header_bits

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
