"""A page as Markdown, CSV and JSON."""

import math

from archcount.dim import Dim
from archcount.show.page import Column, Line, Note, Page, Table
from archcount.show.text import comma_separated, json_page, markdown, records

TABLE = Table(
    (Column("part", "part"), Column("n", "how many", "count"), Column("share", "share", "share")),
    (Line(("a|b", 1_000, 0.25)), Line(("x_y", None, None), depth=1, rank="group")),
    title="parts",
)
PAGE = Page("a <title>", (TABLE, Note("*one*"), Note("two")), lambda: {"size": Dim(3, "n"), "odd": [math.inf, True]})


def test_markdown() -> None:
    assert (
        markdown(PAGE)
        == """\
## a &lt;title>

### parts

| part | how many | share |
| --- | ---: | ---: |
| a\\|b | 1,000 | 25.0% |
| &emsp;**x\\_y** |  |  |

- \\*one\\*
- two"""
    )


def test_no_name_of_a_file_breaks_a_line_of_markdown() -> None:
    """A line of its own could be a command to the build that prints it."""
    table = Table((Column("key", "key"),), (Line(("a\n::error::b\x1b[2J",)),))
    page = Page("c\rd", (table, Note("e\u2028f")), dict)
    assert markdown(page).splitlines() == [
        "## c\\rd", "", "| key |", "| --- |", "| a\\n::error::b\\x1b[2J |", "", "- e\\u2028f",
    ]  # fmt: skip


def test_csv_has_the_first_table_with_bare_numbers() -> None:
    assert comma_separated(PAGE) == "level,part,n,share\n0,a|b,1000,0.25\n1,x_y,,"
    flat = Page("", (Table(TABLE.columns, TABLE.lines[:1]),), dict)
    assert comma_separated(flat) == "part,n,share\na|b,1000,0.25"


def test_json_writes_a_size_as_its_number_and_no_bare_infinity() -> None:
    assert json_page(PAGE).split() == [
        "{", '"size":', "3,", '"odd":', "[", "{", '"__float__":', '"Infinity"', "},", "true", "]", "}",
    ]  # fmt: skip


def test_the_rows_as_records() -> None:
    assert records(TABLE)[0] == {"part": "a|b", "n": 1_000, "share": 0.25}
