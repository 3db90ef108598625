"""Tables that are written: read again, every text is exactly what it was, and nothing in it can run."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.errors import FileError
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText, TableRow
from item_visibility.lists.writer import write_csv, write_xlsx
from tests.support.hostile_texts import HALVES, LISTABLE, SHOWABLE

HEADER = ("supplier", "recipient")
AWKWARD = (
    *("a\rb", "\ufffe", "\uffff", "0012", "1e5", "=1+1", "x" * 32_767, "\U0001f600" * 16_383),
    *("_x0041_", "_x005F_x0041_", "_x0041_x0042_", "__x0041__", "_x0041\x01", "\x01x0041_", "_x00e9_"),
    *("<r>a</r>", "<r><t>a", "<r>&</r>"),
)
"""Texts that workbooks write in a way of their own, or cannot hold as they are."""
TEXTS = st.text(st.characters(exclude_categories=[])).filter(
    lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)


@pytest.mark.parametrize("text", LISTABLE.values(), ids=LISTABLE)
def test_csv_gives_back_hostile_texts(text: str) -> None:
    assert read_table(write_csv(HEADER, [(text, text)])).rows == (TableRow(2, (text, text)),)


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), max_size=5))
def test_csv_gives_back_any_text(rows: list[tuple[str, str]]) -> None:
    assert [row.cells for row in read_table(write_csv(HEADER, rows)).rows] == rows


@pytest.mark.parametrize("text", [*SHOWABLE.values(), *AWKWARD])
def test_xlsx_gives_back_any_text(text: str) -> None:
    (row,) = read_table(write_xlsx(HEADER, [(text, text)])).rows
    assert row.cells == (text, text)
    assert not isinstance(row.cells[0], NotText)


def test_nothing_in_a_workbook_is_a_formula_or_a_link() -> None:
    content = write_xlsx(HEADER, [("=1+1", "http://192.0.2.1/")])
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        sheet = package.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in sheet
    assert b"hyperlink" not in sheet


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("x" * 32_768, "")], "too long"),
        ([("\U0001f600" * 16_384, "")], "too long"),
        ([("a", "b")] * 2, "too long"),
        *(([(text, "x")], "half a character") for text in HALVES.values()),
    ],
)
def test_a_table_that_no_workbook_can_hold_is_refused(
    rows: list[tuple[str, str]], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("item_visibility.lists.writer.ROWS_OF_A_SHEET", 1)
    with pytest.raises(FileError, match=words) as caught:
        write_xlsx(HEADER, rows)
    assert "CSV" in caught.value.advice
