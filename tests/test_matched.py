"""Gated widths that equal a plain one."""

from fractions import Fraction

import pytest

from archcount.errors import UsageError
from archcount.matched import matched


def test_two_thirds() -> None:
    """Shazeer 2020: T5-base's 3,072 becomes 2,048."""
    found = matched(768)
    assert (found.plain, found.exact, found.rounded) == (3072, Fraction(2048), 2048)
    assert found.plain_parameters == found.gated_parameters(2048) == 4_718_592
    assert matched(4096).exact == Fraction(8 * 4096, 3)


@pytest.mark.parametrize(
    ("width", "multiple", "multiplier", "inner"),
    [
        (4096, 256, 1.0, 11_008),  # LLaMA 7B
        (4096, 1024, 1.3, 14_336),  # Llama 3 8B
        (8192, 4096, 1.3, 28_672),  # Llama 2 70B
        (2048, 256, 1.5, 8_192),  # Llama 3.2 1B
    ],
)
def test_meta_s_rule(width: int, multiple: int, multiplier: float, inner: int) -> None:
    assert matched(width, multiple=multiple, multiplier=multiplier).by_meta == inner


def test_swiglu_at_14336_holds_31_percent_more_than_gelu() -> None:
    found = matched(4096, multiple=1024, multiplier=1.3)
    assert found.plain_parameters == 134_217_728
    assert f"{found.gated_parameters(found.by_meta) / found.plain_parameters - 1:.0%}" == "31%"


def test_what_is_no_size() -> None:
    with pytest.raises(UsageError, match="should be above 0"):
        matched(4096, multiple=0)
