"""End dates on record: who they belong to, and when they are over."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from item_visibility.changes.end_date import EndDate
from item_visibility.changes.outcome import StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import ChangeStep, Goal
from item_visibility.records.database.connecting import Database
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.sightings import Sighting
from item_visibility.records.reviews import stored_end_dates
from item_visibility.records.reviews.stored_end_dates import EndDates
from tests.records.entries import ITEM, OTHER_ITEM, begin, minute, save

TODAY = date(2026, 11, 21)
YESTERDAY = TODAY - timedelta(days=1)
A_DAY = 24 * 60
ODD = "\x00\ud800" + "y" * 5_000


def until(last_day: date, recipient_id: str = "A", *, at: float = 0, item: object = ITEM) -> EndDate:
    """An end date that was set at that minute."""
    return EndDate(
        item=item,  # type: ignore[arg-type]  (one of the two items)
        recipient_id=recipient_id,
        last_day=last_day,
        set_by="ann",
        set_at=minute(at),
    )


def a_read(*recipients: str, at: float) -> Sighting:
    """A read of the item at that minute."""
    return Sighting(item=ITEM, recipients=frozenset(recipients), asked_at=minute(at), seen_at=minute(at))


@pytest.fixture
def dates(records: Database) -> EndDates:
    """The end dates of one service."""
    return EndDates(records, service="default")


def put(dates: EndDates, *some: EndDate) -> None:
    """Set them, as a person who can see the recipients in the list."""
    dates.put(some, set_by_key="issuer ann")


def plan(dates: EndDates, key: str, *some: EndDate) -> None:
    """Plan them with the save of this key."""
    dates.plan(some, set_by_key="issuer ann", save_key=key)


def test_an_end_date_reads_as_it_was_set(dates: EndDates) -> None:
    """Any id will do; the last date set counts, the first day comes first."""
    put(dates, until(TODAY, ODD), until(TODAY))
    put(dates, until(YESTERDAY, ODD, at=1), until(YESTERDAY, item=OTHER_ITEM))
    assert dates.of_item(ITEM) == (until(YESTERDAY, ODD, at=1), until(TODAY))


def test_those_that_have_come_are_counted_and_listed(dates: EndDates) -> None:
    """A last day is not over before the next one begins."""
    put(dates, until(YESTERDAY), until(TODAY, "B"))
    assert (dates.count_before(YESTERDAY), dates.count_before(TODAY)) == (0, 1)
    assert dates.before(TODAY, limit=5) == (until(YESTERDAY),)
    assert dates.due_of(ITEM, TODAY) == {"A"}


def test_a_removed_end_date_is_none(dates: EndDates) -> None:
    """Others stay; what is not there is not counted."""
    put(dates, until(TODAY), until(TODAY, "B"))
    assert dates.remove(ITEM, {"A", "C"}) == 1
    assert dates.of_item(ITEM) == (until(TODAY, "B"),)


def test_a_day_that_is_chosen_while_a_read_is_noted_stays(
    dates: EndDates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process sets it between the look and the end of the earlier one."""

    def set_anew(*_: object) -> bool:
        put(dates, until(TODAY, at=A_DAY))
        return True

    put(dates, until(YESTERDAY))
    monkeypatch.setattr(stored_end_dates, "_is_gone", set_anew)
    dates.note_reads([a_read("B", at=2 * A_DAY)])
    assert dates.of_item(ITEM) == (until(TODAY, at=A_DAY),)


def test_another_service_has_end_dates_of_its_own(records: Database, dates: EndDates) -> None:
    """The same ids at two services mean different things."""
    put(dates, until(TODAY))
    assert EndDates(records, service="another").before(TODAY + timedelta(days=9)) == ()


def test_a_removal_ends_it(history: History, dates: EndDates) -> None:
    """Anybody's removal here leaves nothing to take away."""
    put(dates, until(TODAY), until(TODAY, "B"))
    save(history, "key", at=5, before={"A", "B"}, remove={"A"})
    assert dates.of_item(ITEM) == (until(TODAY, "B"),)


def test_what_ended_since_a_moment_is_known(history: History, dates: EndDates) -> None:
    """An end date that counts is none of it."""
    put(dates, until(TODAY))
    before = dates.ended_since(minute(0))
    save(history, "k", at=2, before="A", remove="A")
    ended = history.entry("k").result.ended_at
    assert (before, dates.ended_since(ended), dates.ended_since(minute(A_DAY))) == (False, True, False)


def test_a_removal_that_found_nothing_to_remove_ends_it(history: History, dates: EndDates) -> None:
    """Somebody else was quicker."""
    put(dates, until(TODAY))
    removed = begin(history, "key", at=5, before={"B"}, remove={"A", "B"})
    in_place = StepResult(ChangeStep("A", Goal.NOT_VISIBLE), StepOutcome.IN_PLACE)
    history.settle("key", replace(removed, steps=(*removed.steps, in_place)))
    assert dates.of_item(ITEM) == ()


def test_it_does_not_hold_for_a_later_addition(history: History, dates: EndDates) -> None:
    """An end date belongs to the addition that it was set for."""
    put(dates, until(TODAY))
    save(history, "key", at=5, before={"B"}, add={"A"})
    assert dates.of_item(ITEM) == ()


def test_an_addition_that_was_in_place_leaves_it(history: History, dates: EndDates) -> None:
    """Nothing was added."""
    put(dates, until(TODAY))
    save(history, "key", at=5, before={"A"}, add={"A", "B"})
    assert dates.of_item(ITEM) == (until(TODAY),)


def test_a_save_of_before_leaves_it(history: History, dates: EndDates) -> None:
    """It was begun first, and settled later: the end date was set on what it had added."""
    added = begin(history, "key", at=0, before={"B"}, add={"A"})
    put(dates, until(TODAY, at=1))
    history.settle_open("key", replace(added, ended_at=minute(2)))
    assert dates.of_item(ITEM) == (until(TODAY, at=1),)


def test_a_change_seen_to_be_made_elsewhere_ends_it(history: History, dates: EndDates) -> None:
    """Taken away, and added again: both are no longer what the person saw."""
    put(dates, until(TODAY, at=1), until(TODAY, "B", at=1))
    history.note_reads([a_read("A", "B", at=0)])
    history.note_reads([a_read("B", at=5)])
    assert dates.of_item(ITEM) == (until(TODAY, "B", at=1),)


def test_a_read_without_the_recipient_ends_what_has_come(dates: EndDates) -> None:
    """Nothing is left to take away, though nobody saw it go."""
    put(dates, until(YESTERDAY), until(YESTERDAY, "B"), until(TODAY, "C"))
    dates.note_reads([a_read("B", at=5)])
    assert dates.of_item(ITEM) == (until(YESTERDAY, "B"), until(TODAY, "C"))


def test_a_read_that_may_lag_ends_nothing(dates: EndDates) -> None:
    """A replica may not know the addition yet."""
    put(dates, until(YESTERDAY))
    dates.note_reads([a_read("B", at=1)])
    assert dates.of_item(ITEM) == (until(YESTERDAY),)


def test_a_planned_one_counts_once_the_save_has_added(history: History, dates: EndDates) -> None:
    """From the end of the save on; in place of the earlier one."""
    put(dates, until(YESTERDAY))
    plan(dates, "key", until(TODAY), until(TODAY, "B"))
    before = dates.of_item(ITEM)
    added = begin(history, "key", at=5, before=(), add={"A", "B"})
    history.settle("key", replace(added, ended_at=minute(6)))
    assert before == (until(YESTERDAY),)
    assert dates.of_item(ITEM) == (until(TODAY, at=6), until(TODAY, "B", at=6))


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        (StepOutcome.DONE, ["A"]),
        (StepOutcome.UNKNOWN, ["A"]),
        (StepOutcome.IN_PLACE, []),
        (StepOutcome.REFUSED, []),
        (StepOutcome.NOT_SENT, []),
    ],
)
def test_a_planned_one_holds_for_what_the_save_added(
    history: History, dates: EndDates, outcome: StepOutcome, found: list[str]
) -> None:
    """Or may have added: what was in place is somebody else's addition."""
    plan(dates, "key", until(TODAY))
    added = begin(history, "key", at=5, before=(), add={"A"})
    step = StepResult(ChangeStep("A", Goal.VISIBLE), outcome)
    history.settle("key", replace(added, steps=(step,), verdict=Verdict.DIFFERS))
    assert [one.recipient_id for one in dates.of_item(ITEM)] == found


def test_what_is_planned_anew_replaces_what_was_planned(history: History, dates: EndDates) -> None:
    """The same Save was pressed again, without a day."""
    plan(dates, "key", until(TODAY))
    plan(dates, "key")
    plan(dates, "key")
    save(history, "key", at=5, add={"A"})
    assert dates.of_item(ITEM) == ()
