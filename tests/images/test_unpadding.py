"""LLaVA-NeXT's tiles, as its processor counts them."""

from archcount.images.seen import Picture, View
from archcount.images.unpadding import anyres, best_resolution

SQUARES = ((336, 672), (672, 336), (672, 672), (1008, 336), (336, 1008))


def test_the_resolution_that_keeps_most_of_an_image() -> None:
    assert best_resolution(Picture(768, 1024), SQUARES) == (672, 672)
    assert best_resolution(Picture(300, 2000), SQUARES) == (336, 1008)


def test_padding_is_cut_off_and_each_row_ends_with_a_token() -> None:
    seen = anyres(Picture(768, 1024), SQUARES, side=336, patch=14, extra=1, projector="p", drops_first=True)
    assert seen.views == (View(24, 24, count=5, extra=1),)
    assert seen.tokens == 36 * 48 + 36 + 576
    assert seen.projected == {"p": 5 * 576}


def test_more_tokens_than_those_of_so_many_tiles_are_scaled_down() -> None:
    squares = tuple((384 * down, 384 * across) for down in range(1, 7) for across in range(1, 7))
    seen = anyres(
        Picture(1080, 1920), squares, side=384, patch=14, extra=0, projector="p", drops_first=False, most_tiles=9
    )
    assert seen.tokens == 7269
