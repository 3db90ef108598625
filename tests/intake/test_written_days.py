"""The end dates of rows, as lists write them, and those that are refused."""

from datetime import date

import pytest

from item_visibility.files.reading import read_paste, read_table
from item_visibility.files.table import CountedFrom1904, NotText, Table, TableRow
from item_visibility.intake.layout import Fixed, guess_layout
from item_visibility.intake.rows import ReadRows, read_bulk_rows
from item_visibility.intake.skipped import skipped_rows
from item_visibility.intake.written_days import read_day
from tests.files.workbooks import WORKBOOK, workbook

LAST = date(2026, 11, 30)
TODAY = date(2026, 11, 21)


def read(text: str) -> ReadRows:
    """The rows of the text, on that day."""
    table = read_paste(text)
    return read_bulk_rows(table, guess_layout(table), Fixed(), today=TODAY)


@pytest.mark.parametrize(
    "cell",
    [
        "2026-11-30",
        " 2026-11-30 ",
        "30.11.2026",
        NotText("46356"),
        NotText("46356.0"),
        NotText("2026-11-30"),
        NotText("2026-11-30T00:00:00"),
        "2026-11-30 00:00:00.000",
    ],
)
def test_a_day_is_read_where_it_can_be_no_other(cell: str) -> None:
    """As ISO and Germany write it, and as workbooks hold it."""
    assert read_day(cell) == LAST


@pytest.mark.parametrize(
    "cell",
    [
        *("11/12/2026", "30/11/2026", "30.11.26", "46356", "2026-02-30", "2026-11-30 14:00", "soon", "2026"),
        *map(NotText, ("1", "46356.5", "true")),
        CountedFrom1904("44894"),
    ],
)
def test_a_day_that_may_be_another_is_none(cell: str) -> None:
    """Nor is a number that no workbook said to be a day."""
    assert read_day(cell) is None


@pytest.mark.parametrize(("since", "day"), [("", LAST), ('<workbookPr date1904="1"/>', None)])
def test_a_workbook_says_from_when_its_days_count(since: str, day: date | None) -> None:
    """One that counts from 1904 holds other numbers for the same days: they are not guessed."""
    rows = '<row r="1"><c t="str"><v>Until</v></c></row><row r="2"><c><v>46356</v></c></row>'
    content = workbook(rows, workbook_xml=WORKBOOK.replace("<sheets>", f"{since}<sheets>"))
    (row,) = read_table(content).rows
    assert read_day(row.cells[0]) == day


@pytest.mark.parametrize("heading", ["Until", "Valid until", "End date", "Bis", "gültig bis", "ENDDATUM"])
def test_a_row_may_name_its_end_date(heading: str) -> None:
    """An empty cell names none."""
    found = read(f"Supplier,Item,Recipient,{heading}\nS,1,R,30.11.2026\nS,1,Q,\n")
    assert [(row.recipient_id, row.until) for row in found.rows] == [("R", LAST), ("Q", None)]


@pytest.mark.parametrize(
    ("action", "until", "words"),
    [
        (
            "add",
            "11/12/2026",
            "“11/12/2026” is no day that is read for sure. Write 2026-11-30 or 30.11.2026.",
        ),
        ("add", "2026-11-20", "The end date 2026-11-20 is over already, in UTC."),
        ("remove", "2026-11-30", "The row takes somebody away, and names an end date too."),
    ],
)
def test_a_row_whose_end_date_cannot_be_meant_is_skipped(action: str, until: str, words: str) -> None:
    """As a whole: nobody is added without the end that the row names."""
    found = read(f"Supplier,Item,Recipient,Action,Until\nS,1,R,{action},{until}\n")
    assert found.rows == ()
    assert found.problems[0].message.startswith(words)


def test_a_skipped_row_keeps_its_end_date() -> None:
    """As it stands there."""
    table = Table(("Supplier", "Item", "Recipient", "Until"), (TableRow(2, ("S", "1", "R", "soon")),))
    (row,) = skipped_rows(table, guess_layout(table), Fixed(), {2: "why"})
    assert row.until == "soon"
