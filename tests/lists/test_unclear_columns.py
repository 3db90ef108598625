"""Unclear columns of a list are named: none is passed over in silence."""

from dataclasses import replace

import pytest

from item_visibility.lists.layout import (
    ColumnDoubt,
    doubtful_columns,
    guess_layout,
    unread_words,
    with_header_found,
)
from item_visibility.lists.reader import read_paste


def doubts(text: str) -> tuple[ColumnDoubt, ...]:
    """The doubtful columns of the list, as it is understood."""
    table = with_header_found(read_paste(text))
    return doubtful_columns(table, guess_layout(table))


HEADINGS = "Supplier\tItem\tRecipient"
ROW = "S1\tI1\tR1"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            f"{HEADINGS}\tAction\tOperation\n{ROW}\tremove\tremove",
            [
                "Column D “Action” may say what to do, and is not read: “remove” in row 2.",
                "Column E “Operation” may say what to do, and is not read: “remove” in row 2.",
            ],
        ),
        (
            f"{HEADINGS}\t\n{ROW}\tremove",
            ["Column D has no heading, and is not read: “remove” in row 2."],
        ),
        (
            f"{HEADINGS}\t\t\n{ROW}\t\tplease call Anna",
            ["Column E has no heading, and is not read: “please call Anna” in row 2."],
        ),
        (
            f"{HEADINGS}\tVerfahren\n{ROW}\tentfernen",
            ["Column D “Verfahren” is not understood, and is not read: “entfernen” in row 2."],
        ),
        (
            f"{HEADINGS}\tStatus\n{ROW}\tactive\n{ROW}\tDelete!",
            ["Column D “Status” seems to say what to do, and is not read: “Delete!” in row 3."],
        ),
        (
            f"{HEADINGS}\tComment\n{ROW}\tto be removed in May",
            ["Column D “Comment” seems to say what to do, and is not read: “to be removed in May” in row 2."],
        ),
        (
            f"{HEADINGS}\tZielmarkt\n{ROW}\t276",
            ["Column D “Zielmarkt” may say the market, and is not read: “276” in row 2."],
        ),
        (
            f"{HEADINGS}\tLand\tZielland\nS1\t04006381333931\tR1\t276\t276",
            [
                "Column D “Land” may say the market, and is not read: “276” in row 2.",
                "Column E “Zielland” may say the market, and is not read: “276” in row 2.",
            ],
        ),
        (
            f"{HEADINGS}\tGLN\n{ROW}\t4000001000005",
            ["Column D “GLN” may say a location number, and is not read: “4000001000005” in row 2."],
        ),
        (
            f"{HEADINGS}\tVendor\n{ROW}\tS2",
            [
                "Column A “Supplier” may say the supplier, and is not read: “S1” in row 2.",
                "Column D “Vendor” may say the supplier, and is not read: “S2” in row 2.",
            ],
        ),
        (
            "Supplier\tItem\tWell\nS1\tI1\tx",
            ["Column C “Well” is not understood, and is not read: “x” in row 2."],
        ),
        (
            "4000001000005\t04006381333931:276\tcall Anna",
            ["Column C has no heading, and is read as ids: “call Anna” in row 1."],
        ),
    ],
)
def test_a_column_that_is_not_surely_understood_is_named(text: str, messages: list[str]) -> None:
    """With something that it holds, and where."""
    assert [one.message for one in doubts(text)] == messages


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADINGS}\tAction\n{ROW}\tremove",
        f"{HEADINGS}\tActions\n{ROW}\tremove",
        f"{HEADINGS}\tto do\n{ROW}\tremove",
        f"{HEADINGS}\t\n{ROW}\t ",
        f"{HEADINGS}\tStrange\n{ROW}\t",
        f"{HEADINGS}\tName\tComment\n{ROW}\tACME\t-",
        f"{HEADINGS}\tAction\tMessage\n{ROW}\tadd\tThe recipient could not be removed.",
        f"{HEADINGS}\tSupplier GLN\n{ROW}\tS1",
        f"{HEADINGS}\tRecipient GLN\n{ROW}\tR1",
        f"{HEADINGS}\tZielmarkt\nS1\t04006381333931:276\tR1\t276",
        f"{HEADINGS}\tZielmarkt\nS1\t04006381333931\tR1\t276",
        "Item\tRecipients\t\t\nI1\tR1\tR2\tR3",
        "4000001000005\t04006381333931:276\tR1",
    ],
)
def test_a_column_that_is_understood_or_says_nothing_is_in_no_doubt(text: str) -> None:
    """A name, a comment, a text that is said better beside it, and an empty one."""
    assert doubts(text) == ()


def test_every_column_that_is_not_read_is_named() -> None:
    """Also those of which only the heading is there."""
    table = read_paste(f"{HEADINGS}\tName\t\tStrange\n{ROW}\tACME\t\t")
    layout = guess_layout(table)
    assert unread_words(table, layout) == "Not read: columns D “Name”, F “Strange”."
    assert unread_words(table, replace(layout, recipients=(2, 3, 5))) == ""
