"""The meanings of headings, and the row of the header."""

import pytest

from item_visibility.lists.layout import guess_layout, with_header_found
from item_visibility.lists.reader import read_paste
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.lists.words import Heading, HeadingMeaning, read_heading


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Supplier", HeadingMeaning.SUPPLIER),
        ("supplier_id", HeadingMeaning.SUPPLIER),
        ("supplierId", HeadingMeaning.SUPPLIER),
        ("SUPPLIER GLN", HeadingMeaning.SUPPLIER),
        ("GLN of supplier", HeadingMeaning.SUPPLIER),
        ("Vendor-GLN", HeadingMeaning.SUPPLIER),
        ("Lieferant", HeadingMeaning.SUPPLIER),
        ("Lieferanten-Nr.", HeadingMeaning.SUPPLIER),
        ("GLN Lieferant", HeadingMeaning.SUPPLIER),
        ("GLN des Lieferanten", HeadingMeaning.SUPPLIER),
        ("Item", HeadingMeaning.ITEM),
        ("supplierItemId", HeadingMeaning.ITEM),
        ("Supplier item id", HeadingMeaning.ITEM),
        ("GTIN", HeadingMeaning.ITEM),
        ("GTIN-14", HeadingMeaning.ITEM),
        ("EAN", HeadingMeaning.ITEM),
        ("Article no.", HeadingMeaning.ITEM),
        ("Trade item number", HeadingMeaning.ITEM),
        ("Artikelnummer", HeadingMeaning.ITEM),
        ("Target market", HeadingMeaning.MARKET),
        ("country", HeadingMeaning.MARKET),
        ("Target Market Country Code", HeadingMeaning.MARKET),
        ("Sales market", HeadingMeaning.MARKET),
        ("Country of sale", HeadingMeaning.MARKET),
        ("market", HeadingMeaning.MARKET),
        ("Absatzmarkt", HeadingMeaning.MARKET),
        ("Verkaufsland", HeadingMeaning.MARKET),
        ("Vertriebsland", HeadingMeaning.MARKET),
        ("Land", HeadingMeaning.MARKET),
        ("Markt", HeadingMeaning.MARKET),
        ("Zielland", HeadingMeaning.MARKET),
        ("Zielmarkt", HeadingMeaning.MARKET),
        ("Ländercode", HeadingMeaning.MARKET),
        ("LAENDERCODE", HeadingMeaning.MARKET),
        ("La\u0308ndercode", HeadingMeaning.MARKET),
        ("Landercode", HeadingMeaning.MARKET),
        ("Recipient", HeadingMeaning.RECIPIENT),
        ("Recipient Id", HeadingMeaning.RECIPIENT),
        ("Retailer", HeadingMeaning.RECIPIENT),
        ("Customer GLN", HeadingMeaning.RECIPIENT),
        ("buyer", HeadingMeaning.RECIPIENT),
        ("Empfänger", HeadingMeaning.RECIPIENT),
        ("Empfaenger-ID", HeadingMeaning.RECIPIENT),
        ("Händler GLN", HeadingMeaning.RECIPIENT),
        ("Action", HeadingMeaning.ACTION),
        (" operation ", HeadingMeaning.ACTION),
        ("Maßnahme", HeadingMeaning.ACTION),
        ("MASSNAHME", HeadingMeaning.ACTION),
        ("Retailer GLN (new)", HeadingMeaning.RECIPIENT),
        ("Supplier [GLN]", HeadingMeaning.SUPPLIER),
        ("Supplier (name)", None),
        ("Name (supplier)", None),
        ("Supplier name", None),
        ("Name", None),
        ("GLN", None),
        ("4000001000005", None),
        ("", None),
        ("-", None),
        ("2", None),
    ],
)
def test_a_heading_is_understood(text: str, meaning: HeadingMeaning | None) -> None:
    """Its case, spaces, punctuation and diacritics do not matter; others are nothing to us."""
    assert read_heading(text).meaning is meaning


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Item", Heading(meaning=HeadingMeaning.ITEM)),
        ("Item ID", Heading(meaning=HeadingMeaning.ITEM, is_exact=True)),
        ("EAN-13", Heading(meaning=HeadingMeaning.ITEM, is_exact=True, is_trade_number=True)),
        ("Item number (EAN)", Heading(meaning=HeadingMeaning.ITEM, is_exact=True, is_trade_number=True)),
        ("Supplier (EAN)", Heading(meaning=HeadingMeaning.SUPPLIER)),
        ("gln", Heading(is_location=True)),
        ("Recipients", Heading(meaning=HeadingMeaning.RECIPIENT, is_plural=True)),
        ("Recipient 12", Heading(meaning=HeadingMeaning.RECIPIENT, is_numbered=True)),
        ("Item 12", Heading()),
    ],
)
def test_a_heading_says_more_than_its_meaning(text: str, heading: Heading) -> None:
    """The layout is guessed from it."""
    assert read_heading(text) == heading


@pytest.mark.parametrize(
    ("text", "is_recipient"),
    [("4000001000005", True), ("SHOP-7", True), ("Name", False), ("aktiv", False), ("Status", False)],
)
def test_a_column_of_ticks_is_a_recipient_unless_its_heading_is_a_word(
    text: str, *, is_recipient: bool
) -> None:
    """Such as "Active" with a tick in every row."""
    layout = guess_layout(read_paste(f"Item\t{text}\nI1\tx"))
    assert (layout.recipients == (1,)) is is_recipient


def test_a_header_in_the_first_row_is_left_there() -> None:
    """One heading that we know is enough."""
    table = read_paste("Item\tx\n9521000010017\t2")
    assert with_header_found(table) == table


def test_rows_above_the_header_are_no_rows_of_the_list() -> None:
    """Such as a title, and when the list was made."""
    table = read_paste("Spring list\t\n\t\n2026-01-02\t\nItem\tRecipient\nI1\tR1")
    assert with_header_found(table) == Table(
        ("Item", "Recipient"),
        (TableRow(5, ("I1", "R1")),),
        header_number=4,
        titles=(TableRow(1, ("Spring list", "")), TableRow(3, ("2026-01-02", ""))),
    )


def numbers_aside(table: Table) -> list[int]:
    """The numbers of the rows that are not read as rows of the list."""
    return [one.row.number for one in table.aside]


@pytest.mark.parametrize("above", ["S\tI1\tR1", "\tI1\tR1", "\t04006381333931:276\t", "04006381333931\t\t"])
@pytest.mark.parametrize("count", [1, 3, 30])
def test_a_row_of_the_list_above_the_headings_stands_aside(above: str, count: int) -> None:
    """There may be many: a possible row of the list does not vanish like a title."""
    table = with_header_found(read_paste(f"{above}\n" * count + "Supplier\tItem\tRecipient\nS\tI2\tR2"))
    assert table.header_number == count + 1
    assert numbers_aside(table) == list(range(1, count + 1))
    assert table.aside[0].reason == (
        f"The row is above the headings in row {count + 1}, and may be one of the list."
    )
    assert table.titles == ()


def test_headings_that_are_repeated_stand_aside() -> None:
    """As on every page of a print; the list goes on below them."""
    table = with_header_found(read_paste("Item\tRecipient\nI1\tR1\n item \tRECIPIENT\nI2\tR2"))
    assert [row.number for row in table.rows] == [2, 4]
    assert [(one.row.number, one.reason) for one in table.aside] == [(3, "The row repeats the headings.")]


def test_nothing_below_other_headings_is_read() -> None:
    """Their columns may mean something else, until the first ones are repeated."""
    table = with_header_found(
        read_paste("Item\tRecipient\nI1\tR1\nRecipient\tItem\nR2\tI2\nItem\tRecipient\nI3\tR3")
    )
    assert [row.number for row in table.rows] == [2, 6]
    assert [(one.row.number, one.reason) for one in table.aside] == [
        (3, "The row holds other headings than row 1."),
        (4, "The row is below other headings, in row 3."),
        (5, "The row repeats the headings."),
    ]


def test_two_ids_that_look_like_one_heading_are_no_headings() -> None:
    """A row of headings names two things at least."""
    table = read_paste("Supplier\tItem\tRecipient\nS\trecipient\t/recipient/")
    assert with_header_found(table) == table


def test_a_list_that_was_copied_without_headings_loses_no_row() -> None:
    """Its first row is one of the others; nothing about it is changed."""
    table = read_paste("09521000010017:276\t4000001000005\n09521000010024:276\tR2")
    found = with_header_found(table)
    assert found.header == ("", "")
    assert [row.number for row in found.rows] == [1, 2]
    assert found.rows[0].cells == ("09521000010017:276", "4000001000005")


def test_a_first_row_like_another_row_is_no_header() -> None:
    """A supplier that stands in each row stands there, too: its recipient must not be lost."""
    found = with_header_found(read_paste("ACME\tI1\tR1\nACME\tI1\tR2"))
    assert found.header == ("", "", "")
    assert [row.cells for row in found.rows] == [("ACME", "I1", "R1"), ("ACME", "I1", "R2")]


def test_a_first_row_of_words_is_left_to_the_person() -> None:
    """It may be a header in words that we do not know."""
    table = read_paste("Ware\tLaden\nI1\tR1")
    assert with_header_found(table) == table


def test_a_first_row_that_mostly_holds_numbers_is_a_row() -> None:
    """It reads like no heading, though nothing of it stands in another row."""
    found = with_header_found(read_paste("S1\tI1\tR1\nS2\tI2\tR2"))
    assert [row.cells for row in found.rows] == [("S1", "I1", "R1"), ("S2", "I2", "R2")]


def test_what_a_person_says_of_the_first_row_wins() -> None:
    """A heading that reads like none, and a row that reads like a heading."""
    text = "Supplier\tItem\nS1\tI1"
    assert with_header_found(read_paste(text), said=False).header == ("", "")
    assert with_header_found(read_paste("S1\tI1\nS2\tI2"), said=True).header == ("S1", "I1")


def test_words_that_we_do_not_know_may_be_repeated() -> None:
    """They may be headings that are printed again on another page, and are no row of the list then."""
    table = with_header_found(read_paste("Ware\t\nI1\t\nWare\t"))
    assert ([row.number for row in table.rows], numbers_aside(table)) == ([2], [3])


def test_a_number_in_the_first_row_stays_a_number_when_it_becomes_a_row() -> None:
    """It lost digits there as it would have in any other row."""
    table = Table((NotText("9521000010017"),), (), header_number=3)
    (row,) = with_header_found(table, said=False).rows
    assert row.number == 3
    assert isinstance(row.cells[0], NotText)


@pytest.mark.parametrize("text", ["Supplier GLN", "GLN supplier", "GLN of supplier"])
def test_a_thing_and_a_word_for_an_id_make_a_heading_in_either_order(text: str) -> None:
    """Both together name an id."""
    assert read_heading(text) == Heading(meaning=HeadingMeaning.SUPPLIER, is_exact=True)
