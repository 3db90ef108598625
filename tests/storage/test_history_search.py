"""Finding entries: every filter, pages in both directions, and a search of the database that stays short."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.database import Database, open_records
from item_visibility.storage.history.saves import History
from item_visibility.storage.history.search import HistoryFilter, HistoryPage, HistorySearch
from tests.storage.entries import ITEM, OTHER_ITEM, begin, minute, save

EVERYTHING = HistoryFilter()
FILTERS = {
    "person": HistoryFilter(person="ann"),
    "supplier": HistoryFilter(supplier="4000001000005"),
    "item": HistoryFilter(supplier="4000001000005", supplier_item_id="04012345678901:276"),
    "recipient": HistoryFilter(recipient_id="A"),
    "verdict": HistoryFilter(verdict=Verdict.DIFFERS),
    "kind": HistoryFilter(kind=ChangeKind.UNDO),
    "time": HistoryFilter(since=minute(1), until=minute(2)),
}


def keys(page: HistoryPage) -> str:
    """The keys of a page in their order; in these tests each is one letter."""
    return "".join(line.key for line in page.lines)


def test_a_line_tells_a_save_in_short(history: History, search: HistorySearch) -> None:
    """The real changes are counted."""
    result = begin(history, "k", at=1, before="AB", add="CD", remove="A", person="eve")
    refused = replace(result.steps[0], outcome=Outcome.REFUSED)
    history.settle("k", replace(result, verdict=Verdict.DIFFERS, steps=(refused, *result.steps[1:])))
    (line,) = search.newest(EVERYTHING, limit=9).lines
    assert (line.key, line.item, line.person, line.kind) == ("k", ITEM, "eve", ChangeKind.EDIT)
    assert (line.started_at, line.ended_at, line.verdict) == (minute(1), minute(1), Verdict.DIFFERS)
    assert (line.reason, line.was_settled_later, line.added, line.removed) == ("", False, 1, 1)


def test_an_open_save_has_no_end_and_no_changes_yet(history: History, search: HistorySearch) -> None:
    """Nobody knows how it ended."""
    begin(history, "k", add="A")
    (line,) = search.newest(EVERYTHING, limit=9).lines
    assert (line.ended_at, line.verdict, line.added) == (None, None, 0)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (EVERYTHING, "edcba"),
        (HistoryFilter(person="eve"), "ba"),
        (HistoryFilter(person="nobody"), ""),
        (HistoryFilter(supplier="S"), "c"),
        (HistoryFilter(supplier=ITEM.supplier), "edba"),
        (HistoryFilter(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id), "eba"),
        (HistoryFilter(supplier_item_id=ITEM.supplier_item_id), "edcba"),
        (HistoryFilter(recipient_id="A"), "eda"),
        (HistoryFilter(recipient_id="A", person="ann", since=minute(4)), "e"),
        (HistoryFilter(verdict=Verdict.DIFFERS), "b"),
        (HistoryFilter(is_open=True), "e"),
        (HistoryFilter(kind=ChangeKind.UNDO), "d"),
        (HistoryFilter(since=minute(2)), "edc"),
        (HistoryFilter(until=minute(2)), "ba"),
        (HistoryFilter(since=minute(1), until=minute(3)), "cb"),
    ],
)
def test_a_filter_finds_what_it_names(
    records: Database, history: History, search: HistorySearch, wanted: HistoryFilter, found: str
) -> None:
    """Of this service, newest first."""
    elsewhere = History(records, service="test")
    save(elsewhere, "x", at=2, add="A", person="eve")
    save(history, "a", at=0, add="A", person="eve")
    result = begin(history, "b", at=1, before="A", add="B", person="eve")
    history.settle("b", replace(result, verdict=Verdict.DIFFERS))
    save(history, "c", at=2, item=ItemKey("S", "I"), add="C")
    save(history, "d", at=3, item=OTHER_ITEM, add="A", kind=ChangeKind.UNDO)
    begin(history, "e", at=4, before="AB", remove="A")
    assert keys(search.newest(wanted, limit=9)) == found
    assert "".join(entry.request.key for entry in search.all(wanted)) == found


@pytest.mark.parametrize("wanted", [EVERYTHING, HistoryFilter(recipient_id="A")])
def test_pages_go_on_where_the_last_one_ended(
    history: History, search: HistorySearch, wanted: HistoryFilter
) -> None:
    """Towards older and newer ones, also among entries of the same time."""
    for number, key in enumerate("abcdefg"):
        save(history, key, at=number // 3, item=ItemKey("S", key), add="A")
    first = search.newest(wanted, limit=3)
    second = search.older(wanted, than="e", limit=3)
    last = search.older(wanted, than="b", limit=3)
    assert [keys(page) for page in (first, second, last)] == ["gfe", "dcb", "a"]
    assert [(page.newer_than, page.older_than) for page in (first, second, last)] == [
        (None, "e"),
        ("d", "b"),
        ("a", None),
    ]
    assert search.newer(wanted, than="a", limit=3) == second
    assert search.newer(wanted, than="d", limit=3) == first


def test_after_the_last_entry_there_is_an_empty_page(history: History, search: HistorySearch) -> None:
    """From there the way back is known."""
    save(history, "a", add="A")
    assert search.older(EVERYTHING, than="a", limit=3) == HistoryPage(newer_than="a")


def test_a_page_that_is_cut_at_an_entry_that_is_gone_begins_anew(
    history: History, search: HistorySearch
) -> None:
    """The address of a page outlives its entries."""
    save(history, "a", add="A")
    assert keys(search.older(EVERYTHING, than="gone", limit=3)) == "a"
    assert keys(search.newer(EVERYTHING, than="gone", limit=3)) == "a"


def test_all_entries_come_however_many_there_are(
    history: History, search: HistorySearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Piece by piece, each entry once."""
    monkeypatch.setattr("item_visibility.storage.history.search.PIECE", 2)
    for key in "abcde":
        save(history, key, item=ItemKey("S", key), add="A")
    assert "".join(entry.request.key for entry in search.all(EVERYTHING)) == "edcba"
    assert "".join(entry.request.key for entry in search.all(HistoryFilter(until=minute(0)))) == ""


def test_what_later_entries_changed_is_known(history: History, search: HistorySearch) -> None:
    """Done here or elsewhere, on this item, after this entry."""
    save(history, "a", at=0, add="AB")
    save(history, "b", at=1, before="AB", remove="A")
    save(history, "c", at=1, item=OTHER_ITEM, add="B")
    result = begin(history, "d", at=9, before="BX", add="Y")
    history.settle("d", replace(result, steps=(replace(result.steps[0], outcome=Outcome.REFUSED),)))
    assert search.changed_since("a") == {"A", "X"}
    assert search.changed_since("b") == {"X"}
    assert search.changed_since("gone") == frozenset()


@pytest.mark.parametrize("name", FILTERS)
def test_an_index_leads_to_every_page(sqlite_url: str, name: str) -> None:
    """SQLite reads the rows that it shows, and no others: it scans no table, and sorts nothing."""
    plan = plan_of_older_page(sqlite_url, FILTERS[name], explained="EXPLAIN QUERY PLAN", column="detail")
    assert {step.partition(" USING ")[0] for step in plan} <= {"SEARCH history", "SEARCH history_step"}


@pytest.mark.peer
@pytest.mark.parametrize("name", FILTERS)
def test_an_index_leads_to_every_page_on_postgresql(postgres_url: str, name: str) -> None:
    """PostgreSQL can do the same: told to avoid scans and sorts, which few rows invite to, it needs none."""
    plan = plan_of_older_page(
        postgres_url,
        FILTERS[name],
        "SET LOCAL enable_seqscan = off",
        "SET LOCAL enable_bitmapscan = off",
        "SET LOCAL enable_sort = off",
        explained="EXPLAIN",
        column="QUERY PLAN",
    )
    assert [step for step in plan if "Seq Scan" in step or "Sort" in step] == []


def plan_of_older_page(
    url: str, wanted: HistoryFilter, *settings: str, explained: str, column: str
) -> list[str]:
    """The database's plan for one page of the history."""
    database = open_records(url)
    save(History(database, service="default"), "k", add="A")
    asked: list[tuple[str, tuple[object, ...]]] = []
    with database.read() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", lambda *call: asked.append((call[2], call[3])))
    HistorySearch(database, service="default").older(wanted, than="k", limit=50)
    statement, values = next(one for one in asked if "LIMIT" in one[0])
    with database.read() as connection:
        for setting in settings:
            connection.exec_driver_sql(setting)
        plan = connection.exec_driver_sql(f"{explained} {statement}", values).scalars(column).all()
    database.close()
    return list(plan)
