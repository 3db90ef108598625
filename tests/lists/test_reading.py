"""Lists as people bring them: other encodings, pasted cells, and files made for Excel alone."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from item_visibility.errors import FileError
from item_visibility.lists.reader import Encoding, needs_encoding, read_paste, read_table
from item_visibility.lists.table import FOR_EXCEL, MAX_BYTES, Table, TableRow, cells_with_accents
from item_visibility.lists.writer import write_csv, write_xlsx
from tests.lists.workbooks import text_row, workbook

ROOT = Path(__file__).resolve().parents[2]
Writer = Callable[[tuple[str, ...], list[tuple[str, ...]]], bytes]


@pytest.mark.parametrize(
    ("content", "needs"),
    [
        ("Süd".encode(), False),
        ("Süd\ud800".encode("utf-8", "surrogatepass"), False),
        (workbook(text_row(1, "Süd")), False),
        ("Süd".encode("utf-16"), False),
        ("Süd".encode("cp1252"), True),
        (b"\x81", True),
    ],
)
def test_only_a_text_that_is_not_utf_8_needs_an_encoding(content: bytes, *, needs: bool) -> None:
    """A workbook says its own, and UTF-16 is refused with what to do."""
    assert needs_encoding(content) is needs


@pytest.mark.parametrize("encoding", [Encoding.CP1252, Encoding.CP850, Encoding.MAC_ROMAN])
def test_a_few_cells_show_whether_the_encoding_is_right(encoding: Encoding) -> None:
    """Those with umlauts."""
    table = read_table("Händler,x\nGröße,y\n".encode(encoding), encoding=encoding)
    assert cells_with_accents(table) == "“Händler”, “Größe”"


def test_cp1252_is_read_when_it_is_chosen() -> None:
    """Reading itself never guesses."""
    content = "Artikel;Händler\nI1;Größe €\n".encode("cp1252")
    with pytest.raises(FileError, match="nor a text in UTF-8") as caught:
        read_table(content)
    assert "choose cp1252" in caught.value.advice
    assert read_table(content, encoding=Encoding.CP1252).rows == (TableRow(2, ("I1", "Größe €")),)


@pytest.mark.parametrize("content", [b"a\n\x81\n", b"a\n\0\n", "\ufeffa\nä\n".encode()])
def test_what_cannot_be_cp1252_is_told(content: bytes) -> None:
    """Some bytes are no character there; some begin a text in UTF-8."""
    with pytest.raises(FileError, match="not in cp1252") as caught:
        read_table(content, encoding=Encoding.CP1252)
    assert caught.value.advice.startswith("Nothing was changed.")


def test_a_workbook_says_its_own_encoding() -> None:
    """The choice is for texts."""
    assert read_table(write_xlsx(("ä",), []), encoding=Encoding.CP1252).header == ("ä",)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("Item\tRecipient\r\nI1\tR1\r\n", ("I1", "R1")),
        ("Item,a,b\tRecipient,c,d\nI1\tR1\n", ("I1", "R1")),
        ("Item,Recipient\nI1,R1", ("I1", "R1")),
        ("Item;Recipient\nI1;R1", ("I1", "R1")),
        ('Item\tRecipients\nI1\t"R1\nR2"', ("I1", "R1\nR2")),
        ("Item\n I1 \n", (" I1 ",)),
    ],
)
def test_pasted_cells_are_read_as_they_stand(text: str, cells: tuple[str, ...]) -> None:
    """With tabs, as spreadsheets copy them, or as CSV."""
    assert [row.cells for row in read_paste(text).rows] == [cells]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no rows"),
        ("a\tb\nc", "Row 2 has 1 cells"),
        ("ä" * (5 * 1024 * 1024 + 1), "larger than 10 MB"),
        (f"{FOR_EXCEL}\nx", "for reading in Excel"),
    ],
)
def test_a_paste_that_cannot_be_read_is_told(text: str, words: str) -> None:
    """As a file is."""
    with pytest.raises(FileError, match=words):
        read_paste(text)


@pytest.mark.parametrize("heading", [FOR_EXCEL, f"{FOR_EXCEL}: Item", f"'{FOR_EXCEL}"])
@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_what_was_made_for_excel_is_refused(heading: str, write: Writer) -> None:
    """Its texts were changed so that none is a formula: they are not the ids any more."""
    with pytest.raises(FileError, match="exported for reading in Excel") as caught:
        read_table(write(("Supplier", heading), [("S", "'=1+1")]))
    assert "Export it again" in caught.value.advice


def test_rows_of_a_workbook_may_be_longer_than_its_header() -> None:
    """Their cells have places of their own: none is shifted."""
    content = workbook(text_row(1, "A") + text_row(3, "a", "b", "c") + text_row(4, "d", "e"))
    assert read_table(content) == Table(
        ("A", "", ""), (TableRow(3, ("a", "b", "c")), TableRow(4, ("d", "e", "")))
    )


def test_a_csv_file_may_have_many_columns_but_not_any_number() -> None:
    """Each of them is a column of a matrix."""
    assert len(read_table(b"," * 998 + b"a\n").header) == 999
    with pytest.raises(FileError, match="Row 1 has more than 1,000 columns"):
        read_table(b"," * 1_000 + b"a\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_first_line_that_names_the_separator_is_no_row(separator: str) -> None:
    """Nor does Excel count it."""
    content = f"\ufeffsep={separator}\r\nItem{separator}A,;\tB\r\nI1{separator}x\r\n".replace(
        "A,;\tB", '"A,;\tB"'
    )
    assert read_table(content.encode()) == Table(("Item", "A,;\tB"), (TableRow(2, ("I1", "x")),))


def test_spaces_around_a_heading_stay_in_it() -> None:
    """It may be the id of a recipient."""
    assert read_table(b" a ,b\n1,2\n").header == (" a ", "b")


def test_the_server_takes_in_no_file_that_is_not_read() -> None:
    """The box of the page is a limit of the browser alone: both are the readers' own limit, which is told."""
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert config["server"]["maxUploadSize"] * 1024 * 1024 == MAX_BYTES
    with pytest.raises(FileError, match="larger than 10 MB"):
        read_table(b"x" * (MAX_BYTES + 1))


@pytest.mark.parametrize(
    "content",
    [
        b"Item\n" + b"I1\n" * 50_000,
        workbook(text_row(1, "Item")),
    ],
)
def test_who_watches_is_told_how_far_reading_is_and_can_end_it(content: bytes) -> None:
    """From 0 to 1; what the watcher raises ends the reading."""
    told: list[float] = []
    read_table(content, watch=told.append)
    assert told
    assert sorted(told) == told
    assert 0 <= told[0] <= told[-1] <= 1

    def stop(_share: float) -> None:
        raise FileError("Stopped.", advice="Nothing was changed.")

    with pytest.raises(FileError, match="Stopped"):
        read_table(content, watch=stop)
