"""Images cut into tiles; the layouts are those of the families' own processors."""

from archcount.images.seen import Picture
from archcount.images.tiling import closest_ratio, closest_scale, least_upscale, split_by_longest_edge


def test_the_layout_nearest_the_shape_and_the_larger_of_two_that_it_half_fills() -> None:
    assert closest_ratio(Picture(768, 1024), 448, 1, 12) == (4, 3)
    assert closest_ratio(Picture(1000, 1000), 448, 1, 12) == (3, 3)
    assert closest_ratio(Picture(300, 300), 448, 1, 12) == (1, 1)


def test_the_layout_of_least_upscaling_or_else_of_least_downscaling() -> None:
    assert least_upscale(Picture(768, 1024), 512, 12) == (2, 2)
    assert least_upscale(Picture(3000, 2000), 512, 12) == (3, 4)


def test_of_equally_good_layouts_the_smallest() -> None:
    assert closest_scale(Picture(768, 1024), 336, 16) == (4, 3)
    assert closest_scale(Picture(336, 336), 336, 16) == (1, 1)


def test_the_longest_side_decides_how_many_tiles_there_are() -> None:
    assert split_by_longest_edge(Picture(768, 1024), 364, 1456) == (4, 3)
    assert split_by_longest_edge(Picture(300, 300), 512, 512) == (0, 0)


def test_no_side_is_scaled_beyond_4096_pixels() -> None:
    assert split_by_longest_edge(Picture(3000, 2000), 364, 8000) == (8, 12)
    assert split_by_longest_edge(Picture(2000, 3001), 364, 8000) == (12, 8)
