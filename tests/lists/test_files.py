"""Tables out and in again: every text exactly as it was, and what would harm refused."""

import csv
import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.errors import FileError
from item_visibility.lists import table
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText, Table, TableRow, pick
from item_visibility.lists.writer import write_csv, write_xlsx
from tests.lists.workbooks import RELATIONS, WORKBOOK, text_row, workbook
from tests.support.hostile_texts import HALVES, LISTABLE, SHOWABLE

HEADER = ("Recipient", "Name")
AWKWARD = (
    *("a\rb", "\ufffe", "\uffff", "0012", "1e5", "=1+1", "x" * 32_767, "\U0001f600" * 16_383),
    *("_x0041_", "_x005F_x0041_", "_x0041_x0042_", "__x0041__", "_x0041\x01", "\x01x0041_", "_x00e9_"),
    *("<r>a</r>", "<r><t>a", "<r>&</r>"),
)
"""Texts that workbooks write in a way of their own, or cannot hold as they are."""


def cells(read: Table) -> list[tuple[str, ...]]:
    """The rows without their numbers."""
    return [row.cells for row in read.rows]


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE)
def test_csv_gives_back_any_text(text: str) -> None:
    """Also halves of characters."""
    assert cells(read_table(write_csv(HEADER, [(text, text)]))) == [(text, text)]


@pytest.mark.parametrize("text", [*SHOWABLE.values(), *AWKWARD])
def test_xlsx_gives_back_any_text(text: str) -> None:
    """As a text: no number is shortened, no formula runs."""
    (row,) = cells(read_table(write_xlsx(HEADER, [(text, text)])))
    assert row == (text, text)
    assert not isinstance(row[0], NotText)


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), max_size=5))
def test_csv_gives_back_whatever_it_was_given(rows: list[tuple[str, str]]) -> None:
    """For any texts; a row needs something in it."""
    assert cells(read_table(write_csv(HEADER, rows))) == rows


def test_nothing_in_a_workbook_is_a_formula_or_a_link() -> None:
    """A spreadsheet that opens it runs nothing and fetches nothing."""
    content = write_xlsx(HEADER, [("=1+1", "http://192.0.2.1/")])
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        sheet = package.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert b"hyperlink" not in sheet


@pytest.mark.parametrize("rows", [[("x" * 32_768, "")], [("\U0001f600" * 16_384, "")], [("a", "b")] * 2])
def test_what_is_too_long_for_a_workbook_is_told(
    rows: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never cut off in silence."""
    monkeypatch.setattr("item_visibility.lists.writer.ROWS_OF_A_SHEET", 1)
    with pytest.raises(FileError, match="too long") as caught:
        write_xlsx(HEADER, rows)
    assert "CSV" in caught.value.advice


@pytest.mark.parametrize("text", HALVES.values(), ids=HALVES)
def test_half_a_character_is_not_written_into_a_workbook(text: str) -> None:
    """Spreadsheet programs lose it, so that another id would come back."""
    with pytest.raises(FileError, match="half a character") as caught:
        write_xlsx(HEADER, [(text, "x")])
    assert "CSV" in caught.value.advice


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_csv_is_read_as_programs_write_it(separator: str, mark: str) -> None:
    """With or without a byte order mark, with blank lines, and with separators in quoted cells."""
    text = f'{mark}\r\nRecipient{separator}Name\r\n"a,;\t""b"{separator} x \r\n\r\n0012{separator}NA\r\n'
    read = read_table(text.encode())
    assert read.header == HEADER
    assert read.rows == (TableRow(3, ('a,;\t"b', " x ")), TableRow(5, ("0012", "NA")))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "holds no rows"),
        (b"\r\n,\r\n", "holds no rows"),
        (b"a,b\n1,2,3\n", "Row 2 has 3 cells, but the first row has 2"),
        (b"a,b\n1\n", "Row 2 has 1 cells"),
        (b'a,b\n1,2\n"x,3\n', "Row 3 cannot be read"),
        (b'a,b\n1,"2"x\n', "Row 2 cannot be read"),
        (b"a,b\n\xff\xfe,2\n", "nor a text in UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "text in UTF-16"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "workbook of an old kind"),
        (f"a\n{'x' * 40_000}\n".encode(), "Row 2 holds a text of more than 32,767 characters"),
        (f"a\n{'x' * (csv.field_size_limit() + 1)}\n".encode(), "Row 2 cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_row(content: bytes, words: str) -> None:
    """No cell is shifted, filled in or skipped in silence."""
    with pytest.raises(FileError, match=words) as caught:
        read_table(content)
    assert caught.value.advice.startswith("Nothing was changed.")


def test_limits_hold_for_size_rows_and_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is told."""
    with pytest.raises(FileError, match="larger than 10 MB"):
        read_table(b"a\n" * 6_000_000)
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    assert len(read_table(b"a\n1\n2\n").rows) == 2
    with pytest.raises(FileError, match="more than 2 rows"):
        read_table(b"a\n1\n2\n3\n")
    monkeypatch.setattr(table, "MAX_CHARACTERS", 1)
    with pytest.raises(FileError, match="too much text"):
        read_table(b"a\n12\n")


def test_cells_of_every_kind_are_told_apart() -> None:
    """Texts are texts; numbers, truths, errors and dates are not."""
    rows = text_row(1, *"abcdefg") + (
        '<row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" t="str"><f>A1</f><v>of a formula</v></c>'
        '<c r="C4"><v>12345678901234567</v></c><c r="D4" t="b"><v>1</v></c><c r="E4" t="e"><v>#N/A</v></c>'
        '<c r="G4" t="inlineStr"><is><r><t>in </t></r><r><t>parts</t></r><rPh><t>!</t></rPh></is></c></row>'
        '<row r="5"/><row><c r="A6" s="1"/></row>'
    )
    (row,) = read_table(workbook(rows, shared="<si><t>sha</t><rPh><t>!</t></rPh><t>red</t></si>")).rows
    assert row.number == 4
    assert row.cells == ("shared", "of a formula", "12345678901234567", "1", "#N/A", "", "in parts")
    assert [isinstance(cell, NotText) for cell in row.cells] == [False, False, True, True, True, False, False]


def test_rows_and_cells_without_numbers_are_counted() -> None:
    """Some programs leave the numbers out."""
    rows = text_row(1, "a", "b").replace(' r="1"', "") + text_row(2, "1").replace(' r="2"', "")
    assert read_table(workbook(rows)).rows == (TableRow(2, ("1", "")),)


def test_a_workbook_without_shared_texts_is_read() -> None:
    """Its part may be missing."""
    relations = RELATIONS.replace("sharedStrings", "theme")
    assert read_table(workbook(text_row(1, "a"), relations=relations)).header == ("a",)


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04 and nothing more",
        workbook("<row"),
        workbook('<row><c t="s"><v>7</v></c></row>'),
        workbook('<row><c t="s"><v>x</v></c></row>'),
        workbook('<row><c r="7"><v>1</v></c></row>'),
        workbook("", relations=RELATIONS.replace("sheet.xml", "gone.xml")),
        workbook("", relations=RELATIONS.replace("/worksheet", "/chartsheet")),
        workbook("", workbook_xml=WORKBOOK.replace('r:id="a"', "")),
        workbook(text_row(1, "a" * 500))[:-40],
    ],
)
def test_a_damaged_workbook_is_told(content: bytes) -> None:
    """In one sentence, with what to do."""
    with pytest.raises(FileError, match="cannot be read as XLSX"):
        read_table(content)


def test_what_would_take_much_room_is_refused_before_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacked size, entities, a cell far to the right, and a long text in every row."""
    with pytest.raises(FileError, match="entities"):
        read_table(workbook("", doctype='<!DOCTYPE x [<!ENTITY a "ha">]>'))
    with pytest.raises(FileError, match="more than 1,000 columns"):
        read_table(workbook('<row><c r="XFD1048576" t="str"><v>x</v></c></row>'))
    monkeypatch.setattr(table, "MAX_CHARACTERS", 100)
    with pytest.raises(FileError, match="too much text"):
        read_table(workbook('<row><c t="s"><v>0</v></c></row>' * 9, shared=f"<si><t>{'x' * 20}</t></si>"))
    monkeypatch.setattr("item_visibility.lists.xlsx_reader.MAX_INFLATED_BYTES", 1_000)
    with pytest.raises(FileError, match="too much room"):
        read_table(workbook(text_row(1, "x" * 1_000)))


def test_a_lie_about_the_unpacked_size_unpacks_no_more() -> None:
    """The size that is declared is all that is read."""
    content = bytearray(workbook(text_row(1, "x" * 100_000)))
    at = content.rfind(b"PK\x01\x02")
    content[at + 24 : at + 28] = (50).to_bytes(4, "little")
    with pytest.raises(FileError):
        read_table(bytes(content))


def test_columns_are_picked_by_name() -> None:
    """In any order and case; others are left alone, missing ones are empty."""
    read = read_table(b"note,NAME,recipient\nx,Laden,R1\n")
    picked = list(pick(read, ("Recipient", "Market", "Name"), ids=("Recipient",)))
    assert picked == [TableRow(2, ("R1", "", "Laden"))]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name\nLaden\n", "names no column 'Recipient'"),
        (b"recipient,Recipient\nR1,R2\n", "Two columns of the file are called 'Recipient'"),
        (b"recipient,name\n,Laden\n", "Row 2: Recipient is empty"),
        (workbook(text_row(1, "Recipient") + "<row><c><v>12</v></c></row>"), "Row 2: Recipient is a number"),
    ],
)
def test_columns_that_cannot_be_picked_are_told(content: bytes, words: str) -> None:
    """With the row."""
    with pytest.raises(FileError, match=words):
        list(pick(read_table(content), HEADER, ids=("Recipient",)))


def test_a_name_may_be_a_number() -> None:
    """Only ids must be texts."""
    content = workbook(text_row(1, *HEADER) + '<row><c t="str"><v>R1</v></c><c><v>4711</v></c></row>')
    assert [row.cells for row in pick(read_table(content), HEADER, ids=("Recipient",))] == [("R1", "4711")]
