"""The recipients of many items, in a file that reads back as exactly that."""

import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast
from unittest.mock import MagicMock, Mock

import pytest

from item_visibility.access.access import Access, machine_user
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError, ItemVisibilityError
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.reading import ItemReader
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.reader import read_table
from item_visibility.lists.table import NotText
from item_visibility.lists.writer import FileKind, write_csv, write_xlsx
from item_visibility.storage.directory import Kind, NameRow
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import ExportRun, items_in, known_items, start_export
from tests.support.desk import ended_export, wait_until
from tests.support.fake_visibilities import START, FakeVisibilities, not_sent, refused

FIRST, SECOND, THIRD = ItemKey("0001", "01"), ItemKey("0001", "=02"), ItemKey("9", "1")


@pytest.fixture
def fake() -> FakeVisibilities:
    return FakeVisibilities({FIRST: {"B", "A"}, THIRD: {"+1"}})


@pytest.fixture
def desk(fake: FakeVisibilities) -> Desk:
    return desk_on(fake.get_visibilities)


remembered: list[ReadItem] = []


def desk_on(read: Callable[[ItemKey], frozenset[str] | None]) -> Desk:
    records = MagicMock()
    records.directory[Kind.ITEM].all.return_value = [
        NameRow((one.supplier, one.supplier_item_id)) for one in (FIRST, SECOND, THIRD)
    ]
    records.seen.note_reads = remembered.extend
    service = SimpleNamespace(get_visibilities=read)
    engine = Engine(service, 4, clock=lambda: START, pause=lambda _event, _delay_s: None)
    reader = ItemReader(service, records, clock=lambda: START)
    bulk = SimpleNamespace(engine=engine, reader=reader)
    access = Access(machine_user, clock=lambda: START)
    return cast("Desk", SimpleNamespace(bulk=bulk, records=records, access=access))


def exported(desk: Desk, items: Sequence[ItemKey], kind: FileKind) -> ExportRun:
    """The export of these items after its end."""
    return ended_export(start_export(desk, items, kind))


@pytest.mark.parametrize("kind", FileKind)
def test_an_export_has_the_items_in_the_order_asked_for(desk: Desk, kind: FileKind) -> None:
    result = exported(desk, [THIRD, SECOND, FIRST], kind)
    rows = read_table(result.content).rows
    assert [row.cells for row in rows] == [("9", "1", "+1"), ("0001", "01", "A"), ("0001", "01", "B")]
    assert not any(isinstance(cell, NotText) for row in rows for cell in row.cells)
    assert (result.rows, result.unseen_items, result.read, result.total) == (3, 1, 3, 3)
    assert exported(desk, [SECOND], kind).rows == 0


@pytest.mark.parametrize("error", [not_sent("getVisibilities"), refused("getVisibilities")])
def test_no_file_is_made_when_an_item_cannot_be_read(error: ItemVisibilityError) -> None:
    calls: list[ItemKey] = []

    def read(item: ItemKey) -> None:
        calls.append(item)
        raise error

    items = [ItemKey("S", str(n)) for n in range(500)]
    with pytest.raises(FileError, match=r"Item \d+ of supplier S cannot be read: The service") as caught:
        exported(desk_on(read), items, FileKind.CSV)
    assert caught.value.advice.startswith("No file was made.")
    assert len(calls) < 300


def test_what_an_export_reads_is_remembered(desk: Desk) -> None:
    remembered.clear()
    exported(desk, [FIRST, THIRD], FileKind.CSV)
    assert {one.item: one.listed for one in remembered} == {FIRST: {"A", "B"}, THIRD: {"+1"}}


def test_known_items_are_those_of_the_directory(desk: Desk) -> None:
    assert known_items(desk) == (FIRST, SECOND, THIRD)
    assert known_items(desk, "9") == (THIRD,)
    with pytest.raises(FileError, match="There are no items"):
        exported(desk, known_items(desk, "nobody"), FileKind.CSV)


@pytest.mark.parametrize("write", [write_csv, write_xlsx])
def test_a_file_names_the_items(write: Callable[..., bytes]) -> None:
    content = write(
        ("Recipient", "Supplier", "Item", "Action"),
        [("A", "9", "1", "add"), ("", "0001", "01", "?"), ("B", "9", "1", "remove")],
    )
    named = BulkList.of(read_table(content))
    assert items_in(named) == (THIRD, FIRST)
    own_ids = BulkList.of(read_table(b"item\n01\n=02\n"))
    assert items_in(own_ids, supplier="0001") == (FIRST, SECOND)


def test_a_file_with_a_row_that_names_no_item_is_refused() -> None:
    named = BulkList.of(read_table(b"supplier,item\n9,1\n9,\n"))
    with pytest.raises(FileError, match=r"^Row 3: ") as caught:
        items_in(named)
    assert caught.value.advice.startswith("Nothing was changed.")
    with pytest.raises(FileError, match="supplier"):
        items_in(BulkList.of(read_table(b"item\n9\n")))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_export_in_the_background_ends_whatever_happens(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileKind, "write", Mock(side_effect=RuntimeError))
    run = start_export(desk, [FIRST], FileKind.CSV)
    wait_until(lambda: "export" not in {thread.name for thread in threading.enumerate()})
    assert str(run.error) == "The export failed."


def test_an_export_in_the_background_can_be_stopped() -> None:
    may_go_on = threading.Event()

    def read(_item: ItemKey) -> frozenset[str]:
        may_go_on.wait(60)
        return frozenset()

    run = start_export(desk_on(read), [ItemKey("S", str(n)) for n in range(500)], FileKind.CSV)
    run.stop()
    may_go_on.set()
    wait_until(lambda: run.has_ended)
    assert (run.content, str(run.error)) == (b"", "The export was stopped.")


def test_no_file_is_made_once_the_program_ends(fake: FakeVisibilities) -> None:
    desk = desk_on(fake.get_visibilities)
    desk.bulk.engine.close()
    with pytest.raises(FileError, match="The export was stopped"):
        exported(desk, [FIRST], FileKind.CSV)
