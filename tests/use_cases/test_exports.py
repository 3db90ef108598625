"""Lists that people upload, and downloads, which can be uploaded again unchanged."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError, ItemVisibilityError
from item_visibility.lists import bulk_list
from item_visibility.lists.bulk_list import AT_ONCE, BulkList
from item_visibility.lists.headings import Fixed
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import HiddenCells, NotText, Table, heading_words
from item_visibility.lists.writer import FileKind, write_csv, write_xlsx
from item_visibility.model.job import BulkAction
from item_visibility.use_cases.exports import (
    ExportRun,
    changes_as_list,
    items_in,
    known_items,
    start_export,
)
from tests.lists.workbooks import text_row, workbook
from tests.support.desk import DeskKit, open_kit, wait_until
from tests.support.fake_visibilities import not_sent, refused
from tests.support.waiting import HeldCalls


def test_a_few_lists_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Semaphore(0)
    goes_on = threading.Event()

    def read(*_: object, **_options: object) -> Table:
        begun.release()
        goes_on.wait(60)
        return Table(("Item",), ())

    monkeypatch.setattr(bulk_list, "read_table", read)
    with ThreadPoolExecutor() as threads:
        runs = [threads.submit(BulkList.read, b"") for _ in range(AT_ONCE + 1)]
        assert [begun.acquire(timeout=60) for _ in range(AT_ONCE)] == [True] * AT_ONCE
        assert not begun.acquire(timeout=0.05)

        goes_on.set()
        assert [run.result().table.header for run in runs] == [("Item",)] * (
            AT_ONCE + 1
        )


def test_headings_that_are_hidden_are_not_skipped() -> None:
    top = text_row(1, "Recipient", "Supplier", "Item").replace(
        "<row", '<row hidden="1"'
    )
    content = workbook(
        top + text_row(2, "9522000010007", "9521000010000", "09521000010017")
    )

    with pytest.raises(FileError, match="Row 1 is hidden, but it holds the headings"):
        BulkList.read(content, hidden=HiddenCells.SKIP)
    assert BulkList.read(content, hidden=HiddenCells.USE).table.header[0] == "Recipient"


def test_a_row_with_values_only_in_hidden_columns_is_reported() -> None:
    rows = text_row(1, "Item", "Note") + text_row(2, "", "x") + text_row(3, "I1", "")
    content = workbook(rows, before='<cols><col min="2" max="2" hidden="1"/></cols>')
    bulk_list = BulkList.read(content, hidden=HiddenCells.SKIP)

    assert [row.number for row in bulk_list.table.rows] == [3]

    understood = replace(
        bulk_list, fixed=Fixed(supplier="S", action=BulkAction.WITHDRAW)
    ).understood()

    assert [(row.number, row.reason) for row in understood.skipped] == [
        (2, "The whole row is hidden in the file, and hidden rows are skipped.")
    ]
    assert understood.refused == ()


def test_ticked_items_make_a_list() -> None:
    made = BulkList.of_items(["I1", "I2"])
    understood = replace(
        made, fixed=Fixed(supplier="S", recipients=frozenset({"R"}))
    ).understood()

    assert [row.item for row in understood.items] == [
        ItemKey("S", "I1"),
        ItemKey("S", "I2"),
    ]
    assert heading_words(made.table) == ""


def test_the_template_has_the_headings_of_a_list() -> None:
    text = "Supplier\tItem\nS\tI"
    table = BulkList.read(text).table
    assert heading_words(table) == "Row 1 holds the headings."

    table = BulkList.read(text, has_heading=False).table
    assert heading_words(table) == "The list has no headings: every row is data."


FIRST = ItemKey("0001", "01")
SECOND = ItemKey("0001", "=02")
THIRD = ItemKey("9", "1")
MANY = [ItemKey("S", str(number)) for number in range(500)]


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {FIRST: {"B", "A"}, THIRD: {"+1"}}) as kit:
        kit.records.directory.remember([FIRST, SECOND, THIRD])
        yield kit


def ended_export(run: ExportRun) -> ExportRun:
    wait_until(lambda: run.has_ended)
    if run.error is not None:
        raise run.error
    return run


@pytest.mark.parametrize("kind", FileKind)
def test_an_export_has_the_items_in_the_order_asked_for(
    kit: DeskKit, kind: FileKind
) -> None:
    result = ended_export(start_export(kit.desk, [THIRD, SECOND, FIRST], kind))
    rows = read_table(result.content).rows

    assert [row.cells for row in rows] == [
        ("9", "1", "+1"),
        ("0001", "01", "A"),
        ("0001", "01", "B"),
    ]
    assert not any(isinstance(cell, NotText) for row in rows for cell in row.cells)
    assert result.rows == 3
    assert result.unseen_items == 1
    assert result.read == 3
    assert result.total == 3
    assert ended_export(start_export(kit.desk, [SECOND], kind)).rows == 0


@pytest.mark.parametrize("error", [not_sent(), refused()])
def test_no_file_is_made_when_an_item_cannot_be_read(
    kit: DeskKit, error: ItemVisibilityError
) -> None:
    kit.fake.before_call = Mock(side_effect=error)
    with pytest.raises(
        FileError,
        match=r"(Item \d+ of supplier S|500 items) could not be read: The service",
    ) as caught:
        ended_export(start_export(kit.desk, MANY, FileKind.CSV))
    assert caught.value.advice.startswith("No file was made.")
    assert kit.fake.before_call.call_count < 300


def test_known_items_are_those_of_the_directory(kit: DeskKit) -> None:
    assert sorted(known_items(kit.desk)) == [FIRST, SECOND, THIRD]
    assert known_items(kit.desk, "9") == (THIRD,)
    with pytest.raises(FileError, match="There are no items"):
        start_export(kit.desk, known_items(kit.desk, "nobody"), FileKind.CSV)


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_a_file_names_the_items(write: Callable[..., bytes]) -> None:
    content = write(
        ("Recipient", "Supplier", "Item", "Action"),
        [("A", "9", "1", "add"), ("", "0001", "01", "?"), ("B", "9", "1", "remove")],
    )
    with_suppliers = BulkList.of(read_table(content))

    assert items_in(with_suppliers) == (THIRD, FIRST)

    own_ids = BulkList.of(read_table(b"item\n01\n=02\n"))
    assert items_in(own_ids, supplier="0001") == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"supplier,item\n9,1\n9,\n", "^Row 3: "),
        (b"supplier,name\n9,1\n", "^No column holds the item"),
        (
            b"supplier,item,Zielmarkt\n9,1,276\n",
            "^Row 2: The row names the market “276”",
        ),
    ],
)
def test_a_file_that_does_not_name_its_items_is_refused(
    content: bytes, words: str
) -> None:
    with pytest.raises(FileError, match=words) as caught:
        items_in(BulkList.of(read_table(content)))
    assert caught.value.advice.startswith(("Nothing was changed.", "Correct"))


def test_changes_of_an_item_are_a_list_for_bulk() -> None:
    rows = read_table(changes_as_list(SECOND, add=["=B", "A"], remove=["C"])).rows
    assert [row.cells[1:] for row in rows] == [
        ("=02", "=B", "add"),
        ("=02", "A", "add"),
        ("=02", "C", "remove"),
    ]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError, "The export did not finish."),
        (FileError("Too long.", advice=""), "Too long."),
    ],
)
def test_an_export_ends_even_after_an_error(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    monkeypatch.setattr(FileKind, "write", Mock(side_effect=error))
    run = start_export(kit.desk, [FIRST], FileKind.CSV)
    wait_until(lambda: run.has_ended)
    assert str(run.error) == words


def test_an_export_in_the_background_can_be_stopped(kit: DeskKit) -> None:
    kit.fake.before_call = held = HeldCalls()
    run = start_export(kit.desk, MANY, FileKind.CSV)
    run.stop()
    held.let_go()
    wait_until(lambda: run.has_ended)

    assert run.content == b""
    assert str(run.error) == "The export was stopped."


def test_no_file_is_made_when_the_program_is_closing(kit: DeskKit) -> None:
    kit.desk.bulk.engine.close()
    with pytest.raises(FileError, match="The export did not finish"):
        ended_export(start_export(kit.desk, [FIRST], FileKind.CSV))
