"""Images scaled to grids of whole patches; the figures are those of the families' own processors."""

import pytest

from archcount.errors import UnknownCostError, UsageError
from archcount.images.grids import GLM, QWEN, at_most, budgeted, padded_grid, pixtral_grid, smart_grid
from archcount.images.seen import Picture, View

LONG = {"longest_edge": 1024}


def test_sides_are_rounded_to_squares_of_patches() -> None:
    seen = smart_grid(Picture(480, 640, QWEN), 14, 2, ("merger",))
    assert seen.views == (View(34, 46),)
    assert (seen.tokens, seen.projected) == (391, {"merger": 391})


@pytest.mark.parametrize(
    ("height", "width", "rows", "columns"), [(1080, 1920, 52, 94), (28, 28, 4, 4), (3000, 2000, 86, 58)]
)
def test_the_area_stays_within_bounds(height: int, width: int, rows: int, columns: int) -> None:
    assert smart_grid(Picture(height, width, QWEN), 14, 2, ()).views == (View(rows, columns),)


def test_an_image_of_several_frames_counts_as_many_times() -> None:
    assert smart_grid(Picture(3000, 2000, GLM), 14, 2, (), frames=2, stretch=True).tokens == 7420


def test_a_sliver_is_refused_as_the_processor_refuses_it() -> None:
    with pytest.raises(UsageError, match="one side is more than 200 times the other"):
        smart_grid(Picture(1, 300, QWEN), 14, 2, ())


def test_squares_within_a_number() -> None:
    assert at_most(Picture(480, 640), 32, 64, 256) == (13, 18)
    assert at_most(Picture(28, 28), 32, 64, 256) == (8, 8)
    assert at_most(Picture(300, 300), 32, 64, 256) == (9, 9)


def test_a_mark_ends_each_row_of_pixtral_s_grid() -> None:
    seen = pixtral_grid(Picture(768, 1024, LONG), 14, 2, ("projector",), breaks=True)
    assert (seen.tokens, seen.marks, seen.views) == (28 * 37, 28, (View(56, 74),))


def test_patches_that_are_no_squares_are_refused() -> None:
    with pytest.raises(UnknownCostError, match="patch_size is no square"):
        pixtral_grid(Picture(768, 1024, LONG), (14, 16), 2, (), breaks=True)


def test_an_image_fills_a_budget_of_squares() -> None:
    assert budgeted(Picture(768, 1024), 48, 280) == (14, 19)
    assert budgeted(Picture(10, 4000), 48, 280) == (1, 280)
    assert budgeted(Picture(4000, 10), 48, 280) == (280, 1)


def test_an_image_is_padded_to_whole_squares() -> None:
    assert padded_grid(Picture(768, 1024), 14, 2, most=16384, longest=512) == (56, 74)
    assert padded_grid(Picture(3000, 9000), 14, 2, most=16384, longest=512) == (74, 222)
