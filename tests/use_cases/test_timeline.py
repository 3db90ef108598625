"""The history, told over time."""

from dataclasses import replace
from datetime import UTC, date, timedelta, timezone

from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import SaveResult, Verdict
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.storage.history.search import Mark
from item_visibility.use_cases.history.timeline import Span, WeekCount, count_weeks, spans_of
from tests.storage.entries import ITEM, minute

REQUEST = ChangeRequest(
    key="k",
    item=ITEM,
    base=frozenset("AB"),
    add=frozenset("C"),
    remove=frozenset("B"),
    person="ann",
)
RESULT = SaveResult(
    item=ITEM,
    verdict=Verdict.VERIFIED,
    after=frozenset("AC"),
    started_at=minute(0),
    ended_at=minute(1),
)
ENTRY = HistoryEntry(service="", request=REQUEST, started_at=minute(0), steps=(), result=RESULT)


def test_spans_say_since_when_and_until_when() -> None:
    """A span from before the first entry has no beginning, one that goes on after the last has no end."""
    later = replace(
        ENTRY,
        request=replace(REQUEST, base=frozenset("AC")),
        started_at=minute(9),
        result=replace(RESULT, ended_at=minute(10), after=frozenset("AB")),
    )
    assert spans_of([ENTRY, later]) == (
        Span("A", None, None),
        Span("B", None, minute(1)),
        Span("B", minute(10), None),
        Span("C", minute(1), minute(10)),
    )


def test_a_list_that_was_not_read_says_nothing() -> None:
    """An open entry, and one that could not be read back."""
    opened = replace(ENTRY, result=None)
    unread = replace(ENTRY, result=replace(RESULT, after=None))
    assert spans_of([opened, unread]) == (Span("A", None, None), Span("B", None, None))


def test_a_list_that_differs_from_the_one_before_is_taken_as_it_was_read() -> None:
    """Between two entries something may have been changed that nobody saw."""
    x = frozenset("X")
    result = replace(RESULT, ended_at=minute(10), after=x)
    later = replace(ENTRY, request=replace(REQUEST, base=x), started_at=minute(9), result=result)
    assert Span("X", minute(9), None) in spans_of([ENTRY, later])


def test_without_entries_there_are_no_spans() -> None:
    """Nothing is on record."""
    assert spans_of([]) == ()


def test_changes_are_counted_by_week_kind_and_person() -> None:
    """A week begins on Monday, in the time zone of who looks."""
    sunday = minute(0) + timedelta(days=1, hours=9.5)
    marks = [
        Mark(minute(0), ChangeKind.EDIT, "ann"),
        Mark(minute(0), ChangeKind.EDIT, "ann"),
        Mark(minute(0), ChangeKind.UNDO, "eve"),
        Mark(sunday, ChangeKind.EDIT, "ann"),
    ]
    assert count_weeks(marks, zone=UTC) == (
        WeekCount(date(2026, 11, 16), ChangeKind.EDIT, "ann", 3),
        WeekCount(date(2026, 11, 16), ChangeKind.UNDO, "eve", 1),
    )
    ahead = timezone(timedelta(hours=2))
    assert count_weeks(marks[3:], zone=ahead) == (WeekCount(date(2026, 11, 23), ChangeKind.EDIT, "ann", 1),)
