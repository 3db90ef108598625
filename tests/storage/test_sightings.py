"""Changes made elsewhere: noticed when a read shows them, and never taken for one's own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import Connection, create_engine, event, select, update

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, SaveResult, StepResult, Verdict
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.saving.request import ChangeKind, ChangeRequest, Origin
from item_visibility.storage.database import Database
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.search import HistoryFilter, HistorySearch
from item_visibility.storage.history.tables import seen_list
from item_visibility.storage.recipient_lists import recipient_list
from item_visibility.storage.seen_lists import ReadItem
from tests.storage.entries import ITEM, begin, minute, save

OBSERVED = HistoryFilter(kind=ChangeKind.OBSERVED)
SeenRows = Callable[[], set[tuple[str, str, datetime]]]


@pytest.fixture
def seen_rows(records_url: str) -> Iterator[SeenRows]:
    """The lists seen: the items' own ids, their recipients, and when they were seen."""
    engine = create_engine(records_url)
    query = select(seen_list.c.supplier_item_id, recipient_list.c.recipients, seen_list.c.seen_at).join(
        recipient_list, recipient_list.c.digest == seen_list.c.list_digest
    )

    def rows() -> set[tuple[str, str, datetime]]:
        with engine.connect() as connection:
            found = connection.execute(query).all()
        return {(item_id, "".join(sorted(recipients)), seen_at) for item_id, recipients, seen_at in found}

    yield rows
    engine.dispose()


def see(history: History, recipients: Iterable[str], *, at: float, asked_at: float | None = None) -> None:
    """A read that shows these recipients at that minute."""
    sighting = ReadItem(
        item=ITEM,
        recipients=frozenset(recipients),
        asked_at=minute(at if asked_at is None else asked_at),
        read_at=minute(at),
    )
    history.seen.note_reads([sighting])


def observed(search: HistorySearch) -> list[tuple[set[str], set[str]]]:
    """Changes seen to be made elsewhere, oldest first: the lists before and after."""
    found = list(search.all(OBSERVED))[::-1]
    return [(set(entry.request.base or ()), set(entry.result.after or ())) for entry in found]


def test_a_change_made_elsewhere_is_kept_with_the_times_between_which_it_happened(
    history: History, search: HistorySearch
) -> None:
    """Nobody knows by whom; every recipient of it is a step."""
    see(history, "AB", at=0)
    see(history, "BC", at=10)
    (entry,) = search.all(HistoryFilter())
    steps = (
        StepResult(ChangeStep("C", Goal.VISIBLE), Outcome.DONE),
        StepResult(ChangeStep("A", Goal.NOT_VISIBLE), Outcome.DONE),
    )
    assert entry == HistoryEntry(
        service="default",
        request=ChangeRequest(
            key=entry.request.key,
            item=ITEM,
            base=frozenset("AB"),
            add=frozenset("C"),
            remove=frozenset("A"),
            person="",
            origin=Origin(kind=ChangeKind.OBSERVED),
        ),
        started_at=minute(10),
        steps=steps,
        result=SaveResult(
            item=ITEM,
            verdict=Verdict.VERIFIED,
            steps=steps,
            before=frozenset("AB"),
            after=frozenset("BC"),
            started_at=minute(10),
            ended_at=minute(10),
        ),
        seen_before_at=minute(0),
    )


def test_the_first_sight_of_a_list_tells_no_change(history: History, search: HistorySearch) -> None:
    """There is nothing to compare it with."""
    see(history, "AB", at=0)
    assert observed(search) == []


def test_a_list_that_stays_is_noted_with_its_time(history: History, search: HistorySearch) -> None:
    """Once a minute at most: the time between gets no longer than it must."""
    see(history, "A", at=0)
    see(history, "A", at=0.5)
    see(history, "A", at=5)
    see(history, "B", at=6)
    assert [entry.seen_before_at for entry in search.all(OBSERVED)] == [minute(5)]


def test_a_change_is_observed_once(history: History, search: HistorySearch) -> None:
    """Many may read it."""
    see(history, "A", at=0)
    see(history, "B", at=10)
    see(history, "B", at=10)
    see(history, "B", at=20)
    assert observed(search) == [({"A"}, {"B"})]


def test_a_change_that_two_processes_observe_at_once_is_one(
    history: History, search: HistorySearch, records_url: str
) -> None:
    """Both knew the list of before when they saw the new one."""
    engine = create_engine(records_url)
    see(history, "A", at=0)
    with engine.begin() as connection:
        known = connection.execute(select(seen_list)).one()._asdict()
    see(history, "B", at=10)
    with engine.begin() as connection:
        connection.execute(update(seen_list).values(known))
    see(history, "B", at=10)
    engine.dispose()
    assert observed(search) == [({"A"}, {"B"})]


@pytest.mark.parametrize("apart", [0.0, 0.02, 0.5, 1.5], ids="every {} minutes".format)
def test_replicas_that_answer_in_turn_show_one_change(
    history: History, search: HistorySearch, apart: float
) -> None:
    """One has it, the other lags behind: seven reads, one change."""
    [see(history, recipients, at=number * apart) for number, recipients in enumerate("ABABABA")]
    assert observed(search) == [({"A"}, {"B"})]


def test_replicas_that_answer_many_reads_in_turn_show_one_change(
    history: History, search: HistorySearch
) -> None:
    """As one by one."""
    [
        history.seen.note_reads([sight(recipients, at=number * 1.5)])
        for number, recipients in enumerate("ABBABBA")
    ]
    assert observed(search) == [({"A"}, {"B"})]


def test_a_list_that_is_back_and_stays_is_told(history: History, search: HistorySearch) -> None:
    """Somebody took the change back: it is believed when the list as it was told is not seen any more."""
    see(history, "A", at=0)
    see(history, "B", at=10)
    see(history, "A", at=11)
    see(history, "A", at=13)
    assert observed(search) == [({"A"}, {"B"}), ({"B"}, {"A"})]


def test_another_list_is_told_at_once(history: History, search: HistorySearch) -> None:
    """It is no answer of a replica that lags."""
    see(history, "A", at=0)
    see(history, "B", at=10)
    see(history, "C", at=10.1)
    assert observed(search) == [({"A"}, {"B"}), ({"B"}, {"C"})]


def test_a_replica_that_lags_long_behind_a_save_shows_no_change(
    history: History, search: HistorySearch
) -> None:
    """It shows what was before the save, for longer than most do."""
    save(history, "k", at=1, before="A", add="B")
    see(history, "A", at=2)
    see(history, "AB", at=2.5)
    assert observed(search) == []


def test_a_save_here_is_not_observed(history: History, search: HistorySearch) -> None:
    """A read after it shows what the save left."""
    see(history, "A", at=0)
    save(history, "k", at=1, before="A", add="B")
    see(history, "AB", at=10)
    assert observed(search) == []


def test_the_read_before_a_save_shows_what_was_changed_elsewhere(
    history: History, search: HistorySearch
) -> None:
    """It comes before the save in the history."""
    see(history, "A", at=0)
    save(history, "k", at=10, before="AX", add="B")
    assert [entry.request.origin.kind for entry in search.all(HistoryFilter())] == [
        ChangeKind.EDIT,
        ChangeKind.OBSERVED,
    ]
    assert observed(search) == [({"A"}, {"A", "X"})]


def test_the_read_after_a_save_shows_what_others_did_meanwhile(
    history: History, search: HistorySearch
) -> None:
    """Only what the save was not asked for."""
    result = begin(history, "k", at=1, before="A", add="B")
    history.settle("k", replace(result, after=frozenset("BX"), ended_at=minute(2)))
    (entry,) = search.all(OBSERVED)
    assert (entry.request.base, entry.result.after) == (frozenset("AB"), frozenset("BX"))
    assert (entry.seen_before_at, entry.result.ended_at) == (minute(1), minute(2))


def test_nothing_is_concluded_while_a_save_is_open(history: History, search: HistorySearch) -> None:
    """A read may show half of it then."""
    see(history, "A", at=0)
    result = begin(history, "k", at=1, before="A", add="BC")
    see(history, "AB", at=2)
    history.settle("k", replace(result, ended_at=minute(3)))
    see(history, "ABC", at=10)
    assert observed(search) == []


def test_a_read_that_lags_behind_a_save_is_no_change_elsewhere(
    history: History, search: HistorySearch
) -> None:
    """Some seconds after it. Note N11."""
    save(history, "k", at=1, before="A", add="B")
    see(history, "A", at=1.05)
    see(history, "AB", at=10)
    assert observed(search) == []


def test_a_read_older_than_what_is_known_is_no_change_elsewhere(
    history: History, search: HistorySearch
) -> None:
    """It was asked for before the list was seen as it is."""
    see(history, "A", at=0)
    see(history, "B", at=10)
    see(history, "A", at=11, asked_at=9)
    assert observed(search) == [({"A"}, {"B"})]


def test_a_change_of_ours_that_was_in_doubt_is_nobody_elses(history: History, search: HistorySearch) -> None:
    """A save that was not confirmed, and that a later read shows; what else changed is told."""
    result = begin(history, "k", at=1, before="A", add="B")
    steps = tuple(replace(step, outcome=Outcome.UNKNOWN) for step in result.steps)
    history.settle("k", replace(result, verdict=Verdict.NOT_CONFIRMED, steps=steps, after=frozenset("A")))
    see(history, "ABX", at=10)
    assert observed(search) == [({"A", "B"}, {"A", "B", "X"})]


def test_a_save_that_could_not_be_read_back_is_taken_at_its_word(
    history: History, search: HistorySearch
) -> None:
    """Accepted changes count as seen."""
    result = begin(history, "k", at=1, before="A", add="B")
    history.settle("k", replace(result, verdict=Verdict.NOT_CONFIRMED, after=None))
    see(history, "AB", at=10)
    assert observed(search) == []


def test_an_interrupted_save_that_a_read_found_is_not_observed(
    history: History, search: HistorySearch
) -> None:
    """It is settled later, and the history says so."""
    result = begin(history, "k", at=1, before="A", add="B")
    history.settle_open("k", replace(result, ended_at=minute(30)))
    see(history, "AB", at=40)
    entry = history.entry("k")
    assert entry is not None
    assert entry.was_settled_later
    assert observed(search) == []


def test_what_is_seen_belongs_to_one_environment(records: Database, history: History) -> None:
    """The same item elsewhere has another list."""
    elsewhere = History(records, service="test")
    see(history, "A", at=0)
    see(elsewhere, "B", at=10)
    assert list(HistorySearch(records, service="test").all(HistoryFilter())) == []


def test_an_observed_change_is_not_the_latest_save(history: History) -> None:
    """The item page shows, and takes back, what was saved here."""
    save(history, "k", at=1, before="A", add="B")
    see(history, "AX", at=10)
    latest = history.latest(ITEM)
    assert latest is not None
    assert latest.request.key == "k"


def sight(recipients: str, *, at: float, item: ItemKey = ITEM) -> ReadItem:
    """A read that shows these recipients at that minute."""
    return ReadItem(item=item, recipients=frozenset(recipients), asked_at=minute(at), read_at=minute(at))


def test_many_reads_are_saved_in_one_order_whoever_saves(records: Database, history: History) -> None:
    """Of two scans that lock the same rows in turn, PostgreSQL ends one."""
    written: list[list[str]] = []

    def note(_connection: Connection, _statement: object, rows: list[dict[str, str]], *_: object) -> None:
        written.append([row.get("item_digest") or row["digest"] for row in rows])

    items = [sight(name, at=0, item=ItemKey("S", name)) for name in "ABCDEFGH"]
    with records.write() as connection:
        engine = connection.engine
    event.listen(engine, "before_execute", note)
    history.seen.note_every_read(items)
    event.remove(engine, "before_execute", note)
    lists, seen = (digests for digests in written if digests)
    assert (lists, seen) == (sorted(lists), sorted(seen))


def test_many_reads_at_once_are_as_each_by_itself(
    history: History, search: HistorySearch, seen_rows: SeenRows
) -> None:
    """New lists, lists that stay, that change, that are fresh, and lists of items that are being saved."""
    items = [ItemKey("S", str(number)) for number in range(5)]
    history.seen.note_reads([sight("AB", at=0, item=item) for item in items[:3]])
    begin(history, "open", at=1, item=items[3], before="AB", add="C")
    history.seen.note_reads(
        [
            sight("AB", at=5, item=items[0]),
            sight("BC", at=5, item=items[1]),
            sight("AB", at=0.1, item=items[2]),
            sight("X", at=5, item=items[3]),
            sight("", at=5, item=items[4]),
        ]
    )
    assert observed(search) == [({"A", "B"}, {"B", "C"})]
    assert seen_rows() == {
        ("0", "AB", minute(5)),
        ("1", "BC", minute(5)),
        ("2", "AB", minute(0)),
        ("3", "AB", minute(1)),
        ("4", "", minute(5)),
    }


def test_reads_that_show_nothing_new_write_nothing(history: History, seen_rows: SeenRows) -> None:
    """They do not wait for a writer either."""
    history.seen.note_reads([sight("AB", at=0)])
    history.seen.note_reads([sight("AB", at=0.5)])
    assert {row[2] for row in seen_rows()} == {minute(0)}


@pytest.mark.parametrize("is_read_back", [True, False])
def test_many_reads_shortly_after_a_save_conclude_nothing(
    history: History, search: HistorySearch, *, is_read_back: bool
) -> None:
    """They may lag behind it, or its outcome is in doubt."""
    result = begin(history, "ours", at=0, before="A", add="B")
    history.settle("ours", result if is_read_back else replace(result, after=None))
    history.seen.note_reads([sight("A", at=0.01)])
    assert observed(search) == []
