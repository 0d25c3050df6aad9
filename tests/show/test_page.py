"""Typed cells, as a person reads them."""

import pytest

from archcount.show.page import Cell, Column, Form, Line, Table, percent, shown


@pytest.mark.parametrize(
    ("cell", "form", "text"),
    [
        (None, "count", ""),
        (1_376_256, "count", "1,376,256"),
        (1_376_256, "mixed", "1,376,256"),
        ("12 + 12", "mixed", "12 + 12"),
        (61, "text", "61"),
        (0.192, "share", "19.2%"),
        ("all", "share", "all"),
    ],
)
def test_a_cell(cell: Cell, form: Form, text: str) -> None:
    assert shown(cell, form) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (1, "100%"), (0.0004, "<0.1%"), (0.0005, "0.1%"), (0.065, "6.5%"), (0.99999, "100.0%")],
)
def test_a_share_in_percent(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_table_without_one_of_its_columns() -> None:
    table = Table((Column("a", "A"), Column("b", "B"), Column("c", "C")), (Line(("1", "2", "3"), 1, "total"),))
    assert table.without("b") == Table((Column("a", "A"), Column("c", "C")), (Line(("1", "3"), 1, "total"),))
