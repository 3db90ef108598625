"""Unclear columns of a list are named: none is passed over in silence."""

import pytest

from item_visibility.lists.layout import (
    ColumnDoubt,
    doubtful_columns,
    guess_layout,
    unread_columns,
    unused_columns,
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


def test_every_column_that_is_not_read_can_be_told() -> None:
    """Also those of which only the heading is there."""
    table = read_paste(f"{HEADINGS}\tName\t\tStrange\n{ROW}\tACME\t\t")
    assert unread_columns(table, guess_layout(table)) == (3, 5)


def test_every_column_that_is_not_used_says_why() -> None:
    """It is no id, another column says it better, or it is not understood."""
    table = with_header_found(
        read_paste(
            "Supplier\tSupplier GLN\tItem\tMarket\tRecipient\tName\tStrange\t\n"
            "ACME\tS1\t04006381333931:276\t276\tR1\tAnna\tred\t"
        )
    )
    assert list(unused_columns(table, guess_layout(table))) == [
        "Column A “Supplier” is not read: another column says the supplier.",
        "Column D “Market” is not read: the items name their market themselves.",
        "Column F “Name” is not read: it names no supplier, item, market or recipient.",
        "Column G “Strange” is not understood, and is not read: “red” in row 2.",
    ]
