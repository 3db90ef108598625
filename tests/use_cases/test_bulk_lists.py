"""Lists that are read, and what becomes of what a file hides."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError
from item_visibility.lists.layout import Fixed
from item_visibility.lists.table import heading_words
from item_visibility.storage.names import Names
from item_visibility.use_cases.bulk_lists import AT_ONCE, HiddenCells, ListReader
from tests.lists.workbooks import text_row, workbook

INTAKE = ListReader(lambda _: Names({}))


def test_a_few_lists_are_read_at_once() -> None:
    begun, goes_on = threading.Semaphore(0), threading.Event()

    def watch(_share: float) -> None:
        begun.release()
        goes_on.wait(60)

    content = workbook(text_row(1, "Item"))
    with ThreadPoolExecutor() as threads:
        runs = [threads.submit(INTAKE.read_file, content, watch=watch) for _ in range(AT_ONCE + 1)]
        assert [begun.acquire(timeout=60) for _ in range(AT_ONCE)] == [True] * AT_ONCE
        assert not begun.acquire(timeout=0.05)
        goes_on.set()
        assert [run.result().table.header for run in runs] == [("Item",)] * (AT_ONCE + 1)


def test_headings_that_are_hidden_are_not_skipped() -> None:
    top = text_row(1, "Recipient", "Supplier", "Item").replace("<row", '<row hidden="1"')
    content = workbook(top + text_row(2, "9522000010007", "9521000010000", "09521000010017"))
    with pytest.raises(FileError, match="Row 1 holds headings and is hidden"):
        INTAKE.read_file(content, hidden=HiddenCells.SKIP)
    assert INTAKE.read_file(content, hidden=HiddenCells.USE).table.header[0] == "Recipient"


def test_a_row_that_holds_hidden_columns_alone_does_not_vanish() -> None:
    rows = text_row(1, "Item", "Note") + text_row(2, "", "x") + text_row(3, "I1", "")
    content = workbook(rows, before='<cols><col min="2" max="2" hidden="1"/></cols>')
    table = INTAKE.read_file(content, hidden=HiddenCells.SKIP).table
    assert [row.number for row in table.rows] == [3]
    assert [(one.row.number, one.reason) for one in table.aside] == [
        (2, "All of the row is hidden in the file, and what is hidden is skipped.")
    ]


def test_items_that_were_ticked_make_a_list() -> None:
    made = INTAKE.list_items(["I1", "I2"])
    understood = made.with_fixed(Fixed(supplier="S", recipients=frozenset({"R"}))).understood()
    assert [one.item for one in understood.items] == [ItemKey("S", "I1"), ItemKey("S", "I2")]
    assert heading_words(made.table) == ""


def test_the_headings_are_told() -> None:
    assert heading_words(INTAKE.read_paste("Supplier\tItem\nS\tI").table) == "Row 1 holds the headings."
    without = INTAKE.read_paste("Supplier\tItem\nS\tI", has_heading=False)
    assert heading_words(without.table) == "The list has no headings: every row is a row of it."
