"""Headings, the row of the header, the meaning of each column, and the columns to decide about."""

from dataclasses import replace

import pytest

from item_visibility.lists.layout import (
    Layout,
    LayoutKind,
    doubtful_columns,
    guess_layout,
    unread_words,
    with_header_found,
)
from item_visibility.lists.reader import read_paste
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.lists.words import Heading, HeadingMeaning, read_heading

ROWS, WIDE, CELL, MATRIX = LayoutKind.ROWS, LayoutKind.WIDE, LayoutKind.CELL, LayoutKind.MATRIX
EXACT_SUPPLIER = Heading(meaning=HeadingMeaning.SUPPLIER, is_exact=True)
HEADINGS = {
    HeadingMeaning.SUPPLIER: (
        "Supplier|supplier_id|supplierId|SUPPLIER GLN|GLN of supplier|Vendor-GLN|Supplier [GLN]|Lieferant|"
        "Lieferanten-Nr.|GLN Lieferant|GLN des Lieferanten"
    ),
    HeadingMeaning.ITEM: (
        "Item|supplierItemId|Supplier item id|GTIN|GTIN-14|EAN|Article no.|Trade item number|Artikelnummer"
    ),
    HeadingMeaning.MARKET: (
        "Target market|country|Target Market Country Code|Sales market|Country of sale|market|Absatzmarkt|"
        "Verkaufsland|Vertriebsland|Land|Markt|Zielland|Zielmarkt|Ländercode|LAENDERCODE|La\u0308ndercode|"
        "Landercode"
    ),
    HeadingMeaning.RECIPIENT: (
        "Recipient|Recipient Id|Retailer|Customer GLN|buyer|Retailer GLN (new)|Empfänger|Empfaenger-ID|"
        "Händler GLN"
    ),
    HeadingMeaning.ACTION: "Action| operation |Maßnahme|MASSNAHME",
    None: "Supplier (name)|Name (supplier)|Supplier name|Name|GLN|4000001000005||-|2",
}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [(text, meaning) for meaning, texts in HEADINGS.items() for text in texts.split("|")],
)
def test_a_heading_is_understood(text: str, meaning: HeadingMeaning | None) -> None:
    """Its case, spaces, punctuation and diacritics do not matter; other words have no meaning."""
    assert read_heading(text).meaning is meaning


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Item", Heading(meaning=HeadingMeaning.ITEM)),
        ("Item ID", Heading(meaning=HeadingMeaning.ITEM, is_exact=True)),
        *((text, EXACT_SUPPLIER) for text in ("Supplier GLN", "GLN supplier", "GLN of supplier")),
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
    ("text", "layout"),
    [
        ("supplier,item,recipient\na,b,c", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        (
            "Recipient;Supplier;Name;Action;Item\na;b;c;add;d",
            Layout(kind=ROWS, supplier=1, item=4, action=3, recipients=(0,)),
        ),
        (
            "GLN,GTIN,Market,Retailer\na,b,c,d",
            Layout(kind=ROWS, supplier=0, item=1, market=2, recipients=(3,)),
        ),
        ("Supplier,Item,GLN\na,b,c", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        ("Supplier,Item,GLN,Buyer\na,b,c,d", Layout(kind=ROWS, supplier=0, item=1, recipients=(3,))),
        ("GLN,GTIN\na,b", Layout(kind=ROWS, supplier=0, item=1)),
        ("GLN,GLN,GTIN\na,b,c", Layout(kind=ROWS, item=2)),
        ("Supplier,Item,Market\na,b:276,276", Layout(kind=ROWS, supplier=0, item=1)),
        ("Supplier,Vendor,Item\na,b,c", Layout(kind=ROWS, item=2)),
        ("Supplier,Supplier GLN,Item\na,b,c", Layout(kind=ROWS, supplier=1, item=2)),
        ("Recipient,Recipient GLN,Item\na,b,c", Layout(kind=ROWS, item=2, recipients=(1,))),
        ("Recipient GLN,Customer GLN,Item ID\na,b,c", Layout(kind=ROWS, item=2)),
        ("Recipient,Customers,Item\na,b,c", Layout(kind=ROWS, item=2)),
        ("Item,Recipient 1,Recipient 2\na,b,c", Layout(kind=WIDE, item=0, recipients=(1, 2))),
        ("Item,Retailer,Retailer\na,b,c", Layout(kind=WIDE, item=0, recipients=(1, 2))),
        ("Item,Recipients,,\na,b,R2,R3", Layout(kind=WIDE, item=0, recipients=(1, 2, 3))),
        ("Item,Recipients,,\na,b,c,d", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Recipient,\na,R1,remove", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Recipient,\na,R1,call R2", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,Well\na,x", Layout(kind=ROWS, item=0)),
        ("Item,Zielmarkt\n04006381333931,276", Layout(kind=ROWS, item=0, market=1)),
        ("Item,Recipient,,\na,b,,", Layout(kind=ROWS, item=0, recipients=(1,))),
        ("Item,,Recipients\na,x,b", Layout(kind=ROWS, item=0, recipients=(2,))),
        ('Item,Recipients\na,b\nc,"d,e"', Layout(kind=CELL, item=0, recipients=(1,))),
        ('Item,Recipients\na,"b\nc"', Layout(kind=CELL, item=0, recipients=(1,))),
        ("Item,Recipients\na,b c", Layout(kind=ROWS, item=0, recipients=(1,))),
        ('Item,Recipient\na,"b,c"', Layout(kind=ROWS, item=0, recipients=(1,))),
        ('Item,Recipient\na,"4000001000005, 4000002000004"', Layout(kind=CELL, item=0, recipients=(1,))),
        (
            "Supplier,Item,R1,R2,Name,Price,R3\na,b,x,,n,1,\nc,d,,JA,n,2,",
            Layout(kind=MATRIX, supplier=0, item=1, recipients=(2, 3)),
        ),
        ("Item,R1,R2\na,x,x\nb,,maybe", Layout(kind=MATRIX, item=0, recipients=(1, 2))),
        ("Item,R1,Stk\na,x,1\nb,x,5\nc,,7", Layout(kind=MATRIX, item=0, recipients=(1,))),
        ("Item,Note\na,\nb,", Layout(kind=ROWS, item=0)),
        ("Item,SHOP-7\na,x", Layout(kind=MATRIX, item=0, recipients=(1,))),
        ("Item,aktiv\na,x", Layout(kind=ROWS, item=0)),
        ("Ware,Laden\na,b", Layout(kind=ROWS)),
    ],
)
def test_the_layout_is_found_by_headings_and_cells(text: str, layout: Layout) -> None:
    """A column that could be two things is left to the person."""
    assert guess_layout(read_paste(text)) == layout


@pytest.mark.parametrize(
    ("rest", "layout"),
    [
        ("", Layout(kind=ROWS, item=0)),
        ("\tI", Layout(kind=ROWS, supplier=0, item=1)),
        ("\tI\tR", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,))),
        ("\tI\tR\tadd", Layout(kind=ROWS, supplier=0, item=1, recipients=(2,), action=3)),
        ("\tI\tR\tR\tR", Layout(kind=ROWS, supplier=0, item=1)),
    ],
)
def test_columns_without_headings_stand_in_the_usual_order(rest: str, layout: Layout) -> None:
    """Supplier, item, recipient, action; one column alone holds items."""
    assert guess_layout(with_header_found(read_paste(f"4000001000005{rest}"))) == layout


def test_a_table_without_rows_has_a_layout() -> None:
    """As far as the headings say it."""
    assert guess_layout(Table(("Item", "R1"), ())) == Layout(kind=ROWS, item=0)


@pytest.mark.parametrize(
    "text",
    [
        "Item\tx\n9521000010017\t2",
        "Ware\tLaden\nI1\tR1",
        "Supplier\tItem\tRecipient\nS\trecipient\t/recipient/",
    ],
)
def test_a_first_row_of_words_is_the_header(text: str) -> None:
    """One known heading is enough, or unknown words. Ids that look like one heading are no headings."""
    table = read_paste(text)
    assert with_header_found(table) == table


@pytest.mark.parametrize(
    "text",
    [
        "09521000010017:276\t4000001000005\n09521000010024:276\tR2",
        "ACME\tI1\tR1\nACME\tI1\tR2",
        "S1\tI1\tR1\nS2\tI2\tR2",
    ],
)
def test_a_list_that_was_copied_without_headings_loses_no_row(text: str) -> None:
    """Its first row begins with a number, is like another row, or mostly holds numbers."""
    found = with_header_found(read_paste(text))
    assert not any(found.header)
    assert found.rows == read_paste(text).every_row


def test_the_choice_of_a_person_about_the_first_row_wins() -> None:
    """A heading that reads like none, and a row that reads like a heading. A number stays a number."""
    assert with_header_found(read_paste("S1\tI1\nS2\tI2"), said=True).header == ("S1", "I1")
    assert with_header_found(read_paste("Supplier\tItem\nS1\tI1"), said=False).header == ("", "")
    (row,) = with_header_found(Table((NotText("9521000010017"),), (), header_number=3), said=False).rows
    assert (row.number, type(row.cells[0])) == (3, NotText)


def test_titles_above_the_header_are_no_rows_of_the_list() -> None:
    """Such as a name, and when the list was made."""
    table = read_paste("Spring list\t\n\t\n2026-01-02\t\nItem\tRecipient\nI1\tR1")
    assert with_header_found(table) == Table(
        ("Item", "Recipient"),
        (TableRow(5, ("I1", "R1")),),
        header_number=4,
        titles=(TableRow(1, ("Spring list", "")), TableRow(3, ("2026-01-02", ""))),
    )


@pytest.mark.parametrize("above", ["S\tI1\tR1", "\tI1\tR1", "\t04006381333931:276\t", "04006381333931\t\t"])
@pytest.mark.parametrize("count", [1, 30])
def test_a_row_of_the_list_above_the_headings_is_set_aside(above: str, count: int) -> None:
    """There may be many: a possible row of the list does not vanish like a title."""
    table = with_header_found(read_paste(f"{above}\n" * count + "Supplier\tItem\tRecipient\nS\tI2\tR2"))
    assert (table.header_number, table.titles) == (count + 1, ())
    why = f"The row is above the headings in row {count + 1}, and may be one of the list."
    assert [(one.row.number, one.reason) for one in table.aside] == [(n, why) for n in range(1, count + 1)]


@pytest.mark.parametrize(
    ("text", "rows", "aside"),
    [
        (
            "Item\tRecipient\nI1\tR1\n item \tRECIPIENT\nI2\tR2",
            [2, 4],
            [(3, "The row repeats the headings.")],
        ),
        ("Ware\t\nI1\t\nWare\t", [2], [(3, "The row repeats the headings.")]),
        (
            "Item\tRecipient\nI1\tR1\nRecipient\tItem\nR2\tI2\nItem\tRecipient\nI3\tR3",
            [2, 6],
            [
                (3, "The row holds other headings than row 1."),
                (4, "The row is below other headings, in row 3."),
                (5, "The row repeats the headings."),
            ],
        ),
    ],
)
def test_headings_further_down_are_set_aside(
    text: str, rows: list[int], aside: list[tuple[int, str]]
) -> None:
    """The list continues below repeated headings. Below others the columns may mean something else."""
    table = with_header_found(read_paste(text))
    assert [row.number for row in table.rows] == rows
    assert [(one.row.number, one.reason) for one in table.aside] == aside


LIST = "Supplier\tItem\tRecipient"
ROW = "S1\tI1\tR1"


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        (
            f"{LIST}\tAction\tOperation\n{ROW}\tremove\tremove",
            ["D “Action” may say what to do: “remove”", "E “Operation” may say what to do: “remove”"],
        ),
        (f"{LIST}\t\n{ROW}\tremove", ["D has no heading: “remove”"]),
        (f"{LIST}\t\t\n{ROW}\t\tplease call Anna", ["E has no heading: “please call Anna”"]),
        (f"{LIST}\tVerfahren\n{ROW}\tentfernen", ["D “Verfahren” is not understood: “entfernen”"]),
        (f"{LIST}\tStatus\n{ROW}\tDelete!", ["D “Status” seems to say what to do: “Delete!”"]),
        (
            f"{LIST}\tComment\n{ROW}\tto be removed in May",
            ["D “Comment” seems to say what to do: “to be removed in May”"],
        ),
        (f"{LIST}\tZielmarkt\n{ROW}\t276", ["D “Zielmarkt” may say the market: “276”"]),
        (
            f"{LIST}\tLand\tZielland\nS1\t04006381333931\tR1\t276\t276",
            ["D “Land” may say the market: “276”", "E “Zielland” may say the market: “276”"],
        ),
        (f"{LIST}\tGLN\n{ROW}\t4000001000005", ["D “GLN” may say a location number: “4000001000005”"]),
        (
            f"{LIST}\tVendor\n{ROW}\tS2",
            ["A “Supplier” may say the supplier: “S1”", "D “Vendor” may say the supplier: “S2”"],
        ),
        ("Supplier\tItem\tWell\nS1\tI1\tx", ["C “Well” is not understood: “x”"]),
        *(
            (f"{LIST}\t{heading}\n{ROW}\t{cell}", [])
            for heading, cell in (
                *(
                    ("Action", "remove"),
                    ("Actions", "remove"),
                    ("to do", "remove"),
                    ("", " "),
                    ("Strange", ""),
                ),
                *(("Name\tComment", "ACME\t-"), ("Supplier GLN", "S1"), ("Recipient GLN", "R1")),
                ("Action\tMessage", "add\tThe recipient could not be removed."),
            )
        ),
        (f"{LIST}\tZielmarkt\nS1\t04006381333931:276\tR1\t276", []),
        (f"{LIST}\tZielmarkt\nS1\t04006381333931\tR1\t276", []),
        ("Item\tRecipients\t\t\nI1\tR1\tR2\tR3", []),
        ("4000001000005\t04006381333931:276\tR1", []),
    ],
)
def test_a_column_that_may_not_be_understood_is_named(text: str, doubts: list[str]) -> None:
    """With something that it holds. A name, a comment and a column that is said better are in no doubt."""
    table = with_header_found(read_paste(text))
    found = [one.message for one in doubtful_columns(table, guess_layout(table))]
    words = (one.replace(": “", ", and is not read: “") for one in doubts)
    assert found == [f"Column {one} in row 2." for one in words]


def test_a_word_among_ids_without_a_heading_is_named() -> None:
    """Its column is read all the same once the person says so."""
    table = with_header_found(read_paste("4000001000005\t04006381333931:276\tcall Anna"))
    (doubt,) = doubtful_columns(table, guess_layout(table))
    assert doubt.message == "Column C has no heading, and is read as ids: “call Anna” in row 1."
    assert doubt.is_read


def test_every_column_that_is_not_read_is_named() -> None:
    """Also those of which only the heading is there."""
    table = read_paste(f"{LIST}\tName\t\tStrange\n{ROW}\tACME\t\t")
    layout = guess_layout(table)
    assert unread_words(table, layout) == "Not read: columns D “Name”, F “Strange”."
    assert unread_words(table, replace(layout, recipients=(2, 3, 5))) == ""
