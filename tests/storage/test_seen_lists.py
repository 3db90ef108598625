"""Each item's last list, and changes elsewhere, never confused with our own."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import Connection, event, select, text, update

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeKind
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.model.read_item import ReadItem, SeenItem
from item_visibility.storage.database import Database, open_database
from item_visibility.storage.history import History, HistoryFilter
from item_visibility.storage.recipient_lists import put_lists
from item_visibility.storage.schema import seen_list
from item_visibility.storage.service_records import ServiceRecords
from tests.storage.entries import ITEM, begin, minute, save
from tests.support.desk import wait_until
from tests.support.fake_visibilities import START

OBSERVED = HistoryFilter(kind=ChangeKind.OBSERVED)
Change = tuple[str, str]
"""The recipients before and after."""


def read_of(
    recipients: str, *, at: float, asked_at: float | None = None, item: ItemKey = ITEM
) -> ReadItem:
    asked_at = at if asked_at is None else asked_at
    return ReadItem(
        item=item,
        recipients=frozenset(recipients),
        asked_at=minute(asked_at),
        read_at=minute(at),
    )


def see(history: History, recipients: str, *, at: float) -> None:
    history.seen.record_reads([read_of(recipients, at=at)])


def observed(history: History) -> list[Change]:
    found = list(history.all(OBSERVED))[::-1]
    lists = [(entry.request.base or (), entry.result.after or ()) for entry in found]
    return [
        ("".join(sorted(before)), "".join(sorted(after))) for before, after in lists
    ]


def seen(history: History, *items: ItemKey) -> list[tuple[str, float]]:
    found = history.seen.lists(items)
    return [
        (
            "".join(sorted(found[item].recipients)),
            (found[item].seen_at - minute(0)).total_seconds() / 60,
        )
        for item in items
    ]


def test_a_change_made_elsewhere_is_an_entry_with_the_times_between_which_it_happened(
    history: History,
) -> None:
    see(history, "AB", at=0)
    see(history, "BC", at=10)
    (entry,) = history.all(HistoryFilter())
    (line,) = history.lines(HistoryFilter(), limit=9)
    request = entry.request
    result = entry.result
    assert request.item == ITEM
    assert request.kind == ChangeKind.OBSERVED
    assert request.person == ""
    assert request.base == frozenset("AB")
    assert request.add == frozenset("C")
    assert request.remove == frozenset("A")
    assert [(step.step.recipient_id, step.outcome) for step in entry.steps] == [
        ("C", Outcome.DONE),
        ("A", Outcome.DONE),
    ]
    assert result is not None
    assert result.verdict is Verdict.VERIFIED
    assert result.before == request.base
    assert result.after == frozenset("BC")
    assert entry.seen_before_at == minute(0)
    assert entry.started_at == minute(10)
    assert result.ended_at == minute(10)
    assert line.added_ids == frozenset("C")
    assert line.removed_ids == frozenset("A")


@pytest.mark.parametrize(
    ("reads", "changes"),
    [
        pytest.param([read_of("AB", at=0)], [], id="the first read"),
        pytest.param(
            [
                read_of("A", at=0),
                read_of("B", at=10),
                read_of("B", at=10),
                read_of("B", at=20),
            ],
            [("A", "B")],
            id="read several times",
        ),
        *(
            pytest.param(
                [
                    read_of(recipients, at=number * apart)
                    for number, recipients in enumerate("ABABABA")
                ],
                [("A", "B")],
                id=f"replicas in turn every {apart} minutes",
            )
            for apart in (0.0, 0.02, 0.5, 1.5)
        ),
        pytest.param(
            [
                read_of("A", at=0),
                read_of("B", at=10),
                read_of("A", at=11),
                read_of("A", at=13),
            ],
            [("A", "B"), ("B", "A")],
            id="changed back for longer than a replica lags",
        ),
        pytest.param(
            [read_of("A", at=0), read_of("B", at=10), read_of("C", at=10.1)],
            [("A", "B"), ("B", "C")],
            id="changed again at once",
        ),
        pytest.param(
            [read_of("A", at=0), read_of("B", at=10), read_of("A", at=11, asked_at=9)],
            [("A", "B")],
            id="requested before the last read",
        ),
    ],
)
def test_each_change_is_recorded_once(
    history: History, reads: Sequence[ReadItem], changes: Sequence[Change]
) -> None:
    for read in reads:
        history.seen.record_reads([read])
    assert observed(history) == changes


def test_an_unchanged_list_is_recorded_with_its_time(history: History) -> None:
    see(history, "A", at=0)
    see(history, "A", at=0.5)
    assert seen(history, ITEM) == [("A", 0)]
    see(history, "A", at=5)
    see(history, "B", at=6)
    assert [entry.seen_before_at for entry in history.all(OBSERVED)] == [minute(5)]


def test_a_change_that_two_processes_observe_at_once_is_one(
    records: Database, history: History
) -> None:
    see(history, "A", at=0)
    known = records.row(select(seen_list))
    see(history, "B", at=10)
    records.change(update(seen_list).values(known._asdict()))
    see(history, "B", at=10)
    assert observed(history) == [("A", "B")]


def is_read_back(result: SaveResult) -> SaveResult:
    return result


def is_not_read_back(result: SaveResult) -> SaveResult:
    return replace(result, verdict=Verdict.NOT_CONFIRMED, after=None)


@pytest.mark.parametrize("end", [is_read_back, is_not_read_back])
@pytest.mark.parametrize(
    ("meanwhile", "later"),
    [
        ([], [read_of("AB", at=10)]),
        ([], [read_of("A", at=1.05), read_of("AB", at=10)]),
        ([], [read_of("A", at=2), read_of("AB", at=2.5)]),
        ([read_of("AB", at=1)], [read_of("AB", at=10)]),
    ],
    ids=[
        "later",
        "shortly after it",
        "from a replica that lags for long",
        "while it is open",
    ],
)
@pytest.mark.parametrize("is_settled_later", [True, False])
def test_a_save_of_ours_is_not_a_change_made_elsewhere(
    history: History,
    end: Callable[[SaveResult], SaveResult],
    meanwhile: Sequence[ReadItem],
    later: Sequence[ReadItem],
    *,
    is_settled_later: bool,
) -> None:
    """It does not matter when the item is read, or which process settles the save.

    Note N11.
    """
    see(history, "A", at=0)
    result = begin(history, "k", at=1, before="A", add="B")
    for read in meanwhile:
        history.seen.record_reads([read])
    history.record_result("k", end(result), is_late=is_settled_later)
    for read in later:
        history.seen.record_reads([read])
    assert observed(history) == []


def test_the_read_before_a_save_records_changes_made_elsewhere(
    history: History,
) -> None:
    see(history, "A", at=0)
    save(history, "k", at=10, before="AX", add="B")
    kinds = [entry.request.kind for entry in history.all(HistoryFilter())]
    latest = history.latest(ITEM)
    assert latest is not None
    assert kinds == [ChangeKind.EDIT, ChangeKind.OBSERVED]
    assert observed(history) == [("A", "AX")]
    assert latest.request.key == "k"


def test_the_read_after_a_save_records_changes_made_meanwhile(history: History) -> None:
    result = begin(history, "k", at=1, before="A", add="B")
    history.record_result(
        "k", replace(result, after=frozenset("BX"), ended_at=minute(2))
    )
    (entry,) = history.all(OBSERVED)
    assert observed(history) == [("AB", "BX")]
    assert entry.seen_before_at == minute(1)
    assert entry.result.ended_at == minute(2)


def test_a_change_of_ours_with_unknown_outcome_is_not_attributed_to_others(
    history: History,
) -> None:
    result = begin(history, "k", at=1, before="A", add="B")
    steps = tuple(replace(step, outcome=Outcome.UNKNOWN) for step in result.steps)
    history.record_result(
        "k",
        replace(
            result, verdict=Verdict.NOT_CONFIRMED, steps=steps, after=frozenset("A")
        ),
    )
    see(history, "ABX", at=10)
    assert observed(history) == [("AB", "ABX")]


def test_seen_lists_belong_to_one_service(records: Database, history: History) -> None:
    elsewhere = History(records, service="test")
    see(history, "A", at=0)
    see(elsewhere, "B", at=10)
    assert list(History(records, service="test").all(HistoryFilter())) == []


def test_reads_are_saved_in_a_fixed_order_to_avoid_deadlocks(
    records: Database, history: History
) -> None:
    written: list[list[str]] = []

    def note(
        _connection: Connection,
        _statement: object,
        rows: list[dict[str, str]],
        *_: object,
    ) -> None:
        written.append([row.get("item_digest") or row["digest"] for row in rows])

    items = [read_of(name, at=0, item=ItemKey("S", name)) for name in "ABCDEFGH"]
    with records.write() as connection:
        engine = connection.engine
    event.listen(engine, "before_execute", note)
    history.seen.record_reads(items)
    event.remove(engine, "before_execute", note)
    lists, rows = (digests for digests in written if digests)
    assert lists == sorted(lists)
    assert rows == sorted(rows)


def test_reads_saved_together_equal_reads_saved_singly(history: History) -> None:
    items = [ItemKey("S", str(number)) for number in range(5)]
    history.seen.record_reads([read_of("AB", at=0, item=item) for item in items[:3]])
    begin(history, "open", at=1, item=items[3], before="AB", add="C")
    history.seen.record_reads(
        [
            read_of("AB", at=5, item=items[0]),
            read_of("BC", at=5, item=items[1]),
            read_of("AB", at=0.1, item=items[2]),
            read_of("X", at=5, item=items[3]),
            read_of("", at=5, item=items[4]),
        ]
    )
    assert observed(history) == [("AB", "BC")]
    assert seen(history, *items) == [
        ("AB", 5),
        ("BC", 5),
        ("AB", 0),
        ("AB", 1),
        ("", 5),
    ]


ODD = ItemKey("s\x00\ud800", "x" * 1_900)
FIRST = ItemKey("S", "1")
OTHER = ItemKey("S", "2")
FOREIGN = ItemKey("T", "1")


@pytest.fixture
def known(records: Database) -> ServiceRecords:
    elsewhere, known = (
        ServiceRecords(records, service=service, environment="default")
        for service in ("elsewhere", "default")
    )
    elsewhere.directory.remember([ItemKey("S", "9")])
    known.directory.remember([FIRST, OTHER, FOREIGN, ODD])
    return known


def test_a_known_item_that_was_never_read_is_not_an_empty_one(
    known: ServiceRecords,
) -> None:
    known.seen.record_reads([read_of("", at=1, item=OTHER)])
    known.seen.record_reads([read_of("A", at=2, item=FOREIGN)])
    unread, empty = known.seen.all("S")
    assert unread.recipients is None
    assert empty.recipients == frozenset()
    assert [item.recipients for item in known.seen.all("T")] == [frozenset("A")]
    assert [seen.item for seen in known.seen.all()] == [FIRST, OTHER, FOREIGN, ODD]


def test_some_lists_are_read_with_their_unknown_outcomes(known: ServiceRecords) -> None:
    result = begin(known.history, "k", item=FIRST, before="A", add="BC")
    unknown = replace(result.steps[1], outcome=Outcome.UNKNOWN)
    known.history.record_result("k", replace(result, steps=(result.steps[0], unknown)))
    known.seen.record_failures({OTHER: "Refused."})
    seen = SeenItem(
        item=FIRST, recipients=frozenset("ABC"), seen_at=START, unsure=frozenset("C")
    )
    assert known.seen.lists([FIRST, OTHER, FOREIGN]) == {FIRST: seen}


def test_lists_contain_only_the_requested_recipients(known: ServiceRecords) -> None:
    known.seen.record_reads([read_of("ABC", at=0, item=FIRST)])
    seen = known.seen.all("S", among=frozenset("BX"))
    assert [item.recipients for item in seen] == [frozenset("B"), None]


def test_recipients_are_counted_by_the_items_that_they_were_seen_on(
    known: ServiceRecords,
) -> None:
    for item, recipients in ((FIRST, "AB"), (OTHER, "AB"), (FOREIGN, "A")):
        known.seen.record_reads([read_of(recipients, at=0, item=item)])
    assert known.seen.count("S") == {"A": 2, "B": 2}
    assert known.seen.count() == {"A": 3, "B": 2}


def test_a_failed_read_is_reported_until_the_item_is_read_again(
    known: ServiceRecords,
) -> None:
    known.seen.record_reads([read_of("A", at=0, item=FIRST)])
    known.seen.record_failures({FIRST: "Refused.", OTHER: "Broken."})
    known.seen.record_failures({})
    first, second = known.seen.all("S")
    assert first.failure == "Refused."
    assert first.recipients == frozenset("A")
    assert first.seen_at == START
    assert second.failure == "Broken."
    assert second.recipients is None
    known.seen.record_reads([read_of("A", at=2, item=FIRST)])
    assert known.seen.all("S")[0].failure == ""


ONE_WAITS = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def shared(postgres_records_url: str) -> Iterator[Database]:
    with closing(open_database(postgres_records_url)) as opened:
        yield opened


@pytest.mark.peer
def test_a_save_that_waits_for_a_read_does_not_block_the_read(shared: Database) -> None:
    history = History(shared, service="default")
    save(history, "first", add="AB")
    result = begin(history, "second", before="AB", add="C")
    with ThreadPoolExecutor(1) as thread:
        with shared.write() as read:
            read.execute(select(seen_list).with_for_update())
            recording = thread.submit(history.record_result, "second", result)
            wait_until(lambda: read.scalar(ONE_WAITS))
            put_lists(read, [result.after])
        recording.result(60)
    assert history.open_saves() == ()
