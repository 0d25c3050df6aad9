"""Pictures, views and the settings of a processor."""

import pytest

from archcount.errors import UsageError
from archcount.images.seen import ImageRule, Picture, Seen, View

RULE = ImageRule(
    lambda _, picture: Seen(picture.count("most"), views=None),
    "Processor",
    {"most": 12, "crops": True, "tolerance": 2.0},
    {"size.longest_edge": "most"},
)


@pytest.mark.parametrize("side", [0, -1, True, 2**21])
def test_a_picture_has_sides(side: int) -> None:
    with pytest.raises(UsageError, match="sides should be whole numbers, 1 or more"):
        Picture(side, 4)


def test_positions_and_pairs_count_what_is_no_patch_too() -> None:
    view = View(4, 5, count=3, extra=1)
    assert (view.patches, view.positions, view.pairs) == (60, 63, 3 * 21 * 21)


def test_squares_at_the_edge_are_smaller() -> None:
    view = View(10, 14, window=8)
    assert view.pairs_in_windows == (64 + 4) * (64 + 36)


def test_a_file_says_some_settings_by_its_own_names() -> None:
    content = {"size": {"longest_edge": 7, "shortest_edge": None}, "crops": False, "image_mean": [0.5]}
    assert RULE.of_file(content) == {"most": 7, "crops": False}
    assert RULE.of_file({"most": 5, "size": {"longest_edge": 7}}) == {"most": 5}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"least": 1}, "no such setting here; there are: most, crops, tolerance"),
        ({"most": 1.5}, "should be a whole number, 0 or more"),
        ({"most": True}, "should be a whole number, 0 or more"),
        ({"most": -1}, "should be a whole number, 0 or more"),
        ({"crops": 1}, "should be true or false"),
        ({"tolerance": "2"}, "should be a number, 0 or more"),
    ],
)
def test_settings_that_cannot_be(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RULE.checked(given)
