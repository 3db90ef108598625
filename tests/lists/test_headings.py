"""Finding the row of headings and the meaning of each column, and columns that need a decision."""  # noqa: E501

from dataclasses import replace

import pytest

from item_visibility.errors import FileError
from item_visibility.lists.headings import (
    Layout,
    columns_with_known_ids,
    doubtful_columns,
    guess_layout,
    layout_in_usual_order,
    read_heading,
    unread_words,
    with_header_found,
)
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.model.known_ids import Kind, NameRow, Names

HEADINGS = {
    "supplier": (
        "Supplier|supplier_id|supplierId|SUPPLIER GLN|GLN of "
        "supplier|Vendor-GLN|Supplier [GLN]|Lieferant|"
        "Lieferanten-Nr.|GLN Lieferant|GLN des Lieferanten"
    ),
    "item": (
        "Item|supplierItemId|Supplier item id|GTIN|GTIN-14|EAN|Article no.|Trade "
        "item number|Artikelnummer"
    ),
    "market": (
        "Target market|country|Target Market Country Code|Sales market|Country of "
        "sale|market|Absatzmarkt|"
        "Verkaufsland|Vertriebsland|Land|Markt|Zielland|Zielmarkt|Ländercode|LAENDERCODE|La\u0308ndercode|"
        "Landercode"
    ),
    "recipient": (
        "Recipient|Recipient Id|Retailer|Customer GLN|buyer|Retailer GLN "
        "(new)|Empfänger|Empfaenger-ID|"
        "Händler GLN"
    ),
    "action": "Action| operation |Maßnahme|MASSNAHME",
    "": "Supplier (name)|Name (supplier)|Supplier name|Name",
    None: "GLN|4000001000005||-|2|Colour (name)",
}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (text, meaning)
        for meaning, texts in HEADINGS.items()
        for text in texts.split("|")
    ],
)
def test_a_heading_is_understood(text: str, meaning: str | None) -> None:
    assert read_heading(text) == meaning


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("supplier,item,recipient\na,b,c", Layout(supplier=0, item=1, recipient=2)),
        (
            "Recipient;Supplier;Name;Action;Item\na;b;c;add;d",
            Layout(supplier=1, item=4, action=3, recipient=0),
        ),
        (
            "Supplier,GTIN,Market,Retailer\na,b,c,d",
            Layout(supplier=0, item=1, market=2, recipient=3),
        ),
        ("Supplier,Vendor,Item\na,b,c", Layout(item=2)),
        ("Recipient,Recipient GLN,Item\na,b,c", Layout(item=2)),
        ("Item,Recipient 1,Recipient 2\na,b,c", Layout(item=0)),
        ("Item,Recipients\na,b", Layout(item=0, recipient=1)),
        ("Ware,Laden\na,b", Layout()),
    ],
)
def test_the_layout_is_found_by_headings(text: str, layout: Layout) -> None:
    assert guess_layout(read_table(text)) == layout


@pytest.mark.parametrize(
    ("rest", "layout"),
    [
        ("", Layout(item=0)),
        ("\tI", Layout()),
        ("\tI\tR", Layout()),
        ("\tI\tR\tadd", Layout()),
    ],
)
def test_several_columns_without_headings_are_not_guessed(
    rest: str, layout: Layout
) -> None:
    assert guess_layout(with_header_found(read_table(f"4000001000005{rest}"))) == layout


DIRECTORY = {
    Kind.SUPPLIER: Names({("S1",): NameRow(("S1",)), ("S2",): NameRow(("S2",))}),
    Kind.ITEM: Names({("S1", "I1"): NameRow(("S1", "I1"))}),
    Kind.RECIPIENT: Names({("R1",): NameRow(("R1",)), ("S2",): NameRow(("S2",))}),
}


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("S1\tI1", Layout(supplier=0, item=1)),
        ("S1\tI1\tR1", Layout(supplier=0, item=1, recipient=2)),
        ("S1\tI9\tR9\nS1\tI1\tS2", Layout(supplier=0, item=1, recipient=2)),
        (
            "S1\tI1\tR1\tadd\nS1\tI1\tR9\t-",
            Layout(supplier=0, item=1, recipient=2, action=3),
        ),
        ("S1\tI1\tR1\t", Layout(supplier=0, item=1, recipient=2)),
    ],
)
def test_known_ids_in_their_usual_columns_prove_the_usual_order(
    text: str, layout: Layout
) -> None:
    assert (
        layout_in_usual_order(
            with_header_found(read_table(text)), DIRECTORY.__getitem__
        )
        == layout
    )


@pytest.mark.parametrize(
    "text",
    [
        *("I1", "S9\tI9\tR9", "S1\tI9\tR1", "S2\tI1\tR1", "S1\tI1\tR9", "S1\tI1\t7"),
        *(
            "I1\tS1\tR1",
            "S1\tI1\tR1\nR1\tI2\tS1",
            "S1\tI1\tR1\t7",
            "S1\tI1\tR1\tadd\t276",
        ),
    ],
)
def test_any_other_ids_do_not_prove_an_order(text: str) -> None:
    assert (
        layout_in_usual_order(
            with_header_found(read_table(text)), DIRECTORY.__getitem__
        )
        == Layout()
    )


def test_columns_with_known_ids_are_named() -> None:
    table = with_header_found(read_table("4012345678901\tS1\tS2\n4012345678918\tS1\t9"))
    assert columns_with_known_ids(table, DIRECTORY.__getitem__) == (
        "Column B holds a known supplier. Column C holds a known supplier and a "
        "known recipient."
    )


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("Item\tx\n9521000010017\t2", ("Item", "x")),
        ("Ware\tLaden\nI1\tR1", ("Ware", "Laden")),
        ("09521000010017:276\t4000001000005\n09521000010024:276\tR2", ("", "")),
        ("S1\tI1\tR1\nS2\tI2\tR2", ("", "", "")),
    ],
)
def test_a_first_row_is_the_header_unless_it_holds_ids(
    text: str, header: tuple[str, ...]
) -> None:
    table = read_table(text)
    found = with_header_found(table)
    assert (found.header, found.rows) == (
        header,
        table.rows if any(header) else table.every_row,
    )


def test_the_choice_of_a_person_about_the_first_row_wins() -> None:
    assert with_header_found(read_table("S1\tI1\nS2\tI2"), has_heading=True).header == (
        "S1",
        "I1",
    )
    assert with_header_found(
        read_table("Supplier\tItem\nS1\tI1"), has_heading=False
    ).header == ("", "")
    (row,) = with_header_found(
        Table((NotText("9521000010017"),), (), header_number=3), has_heading=False
    ).rows
    assert (row.number, type(row.cells[0])) == (3, NotText)


def test_titles_above_the_header_are_skipped() -> None:
    found = with_header_found(
        read_table("Spring list\t\n\t\n2026-01-02\t\nItem\tRecipient\nI1\tR1")
    )
    assert found == Table(
        ("Item", "Recipient"), (TableRow(5, ("I1", "R1")),), header_number=4
    )
    assert found.notes == (
        "Not read, above the headings: row 1 “Spring list”, row 3 “2026-01-02”.",
    )


@pytest.mark.parametrize(
    "above", ["S\tI1\tR1", "\tI1\tR1", "\t04006381333931:276\t", "04006381333931\t\t"]
)
def test_a_list_with_rows_above_its_headings_is_refused(above: str) -> None:
    table = read_table(f"{above}\nSupplier\tItem\tRecipient\nS\tI2\tR2")
    with pytest.raises(
        FileError, match="Row 1 is above the headings in row 2"
    ) as caught:
        with_header_found(table)
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.parametrize(
    "text",
    [
        "Item\tRecipient\nI1\tR1\n item \tRECIPIENT\nI2\tR2",
        "Ware\t\nI1\t\nWare\t\nI2\t",
    ],
)
def test_repeated_headings_are_set_aside(text: str) -> None:
    table = with_header_found(read_table(text))
    assert [row.number for row in table.rows] == [2, 4]
    assert table.notes == ("Rows that repeat the headings, not read: 3.",)


def test_other_headings_further_down_are_refused() -> None:
    with pytest.raises(FileError, match="Row 3 has other headings than row 1"):
        with_header_found(
            read_table("Item\tRecipient\nI1\tR1\nRecipient\tItem\nR2\tI2")
        )


LIST = "Supplier\tItem\tRecipient"
ROW = "S1\tI1\tR1"


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        (
            f"{LIST}\tAction\tOperation\n{ROW}\tremove\tremove",
            [
                "D “Action” may say the action: “remove”",
                "E “Operation” may say the action: “remove”",
            ],
        ),
        (f"{LIST}\t\n{ROW}\tremove", ["D has no heading: “remove”"]),
        (
            f"{LIST}\t\t\n{ROW}\t\tplease call Anna",
            ["E has no heading: “please call Anna”"],
        ),
        (
            f"{LIST}\tVerfahren\n{ROW}\tentfernen",
            ["D “Verfahren” is not understood: “entfernen”"],
        ),
        (
            f"{LIST}\tStatus\n{ROW}\tDelete!",
            ["D “Status” seems to say what to do: “Delete!”"],
        ),
        (
            f"{LIST}\tComment\n{ROW}\tto be removed in May",
            ["D “Comment” seems to say what to do: “to be removed in May”"],
        ),
        (
            f"{LIST}\tVendor\n{ROW}\tS2",
            [
                "A “Supplier” may say the supplier: “S1”",
                "D “Vendor” may say the supplier: “S2”",
            ],
        ),
        (f"{LIST}\tAction\n{ROW}\tremove", []),
        (f"{LIST}\tActions\n{ROW}\tremove", []),
        (f"{LIST}\t\n{ROW}\t ", []),
        (f"{LIST}\tStrange\n{ROW}\t", []),
        (f"{LIST}\tName\tComment\n{ROW}\tACME\t-", []),
        (
            f"{LIST}\tAction\tMessage\n{ROW}\tadd\tThe recipient could not be removed.",
            [],
        ),
    ],
)
def test_an_ambiguous_column_is_named(text: str, doubts: list[str]) -> None:
    table = with_header_found(read_table(text))
    found = list(doubtful_columns(table, guess_layout(table)).values())
    words = (one.replace(": “", ", and is not read: “") for one in doubts)
    assert found == [f"Column {one} in row 2." for one in words]


def test_every_column_that_is_not_read_is_named() -> None:
    table = read_table(f"{LIST}\tName\t\tStrange\n{ROW}\tACME\t\t")
    layout = guess_layout(table)
    assert unread_words(table, layout) == "Not read: columns D “Name”, F “Strange”."
    assert (
        unread_words(table, replace(layout, recipient=3))
        == "Not read: columns C “Recipient”, F “Strange”."
    )
