"""JSON out and in again: every text exactly as it was, and nothing but texts."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility.errors import FileError
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.lists.writer import write_json

HEADER = ("supplier", "recipient")
TEXTS = st.text(st.characters(exclude_categories=[])).filter(
    lambda text: text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)


def cells(read: Table) -> list[tuple[str, ...]]:
    """The rows without their numbers."""
    return [row.cells for row in read.rows]


@given(st.lists(st.tuples(TEXTS, TEXTS.map("x".__add__)), min_size=1, max_size=5))
def test_json_gives_back_whatever_it_was_given(rows: list[tuple[str, str]]) -> None:
    """Also halves of characters, and to other programs, too."""
    content = write_json(HEADER, rows)
    assert read_table(content) == Table(
        HEADER, tuple(TableRow(n, row) for n, row in enumerate(rows, 1)), header_number=0
    )
    assert json.loads(content) == [dict(zip(HEADER, row, strict=True)) for row in rows]


def test_an_empty_table_is_an_empty_array() -> None:
    """No rows, no columns."""
    assert json.loads(write_json(HEADER, [])) == []


def test_two_halves_side_by_side_are_not_written() -> None:
    """Every reader would join them."""
    with pytest.raises(FileError, match="two halves") as caught:
        write_json(HEADER, [("\ud83d\ude00", "R")])
    assert "CSV" in caught.value.advice


@pytest.mark.parametrize(
    "text",
    [
        '[{"a":"1","b":"x"},{"b":"y"}]',
        '\ufeff \r\n[ { "a" : "1" , "b" : "x" }\n, {"b":"y", "a":null} ]\n',
    ],
)
def test_json_is_read_as_programs_write_it(text: str) -> None:
    """A missing value is empty."""
    assert cells(read_table(text.encode())) == [("1", "x"), ("", "y")]


def test_what_is_no_text_is_marked() -> None:
    """Numbers as they stand, without a digit lost."""
    content = b'[{"a": 012, "b": 1}]'.replace(b"012", b"12345678901234567890.10")
    (row,) = cells(read_table(content + b" "))
    assert row == ("12345678901234567890.10", "1")
    assert [isinstance(cell, NotText) for cell in row] == [True, True]
    (row,) = cells(read_table(b'[{"a": true, "b": NaN, "c": false, "d": "true"}]'))
    assert row == ("true", "NaN", "false", "true")
    assert [isinstance(cell, NotText) for cell in row] == [True, True, True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "row 1 cannot be read"),
        ("[]", "holds no rows"),
        ("[1]", "row 1 cannot be read"),
        ("[" * 100_000, "row 1 cannot be read"),
        ('[{"a":' * 100_000, "row 1 cannot be read"),
        ('[{"a":["x"]}]', "row 1 cannot be read"),
        ('[{"a":"x"},1]', "row 2 cannot be read"),
        ('[{"a":"x"},{"b":"x","b":"y"}]', "row 2 cannot be read"),
        ('{"a":"x"}', "cannot be read"),
        ('[{"a":{"b":"x"}}]', "cannot be read"),
        ('[{"a":"x"}', "row 2 cannot be read"),
        ('[{"a":"x\n"}]', "row 1 cannot be read"),
        ('[{"a":"x","a":"y"}]', "row 1 cannot be read"),
        (json.dumps([{str(n): "x" for n in range(1_001)}]), "row 1 cannot be read"),
        ("[{}]", "row 1 cannot be read"),
        ('[{"":"x"}]', "row 1 cannot be read"),
        ('[{"a":"x"},{"A":"y"}]', "Row 2 names other columns"),
        ('[{"a":"x"},{}]', "row 2 cannot be read"),
        ("[" + '{"a":"x"},' * 200_000 + '{"a":"x"}]', "more than 200,000 rows"),
    ],
)
def test_json_that_is_no_list_of_rows_is_told(text: str, words: str) -> None:
    """With its row, however deep it nests."""
    with pytest.raises(FileError, match=words) as caught:
        read_table(text.encode())
    assert caught.value.advice.startswith("Nothing was changed.")


def test_a_thousand_columns_are_read() -> None:
    """The limit is inside."""
    (row,) = cells(read_table(json.dumps([{str(n): "x" for n in range(1_000)}]).encode()))
    assert row == ("x",) * 1_000


def test_a_row_of_nothing_but_zeros_fills_no_memory() -> None:
    """A row is read as a whole before it is refused: each number is kept once."""
    content = b'[{"a":[' + b"0," * 500_000 + b"0]}]"
    tracemalloc.start()
    with pytest.raises(FileError, match="row 1 cannot be read"):
        read_table(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 15 * len(content)


def test_json_in_another_encoding_is_told() -> None:
    """UTF-8 alone is JSON."""
    with pytest.raises(FileError, match="no list of rows in UTF-8"):
        read_table('[{"a":"ä"}]'.encode("cp1252"))
