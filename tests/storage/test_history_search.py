"""Searches in the history use only indexes: pages, jobs, one recipient of an item."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeKind, Goal
from item_visibility.model.outcome import Outcome, Verdict
from item_visibility.model.read_item import ReadItem
from item_visibility.storage import history as history_module
from item_visibility.storage.database import Database
from item_visibility.storage.history import History, HistoryFilter
from tests.storage.entries import ITEM, OTHER_ITEM, begin, minute, save

EVERYTHING = HistoryFilter()
FILTERS = {
    "person": HistoryFilter(person="ann"),
    "supplier": HistoryFilter(supplier="4000001000005"),
    "item": HistoryFilter(item=ItemKey("4000001000005", "04012345678901:276")),
    "recipient": HistoryFilter(recipient_id="A"),
    "verdict": HistoryFilter(verdict=Verdict.DIFFERS),
    "kind": HistoryFilter(kind=ChangeKind.UNDO),
    "time": HistoryFilter(since=minute(1), until=minute(2)),
}


def keys(history: History, wanted: HistoryFilter, *, limit: int = 9) -> str:
    """Return the keys of the entries found, in order.

    In these tests, each key is one letter.
    """
    return "".join(line.key for line in history.lines(wanted, limit=limit))


def test_a_line_counts_and_names_the_real_changes(history: History) -> None:
    result = begin(
        history, "k", at=1, before="AB", add="CDEFG", remove="A", person="eve"
    )
    refused = replace(result.steps[0], outcome=Outcome.REFUSED)
    history.record_result(
        "k",
        replace(result, verdict=Verdict.DIFFERS, steps=(refused, *result.steps[1:])),
    )
    (line,) = history.lines(EVERYTHING, limit=9)
    assert line.key == "k"
    assert line.item == ITEM
    assert line.person == "eve"
    assert line.kind == ChangeKind.EDIT
    assert line.started_at == minute(1)
    assert line.ended_at == minute(1)
    assert line.verdict is Verdict.DIFFERS
    assert line.added == 4
    assert line.added_ids == frozenset("DEF")
    assert line.removed == 1
    assert line.removed_ids == frozenset("A")


def test_a_filter_finds_what_it_names(records: Database, history: History) -> None:
    expected = {
        EVERYTHING: "edcba",
        HistoryFilter(person="eve"): "ba",
        HistoryFilter(person="nobody"): "",
        HistoryFilter(supplier="S"): "c",
        HistoryFilter(supplier=ITEM.supplier): "edba",
        HistoryFilter(item=ITEM): "eba",
        HistoryFilter(recipient_id="A"): "eda",
        HistoryFilter(recipient_id="A", person="ann", since=minute(4)): "e",
        HistoryFilter(verdict=Verdict.DIFFERS): "b",
        HistoryFilter(is_open=True): "e",
        HistoryFilter(kind=ChangeKind.UNDO): "d",
        HistoryFilter(since=minute(2)): "edc",
        HistoryFilter(until=minute(2)): "ba",
        HistoryFilter(since=minute(1), until=minute(3)): "cb",
    }
    save(History(records, service="test"), "x", at=2, add="A", person="eve")
    save(history, "a", at=0, add="A", person="eve")
    result = begin(history, "b", at=1, before="A", add="B", person="eve")
    history.record_result("b", replace(result, verdict=Verdict.DIFFERS))
    save(history, "c", at=2, item=ItemKey("S", "I"), add="C")
    save(history, "d", at=3, item=OTHER_ITEM, add="A", kind=ChangeKind.UNDO)
    begin(history, "e", at=4, before="AB", remove="A")
    whole = {
        wanted: "".join(entry.request.key for entry in history.all(wanted))
        for wanted in expected
    }
    assert {wanted: keys(history, wanted) for wanted in expected} == expected
    assert whole == expected


@pytest.mark.parametrize("wanted", [EVERYTHING, HistoryFilter(recipient_id="A")])
def test_entries_come_newest_first(
    history: History, monkeypatch: pytest.MonkeyPatch, wanted: HistoryFilter
) -> None:
    monkeypatch.setattr(history_module, "BATCH", 2)
    for number, key in enumerate("abcdefg"):
        save(history, key, at=number // 3, item=ItemKey("S", key), add="A")
    assert [keys(history, wanted, limit=limit) for limit in (3, 9)] == [
        "gfe",
        "gfedcba",
    ]
    assert "".join(entry.request.key for entry in history.all(wanted)) == "gfedcba"


def test_an_entry_knows_what_later_entries_changed(history: History) -> None:
    save(history, "a", at=0, add="AB")
    save(history, "b", at=1, before="AB", remove="A")
    save(history, "c", at=1, item=OTHER_ITEM, add="B")
    result = begin(history, "d", at=9, before="BX", add="Y")
    history.record_result(
        "d", replace(result, steps=(replace(result.steps[0], outcome=Outcome.REFUSED),))
    )
    assert history.changed_since("a") == {"A", "X"}
    assert history.changed_since("b") == {"X"}
    assert history.changed_since("gone") == frozenset()


@pytest.mark.parametrize("name", FILTERS)
def test_an_index_leads_to_the_entries(
    records: Database, history: History, name: str
) -> None:
    save(history, "k", add="A")
    plan = plan_of(records, lambda: history.lines(FILTERS[name], limit=50))
    assert without_index(plan) == []


def saves_of(history: History, *job_keys: str) -> list[tuple[str, set[str]]]:
    return [
        (entry.request.key, set(changed))
        for entry, changed in history.of_jobs(job_keys)
    ]


def test_a_search_for_a_job_finds_only_its_saves(
    records: Database, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "BATCH", 2)
    save(History(records, service="elsewhere"), "job:0:1", add="X")
    for key in (
        "job:1:1",
        "job:0:2",
        "job:0:1",
        "job",
        "jo",
        "job-2:0:1",
        "job;0:1",
        "job2:0:1",
    ):
        save(history, key, add="A")
    assert [key for key, _ in saves_of(history, "job")] == [
        "job:0:1",
        "job:0:2",
        "job:1:1",
    ]
    assert saves_of(history, "job-3") == []


def test_changes_that_others_made_after_a_save_are_reported(history: History) -> None:
    save(history, "before", at=0, before="", add="A")
    save(history, "job:0:1", at=1, before="A", add="BCD")
    save(history, "job:0:2", at=2, before="ABCD", add="E")
    save(history, "other-item", at=3, item=OTHER_ITEM, before="", add="B")
    save(history, "edit", at=4, before="ABCDE", remove="C")
    seen = ReadItem(
        item=ITEM, recipients=frozenset("ABE"), asked_at=minute(9), read_at=minute(9)
    )
    history.seen.record_reads([seen])
    assert saves_of(history, "job") == [
        ("job:0:1", {"C", "D"}),
        ("job:0:2", {"C", "D"}),
    ]


def test_changes_of_a_job_and_its_retries_are_not_changes_of_others(
    history: History,
) -> None:
    save(history, "job:0:1", at=1, before="A", add="BC")
    save(history, "retry:0:1", at=2, before="ABC", remove="B")
    save(history, "edit", at=3, before="AC", remove="C")
    assert saves_of(history, "job", "retry") == [
        ("job:0:1", {"C"}),
        ("retry:0:1", {"C"}),
    ]


def test_a_step_is_found_with_its_entry_and_outcome(history: History) -> None:
    result = begin(
        history, "k", at=1, before="AB", add="C", person="eve", kind=ChangeKind.UNDO
    )
    refused = replace(result.steps[0], outcome=Outcome.REFUSED, message="It said no.")
    history.record_result(
        "k", replace(result, verdict=Verdict.DIFFERS, steps=(refused,))
    )
    (step,) = history.steps(ITEM, "C", limit=9)
    assert step.goal == Goal.VISIBLE
    assert step.outcome == Outcome.REFUSED
    assert step.message == "It said no."
    assert step.key == "k"
    assert step.person == "eve"
    assert step.verdict is Verdict.DIFFERS


def test_the_newest_steps_of_one_pair_come_first(
    records: Database, history: History
) -> None:
    save(history, "a", at=1, add="C")
    save(history, "b", at=2, before="C", remove="C")
    save(history, "c", at=3, add="D")
    save(history, "d", at=4, item=OTHER_ITEM, add="C")
    assert [step.key for step in history.steps(ITEM, "C", limit=9)] == ["b", "a"]
    assert [step.key for step in history.steps(ITEM, "C", limit=1)] == ["b"]
    assert History(records, service="another").steps(ITEM, "C", limit=9) == ()


_EXPLAIN = {
    "sqlite": ("EXPLAIN QUERY PLAN", "detail"),
    "postgresql": ("EXPLAIN", "QUERY PLAN"),
}
_ANY_INDEX = ("enable_seqscan", "enable_bitmapscan", "enable_sort")
"""What PostgreSQL prefers to an index while a table has few rows.

The test turns it off.
"""
_WITHOUT_INDEX = ("SCAN", "TEMP B-TREE", "Seq Scan", "Sort")


def plan_of(database: Database, use: Callable[[], object]) -> list[str]:
    queries: list[tuple[str, tuple[object, ...]]] = []
    with database.read() as connection:
        engine = connection.engine

    def note(*call: Any) -> None:  # noqa: ANN401  (SQLAlchemy's types)
        queries.append((call[2], call[3]))

    event.listen(engine, "before_cursor_execute", note)
    use()
    event.remove(engine, "before_cursor_execute", note)
    statement, values = next(query for query in queries if "LIMIT" in query[0])
    explain, column = _EXPLAIN[engine.dialect.name]
    with database.read() as connection:
        for name in _ANY_INDEX if engine.dialect.name == "postgresql" else ():
            connection.exec_driver_sql(f"SET LOCAL {name} = off")
        return list(
            connection.exec_driver_sql(f"{explain} {statement}", values).scalars(column)
        )


def without_index(plan: list[str]) -> list[str]:
    return [step for step in plan if any(word in step for word in _WITHOUT_INDEX)]
