"""Text broken where a reader would break it."""

import pytest

from archcount.show.wrapping import cells, printable, wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, [""]),
        ("short", 5, ["short"]),
        ("a few words here", 9, ["a few", "words", "here"]),
        ("hidden_size × vocab_size", 14, ["hidden_size ×", "vocab_size"]),
        ("model.layers.{0-31}.mlp", 14, ["model.layers.", "{0-31}.mlp"]),
        ("e_score_correction_bias", 12, ["e_score_", "correction_", "bias"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("x", 0, ["x"]),
    ],
)
def test_a_text_is_broken_no_finer_than_it_must_be(text: str, width: int, lines: list[str]) -> None:
    assert [line.strip() for line in wrapped(text, width, later=2 if width == 9 else 0)] == lines


def test_later_lines_leave_room_for_their_indentation() -> None:
    assert wrapped("aaaa bbb cc dd", 7, later=2) == ["aaaa", "bbb", "cc dd"]


def test_cells_are_columns_of_a_terminal() -> None:
    assert cells("4 × 8 ÷ 2") == 9
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [("head_dim × 4", "head_dim × 4"), ("a\x1b[2J\r\nb", "a\\x1b[2J\\r\\nb"), ("\u202etxt", "\\u202etxt"), ("", "")],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown
