"""ODS in: exactly what stands in the cells, and never more than the limits."""

from pathlib import Path

import pytest

from item_visibility.errors import FileError
from item_visibility.files import table
from item_visibility.files.reading import read_table
from item_visibility.files.table import NotText, TableRow
from tests.files.workbooks import ods_row, ods_sheet, ods_text, ods_workbook

WRITTEN_BY_LIBREOFFICE = Path(__file__).with_name("libreoffice.ods")
"""The content alone of what LibreOffice 7.4 wrote."""


def only_cell(cell: str) -> str:
    """The text read from this cell, below a header."""
    ((text,),) = (row.cells for row in read_table(ods_sheet(ods_row(ods_text("A")), ods_row(cell))).rows)
    return text


def test_a_workbook_of_libreoffice_is_read() -> None:
    """Texts with spaces, comments, drawings, links, formulas, merged and repeated cells, a second sheet."""
    read = read_table(WRITTEN_BY_LIBREOFFICE.read_bytes(), sheet="Sheet1")
    assert read.header == ("Supplier", "Item", "Recipient", "Note")
    assert [(row.number, row.cells) for row in read.rows[:8]] == [
        (3, ("0012  x ", "4006381333931", "1", "2024-03-01")),
        (4, ("S1", "0", "0.5", "12.5")),
        (5, ("S2 x", "same", "same", "same")),
        (6, ("again", "I", "R", "n")),
        (7, ("again", "I", "R", "n")),
        (8, ("again", "I", "R", "n")),
        (9, ("merged", "", "PT12H30M00S", "line\nbreak")),
        (10, ("link text", "a\tb", "", "")),
    ]
    tricky = (
        "=1+1",
        "  two  ",
        "a    b",
        "<&>\"'",
        "\u00a0x\u200b",
        "\U0001f600",
        "_x0041_",
        "007",
        "1e5",
        "+49",
    )
    assert tuple(row.cells[1] for row in read.rows[8:]) == tricky


def test_libreoffice_says_which_cells_are_no_texts() -> None:
    """Numbers, truths, dates, shares, amounts of money and times."""
    rows = read_table(WRITTEN_BY_LIBREOFFICE.read_bytes(), sheet="Sheet1").rows
    numbers = [
        (row.number, column) for row in rows for column, cell in enumerate(row.cells) if type(cell) is NotText
    ]
    assert numbers == [(3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (9, 2)]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<text:p>a</text:p><text:p/><text:p>b</text:p>", "a\n\nb"),
        ("<text:p> a \n\t b</text:p>", "a b"),
        ('<text:p><text:s/>a<text:s text:c="2"/> b </text:p>', " a   b "),
        ("<text:p>a<text:tab/>b<text:line-break/> c</text:p>", "a\tb\n c"),
        ("<text:p>a<text:span> <text:span>b</text:span></text:span> c</text:p>", "a b c"),
        ("<text:p>a <text:span> b</text:span></text:p>", "a b"),
        ("<text:h>a</text:h>", "a"),
        ("<text:p>a<office:annotation><text:p>no</text:p></office:annotation>b</text:p>", "ab"),
        ("<draw:frame><text:p>no</text:p></draw:frame><text:p>a</text:p>\n ", "a"),
        ("<text:p>a<text:ruby><text:ruby-text>no</text:ruby-text></text:ruby></text:p>", "a"),
    ],
)
def test_spaces_stand_where_a_person_entered_them(cell: str, text: str) -> None:
    """And what stands beside a text is not read into it."""
    found = only_cell(f"<table:table-cell>{cell}</table:table-cell>")
    assert found == text
    assert not isinstance(found, NotText)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('office:value-type="float" office:value="4006381333931"', "4006381333931"),
        ('office:value-type="boolean" office:boolean-value="true"', "true"),
        ('office:value-type="date" office:date-value="2024-03-01"', "2024-03-01"),
        ('office:value-type="time" office:time-value="PT1H"', "PT1H"),
        ('office:value-type="float"', "shown"),
        ('office:value-type="string" office:string-value="" calcext:value-type="error"', "shown"),
    ],
)
def test_what_is_no_text_is_told_apart(given: str, text: str) -> None:
    """The stored value is read, not the shown one."""
    found = only_cell(f"<table:table-cell {given}><text:p>shown</text:p></table:table-cell>")
    assert found == text
    assert isinstance(found, NotText)


def test_a_text_may_stand_apart_from_what_is_shown() -> None:
    """It counts, then."""
    given = 'office:value-type="string" office:string-value="R1"'
    assert only_cell(f"<table:table-cell {given}><text:p>…</text:p></table:table-cell>") == "R1"


def test_repeated_cells_and_rows_are_counted() -> None:
    """Those that hold nothing, too."""
    read = read_table(
        ods_sheet(
            ods_row(repeat=3),
            ods_row(ods_text(repeat=2), ods_text("A", repeat=2)),
            ods_row(ods_text(repeat=16_384), repeat=7),
            f"<table:table-row-group>{ods_row(ods_text('x'), repeat=2)}</table:table-row-group>",
            ods_row(ods_text(), "<table:covered-table-cell/>", ods_text("y", repeat=3)),
            ods_row(ods_text(repeat=16_384), repeat=1_048_000),
        )
    )
    assert read.header == ("", "", "A", "A", "")
    assert read.header_number == 4
    assert read.rows == (
        TableRow(12, ("x", "", "", "", "")),
        TableRow(13, ("x", "", "", "", "")),
        TableRow(14, ("", "", "y", "y", "y")),
    )


def test_what_stands_beside_the_cells_is_not_read() -> None:
    """Earlier versions and drawings are skipped."""
    cells = ods_row(ods_text("no"))
    sheet = f"<table:table><table:shapes>{cells}</table:shapes>{ods_row(ods_text('A'))}</table:table>"
    other = f"<table:table>{cells}</table:table>"
    content = ods_workbook(f"<table:tracked-changes>{other}</table:tracked-changes>{sheet}<table:table/>")
    assert read_table(content).header == ("A",)
    assert read_table(content).rows == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ods_sheet(ods_row(ods_text("x", repeat=1_001))), "Row 1 has more than 1,000 columns"),
        (ods_sheet(ods_row(ods_text(repeat=10**9), ods_text("x"))), "Row 1 has more than 1,000 columns"),
        (ods_sheet(ods_row(ods_text('<text:s text:c="999999999"/>'))), "more than 32,767 characters"),
        (ods_sheet(ods_row(ods_text("x" * 20_000, "x" * 20_000))), "more than 32,767 characters"),
        (ods_workbook("", doctype='<!DOCTYPE x [<!ENTITY a "ha">]>'), "entities"),
        (ods_workbook("", kind="text"), "no workbook that can be read"),
        (ods_sheet(ods_row(ods_text("x", repeat=0))), "no workbook that can be read"),
        (ods_sheet(ods_row(ods_text("x"), repeat=-1)), "no workbook that can be read"),
        (ods_sheet("<table:table-row>"), "no workbook that can be read"),
        (ods_workbook(""), "holds no rows"),
    ],
)
def test_what_is_too_much_or_damaged_is_told(content: bytes, words: str) -> None:
    """Before it takes room."""
    with pytest.raises(FileError, match=words) as caught:
        read_table(content)
    assert caught.value.advice.startswith("Nothing was changed.")


@pytest.mark.parametrize(
    ("limit", "row"),
    [
        ("MAX_ROWS", ods_row(ods_text("x"), repeat=1_048_576)),
        ("MAX_CELLS", ods_row(ods_text("x", repeat=900), repeat=1_048_576)),
        ("MAX_CHARACTERS", ods_row(ods_text("x" * 900), repeat=1_048_576)),
    ],
)
def test_repeated_rows_take_no_more_than_the_limits(
    limit: str, row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They end where the limit is reached."""
    monkeypatch.setattr(table, limit, 2_000)
    with pytest.raises(FileError, match="too much text, or too many columns"):
        read_table(ods_sheet(row))
