"""Images scaled to one square."""

import pytest

from archcount.errors import UnknownCostError
from archcount.images.seen import View
from archcount.images.square import across, one_square


def test_a_token_for_each_patch_unless_it_is_said_otherwise() -> None:
    seen = one_square(336, 14, extra=1, projector="p")
    assert (seen.tokens, seen.views, seen.projected) == (576, (View(24, 24, extra=1),), {"p": 576})
    assert one_square(896, 14, tokens=256, marks=4).tokens == 256


def test_patches_that_make_no_whole_squares_are_refused() -> None:
    assert across(364, 14, 2) == 13
    with pytest.raises(UnknownCostError, match="27 patches a side do not make whole squares of 2"):
        across(384, 14, 2)
