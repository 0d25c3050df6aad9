"""A page on a screen of any width."""

import pytest

from archcount.show.page import Column, Line, Note, Page, Table
from archcount.show.terminal import lines_of

COLUMNS = (Column("part", "part"), Column("words", "words", aside=True), Column("count", "count", "count"))
TABLE = Table(
    COLUMNS,
    (
        Line(("layers 0–31 pre-norm", None, 12_345), rank="group"),
        Line(("self_attn.q_proj", "heads × width", 12_000), depth=1),
        Line(("total", None, 12_345), rank="total"),
    ),
)
PAGE = Page("a title", (TABLE, Note("one note of several words"), Note("mind this", is_warning=True)), dict)

BESIDE = """\
a title

part                  words           count
───────────────────────────────────────────
layers 0–31 pre-norm                 12,345
  self_attn.q_proj    heads × width  12,000
───────────────────────────────────────────
total                                12,345

one note of several words
mind this"""

UNDER = """\
a title

part                   count
────────────────────────────
layers 0–31 pre-norm  12,345
  self_attn.q_proj    12,000
    heads × width
────────────────────────────
total                 12,345

one note of several words
mind this"""

NARROW = """\
a title

part            count
─────────────────────
layers 0–31    12,345
  pre-norm
  self_attn.   12,000
    q_proj
    heads × width
─────────────────────
total          12,345

one note of several
  words
mind this"""


@pytest.mark.parametrize(("width", "text"), [(80, BESIDE), (43, BESIDE), (42, UNDER), (28, UNDER), (21, NARROW)])
def test_a_page_in_a_width(width: int, text: str) -> None:
    assert "\n".join(line for line, _ in lines_of(PAGE, width)) == text


def test_figures_are_never_cut() -> None:
    assert any("12,345" in line for line, _ in lines_of(PAGE, 5))


def test_a_line_has_the_style_of_its_rank() -> None:
    styles = dict(lines_of(PAGE, 80))
    assert styles["a title"] == "bold"
    assert styles["layers 0–31 pre-norm                 12,345"] == "bold"
    assert styles["mind this"] == "yellow"


def test_a_column_with_nothing_in_it_takes_no_room() -> None:
    table = Table(COLUMNS, (Line(("x", None, 1)),))
    assert [line for line, _ in lines_of(Page("", (table,), dict), 80)] == [
        "part  count",
        "───────────",
        "x         1",
    ]


def test_a_table_may_do_without_its_header() -> None:
    table = Table(COLUMNS, (Line(("x", None, 1)), Line(("longer", None, 2), rank="total")), "title", with_header=False)
    assert [line for line, _ in lines_of(Page("", (table,), dict), 80)] == ["title", "x       1", "longer  2"]


def test_a_title_wider_than_its_figures_wraps() -> None:
    columns = (Column("a", "num_hidden_layers", "count"), Column("b", "intermediate_size", "count"))
    page = Page("", (Table(columns, (Line((32, 14_336)),)),), dict)
    assert [text for text, _ in lines_of(page, 22)] == [
        "   num_  intermediate_",
        "hidden_           size",
        " layers",
        "──────────────────────",
        "     32         14,336",
    ]
    assert next(text for text, _ in lines_of(page, 80)) == "num_hidden_layers  intermediate_size"
