"""The lists read last against recipients and sets, and the scans that read them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.lists.reader import read_table
from item_visibility.model.job import BulkItem, ItemPreview, Job, JobState
from item_visibility.model.read_item import SeenItem
from item_visibility.storage.database import Database
from item_visibility.timeouts import SCAN_DEAD_AFTER
from item_visibility.use_cases.coverage import (
    Cell,
    CellState,
    CoverageChoice,
    CoverageColumn,
    Difference,
    cell_of,
    changes,
    coverage_of,
    read_coverage,
    write_coverage,
)
from tests.support.desk import DeskKit, open_kit, put_names, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, not_sent, refused
from tests.support.waiting import HeldCalls

SEEN = SeenItem(
    item=ItemKey("S", "1"),
    name="Oats",
    market="276",
    recipients=frozenset("AB"),
    seen_at=START,
)
UNREAD = replace(SEEN, item=ItemKey("S", "2"), recipients=None, seen_at=None)
ANNA = CoverageColumn("A", "Anna", frozenset("A"))
BERTA = CoverageColumn("B", "Berta", frozenset("B"))
SHOPS = CoverageColumn("Shops", "", frozenset("ABC"), is_set=True)


def seen(name: str, recipients: str | None) -> SeenItem:
    listed, at = (None, None) if recipients is None else (frozenset(recipients), START)
    return SeenItem(
        item=ItemKey("S", name), name=name, market="", recipients=listed, seen_at=at
    )


@pytest.mark.parametrize(
    ("item", "column", "state", "words"),
    [
        (SEEN, ANNA, CellState.CAN, "Yes"),
        (SEEN, CoverageColumn("C", "", frozenset("C")), CellState.CANNOT, "No"),
        (replace(SEEN, recipients=frozenset()), ANNA, CellState.CANNOT, "No"),
        (SEEN, SHOPS, CellState.PARTLY, "2 of 3"),
        (SEEN, replace(SHOPS, members=frozenset("AB")), CellState.CAN, "2 of 2"),
        (SEEN, replace(SHOPS, members=frozenset("C")), CellState.CANNOT, "0 of 1"),
        (SEEN, replace(SHOPS, members=frozenset()), CellState.UNKNOWN, "Empty set"),
        (UNREAD, ANNA, CellState.UNKNOWN, "Not read"),
        (UNREAD, SHOPS, CellState.UNKNOWN, "Not read"),
        (replace(UNREAD, failure="403"), ANNA, CellState.UNKNOWN, "Could not be read"),
        (replace(SEEN, failure="403"), ANNA, CellState.CAN, "Yes"),
        (
            replace(SEEN, unsure=frozenset("A")),
            ANNA,
            CellState.UNKNOWN,
            "Save not confirmed",
        ),
        (
            replace(SEEN, unsure=frozenset("A")),
            SHOPS,
            CellState.UNKNOWN,
            "Save not confirmed",
        ),
    ],
)
def test_a_cell_says_only_what_was_read(
    item: SeenItem, column: CoverageColumn, state: CellState, words: str
) -> None:
    assert cell_of(item, column) == Cell(state, words)


@pytest.mark.parametrize(
    ("first", "second", "recipients", "difference"),
    [
        (ANNA, BERTA, "B", Difference.MISSING),
        (ANNA, BERTA, "A", Difference.EXTRA),
        (ANNA, BERTA, "AB", Difference.NONE),
        (ANNA, BERTA, "", Difference.NONE),
        (ANNA, BERTA, None, Difference.NONE),
        # Anna is compared with the other members of the set.
        (ANNA, SHOPS, "BC", Difference.MISSING),
        (ANNA, SHOPS, "A", Difference.EXTRA),
        (SHOPS, ANNA, "BC", Difference.EXTRA),
        (ANNA, replace(SHOPS, members=frozenset("A")), "A", Difference.NONE),
    ],
)
def test_missing_is_what_only_the_second_column_can_see(
    first: CoverageColumn,
    second: CoverageColumn,
    recipients: str | None,
    difference: Difference,
) -> None:
    (row,) = coverage_of([seen("one", recipients)], (first, second)).rows
    assert row.difference is difference


def test_differences_come_first_then_what_can_be_seen() -> None:
    items = [
        seen("f", None),
        seen("e", ""),
        seen("D", "AB"),
        seen("c", "AB"),
        seen("b", "A"),
        seen("a", "B"),
    ]
    rows = coverage_of(items, (ANNA, BERTA)).rows

    assert [row.item.name for row in rows] == ["a", "b", "c", "D", "e", "f"]


def test_two_chosen_columns_are_compared_and_the_first_one_is_changed() -> None:
    items = [seen("c", "A"), seen("b", None), seen("a", "")]
    coverage = coverage_of(items, (ANNA, BERTA, SHOPS))

    assert [row.item.name for row in coverage.rows] == ["a", "c", "b"]
    assert not coverage.is_comparison
    assert coverage.changed_columns == (ANNA, BERTA, SHOPS)
    assert coverage_of([SEEN], (ANNA, BERTA)).changed_columns == (ANNA,)
    assert coverage_of([SEEN], (ANNA, BERTA), seen_recipients=2).changed_columns == ()


def test_only_what_was_read_can_be_changed() -> None:
    doubtful = replace(seen("in doubt", ""), unsure=frozenset("B"))
    rows = coverage_of(
        [seen("yes", "A"), seen("no", ""), seen("unknown", None), doubtful], (SHOPS,)
    ).rows
    yes = ItemKey("S", "yes")
    no = ItemKey("S", "no")

    assert changes([SHOPS], rows)[0] == (
        BulkItem(item=yes, add=frozenset("BC")),
        BulkItem(item=no, add=frozenset("ABC")),
    )
    assert changes([SHOPS], rows)[1] == (BulkItem(item=yes, remove=frozenset("A")),)


def test_an_item_that_all_can_see_gets_no_addition() -> None:
    rows = coverage_of([seen("all", "ABC")], (SHOPS,)).rows
    additions, removals = changes([SHOPS], rows)
    assert additions == ()
    assert removals == (BulkItem(item=ItemKey("S", "all"), remove=frozenset("ABC")),)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    oats, apples, unread = (ItemKey("S", number) for number in "123")
    with open_kit(tmp_path, {oats: "AB", apples: "BC"}) as kit:
        put_names(
            kit.records.directory,
            items=[(oats, "276", "Oats"), (apples, "040", "Äpfel"), (unread, "", "")],
            recipients=[("A", "Anna"), ("B", "Berta"), ("C", "")],
        )
        for item in (oats, apples):
            kit.desk.read(item)
        kit.desk.sets.make("Shops", "AC")
        yield kit


@pytest.mark.parametrize(
    ("choice", "titles"),
    [
        (CoverageChoice("S"), ["Berta", "Anna", "C"]),
        (CoverageChoice("S", recipients=("C", "A")), ["C", "Anna"]),
        (CoverageChoice(None, ("B",), ("Shops",)), ["Berta", "Shops"]),
        (CoverageChoice("other"), []),
    ],
)
def test_the_choice_decides_the_columns(
    kit: DeskKit, choice: CoverageChoice, titles: list[str]
) -> None:
    columns = read_coverage(kit.records, choice).columns
    assert [column.title for column in columns] == titles


def test_every_item_of_a_supplier_is_a_row(kit: DeskKit) -> None:
    whole = read_coverage(kit.records, CoverageChoice("S"))
    assert [row.item.item.supplier_item_id for row in whole.rows] == ["2", "1", "3"]
    assert whole.seen_recipients == 3
    with pytest.raises(NotPossibleError):
        read_coverage(kit.records, CoverageChoice("S", sets=("gone",)))


def test_the_file_holds_every_cell_and_its_time(kit: DeskKit) -> None:
    table = read_table(
        write_coverage(
            read_coverage(kit.records, CoverageChoice("S", ("A",), ("Shops",)))
        )
    )
    headings = (
        "Item",
        "Market",
        "Item number",
        "Supplier",
        "Last read (UTC)",
        "Problem",
        "Difference",
    )
    read_at = "2026-11-21 14:00:00"

    assert table.header == (*headings, "Anna (A)", "Shops")
    assert [row.cells for row in table.rows] == [
        ("Äpfel", "Austria", "2", "S", read_at, "", "Missing", "No", "1 of 2"),
        ("Oats", "Germany", "1", "S", read_at, "", "Extra", "Yes", "1 of 2"),
        ("", "", "3", "S", "", "", "", "Not read", "Not read"),
    ]


READ = "getVisibilities"
SUPPLIER = "S"
ITEMS = [ItemKey(SUPPLIER, str(number)) for number in range(4)]


@pytest.fixture
def scanned(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk with four known items. "A" can see items 0 and 2; no one else sees any."""
    with open_kit(
        tmp_path, dict(zip(ITEMS, ("A", "", "A", ""), strict=True))
    ) as scanned:
        scanned.records.directory.remember(ITEMS)
        yield scanned


def now(scanned: DeskKit) -> Job:
    return scanned.desk.scans.progress(SUPPLIER)


def ended(scanned: DeskKit) -> Job:
    wait_until(lambda: now(scanned).state is not JobState.READING)
    return now(scanned)


def who_sees(scanned: DeskKit) -> list[bool | None]:
    """Return whether "A" can see each item, or None if the item was not read."""
    return [
        item.recipients and "A" in item.recipients
        for item in scanned.records.seen.all(SUPPLIER)
    ]


def failures(scanned: DeskKit) -> list[str]:
    return [item.failure for item in scanned.records.seen.all(SUPPLIER)]


def test_every_known_item_is_read_once(scanned: DeskKit) -> None:
    scans = scanned.desk.scans
    scanned.records.directory.remember([ItemKey("another", "9")])
    assert scans.progress(SUPPLIER) is None

    scans.resume(SUPPLIER)
    scans.start(SUPPLIER)
    scan = ended(scanned)

    assert scan.state is JobState.ENDED
    assert scan.item_count == 4
    assert scan.read_items == 4
    assert who_sees(scanned) == [True, frozenset(), True, frozenset()]
    assert sorted(call.item for call in scanned.fake.calls) == ITEMS

    scans.start(None)
    wait_until(lambda: scans.progress(None).state is not JobState.READING)
    assert len(scanned.fake.calls) == 9

    scans.cancel(SUPPLIER)
    assert now(scanned) == scan


def test_a_scan_skips_an_item_that_times_out(scanned: DeskKit) -> None:
    def fail(call: FakeCall) -> None:
        if call.item == ITEMS[1]:
            raise not_sent()

    scanned.fake.before_call = fail
    scanned.desk.scans.start(SUPPLIER)
    scan = ended(scanned)

    assert scan.state is JobState.ENDED
    assert scan.read_items == 3
    assert scan.unread == 1
    assert who_sees(scanned) == [True, None, True, frozenset()]


def test_what_the_service_refuses_has_a_reason(scanned: DeskKit) -> None:
    scanned.fake.faults.append(Fault(READ, refused(400)))
    scanned.desk.scans.start(SUPPLIER)
    scan = ended(scanned)

    assert scan.state is JobState.ENDED
    assert scan.read_items == 3
    assert scan.unread == 1

    (failure,) = filter(None, failures(scanned))
    assert failure.startswith("The service refused it (400).")

    scanned.desk.scans.resume(SUPPLIER)
    assert ended(scanned).read_items == 4
    assert now(scanned).unread == 0
    assert len(scanned.fake.calls) == 5
    assert failures(scanned) == [""] * 4


def test_a_cancelled_scan_stops_at_once_and_can_continue(
    scanned: DeskKit, tmp_path: Path
) -> None:
    scanned.fake.before_call = held = HeldCalls(lambda call: call.item == ITEMS[3])
    with open_kit(tmp_path, fake=scanned.fake) as another:
        scanned.desk.scans.start(SUPPLIER)
        held.wait()
        wait_until(lambda: now(another).read_items == 3)
        another.desk.scans.start(SUPPLIER)
        another.desk.scans.resume(SUPPLIER)
        another.desk.scans.cancel("another")

        assert now(another).state is JobState.READING
        assert len(scanned.fake.calls) == 4

        another.desk.scans.cancel(SUPPLIER)
        assert now(scanned).state is JobState.CANCELLED

        held.let_go()
        scanned.desk.scans.resume(SUPPLIER)

        assert ended(scanned).state is JobState.ENDED
        assert now(scanned).read_items == 4


def test_a_scan_of_this_process_needs_no_heartbeat(
    scanned: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned.fake.before_call = held = HeldCalls(lambda call: call.item == ITEMS[2])
    scanned.desk.scans.start(SUPPLIER)
    held.wait()
    monkeypatch.setattr(scanned.records.scans, "is_alive", lambda _key: False)
    scanned.desk.scans.start(SUPPLIER)
    scanned.desk.scans.resume(SUPPLIER)

    assert now(scanned).state is JobState.READING

    monkeypatch.undo()
    held.let_go()

    assert ended(scanned).state is JobState.ENDED
    assert len(scanned.fake.calls) == 4


def test_a_scan_of_a_killed_process_resumes_elsewhere(
    scanned: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = scanned.fake
    scans = scanned.desk.scans
    store = scanned.records.scans
    scans.start(SUPPLIER)
    scan = replace(
        ended(scanned), state=JobState.READING, created_at=fake.time.now(), read_items=0
    )
    fake.calls.clear()
    store.begin_scan(scan, SUPPLIER)
    first, *others = store.items(scan.key)
    store.put_previews(
        scan.key, {first.position: ItemPreview(current=None, read_at=START)}
    )
    scans.start(SUPPLIER)
    scans.resume(SUPPLIER)

    assert now(scanned).state is JobState.READING
    assert now(scanned).read_items == 1
    assert fake.calls == []

    late = datetime.now(UTC) + SCAN_DEAD_AFTER + timedelta(seconds=1)
    monkeypatch.setattr(Database, "now", lambda _: late)
    assert now(scanned).state is JobState.PAUSED

    scans.resume(SUPPLIER)
    assert ended(scanned).state is JobState.ENDED
    assert now(scanned).read_items == 4
    assert sorted(call.item for call in fake.calls) == [
        item.intent.item for item in others
    ]
