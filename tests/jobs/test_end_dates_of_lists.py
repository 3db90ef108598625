"""A list that names end dates sets them for who is added, and for who can see the item already."""

from dataclasses import replace
from datetime import date, timedelta

from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import RowOutcome
from item_visibility.jobs.item_saver import OVER
from tests.jobs.running import JobBench, asks, service, sets
from tests.support.fake_visibilities import START, Fault, refused, unknown_outcome

LAST = START.date() + timedelta(days=9)


def dated(intent: BulkItem, recipients: str, day: date = LAST) -> BulkItem:
    """With this end date for each of these recipients."""
    return replace(intent, until=dict.fromkeys(recipients, day))


def test_who_is_added_and_who_was_there_get_their_end_date() -> None:
    """A recipient without one in the list gets none."""
    bench = JobBench(service("a"), dated(asks(add={"a", "b", "c"}), "ab"))
    assert bench.run()
    assert bench.dates.set == {"a": LAST, "b": LAST}
    assert bench.truth() == {"a", "b", "c"}


def test_where_all_is_in_place_the_end_date_alone_is_set() -> None:
    """Nothing is sent for it."""
    bench = JobBench(service("a"), dated(asks(add={"a"}), "a"))
    assert bench.run()
    assert (bench.dates.set, bench.fake.writes) == ({"a": LAST}, [])


def test_a_list_that_is_set_exactly_sets_its_end_dates() -> None:
    """Also of those that it keeps."""
    bench = JobBench(service("a", "b"), dated(sets(exactly={"a", "c"}), "ac"))
    assert bench.run()
    assert bench.dates.set == {"a": LAST, "c": LAST}
    assert bench.truth() == {"a", "c"}


def test_nobody_is_added_whose_end_date_is_over_when_it_is_their_turn() -> None:
    """The job was paused meanwhile. The others go on."""
    bench = JobBench(service("a"), dated(asks(add={"b", "c"}), "b"))
    bench.fake.time.now_at += timedelta(days=10)
    assert bench.run()
    assert bench.outcomes == {"b": RowOutcome.NOT_SENT, "c": RowOutcome.VERIFIED}
    assert (bench.messages["b"], bench.dates.set) == (OVER, {})


def test_an_addition_that_may_have_been_made_keeps_its_end_date() -> None:
    """Its answer was lost, and midnight came before the next attempt: it is finished, not forgotten."""
    bench = JobBench(service("a"), dated(asks(add={"b"}), "b"))
    bench.fake.faults += [Fault("addVisibility", unknown_outcome("addVisibility"))] * 3
    bench.fake.before_call = lambda call: setattr(
        bench.fake.time, "now_at", START + timedelta(days=10) if call.recipient_id else START
    )
    assert bench.run()
    assert bench.dates.set == {"b": LAST}


def test_who_was_refused_has_no_end_date() -> None:
    """It cannot see the item."""
    bench = JobBench(service("a"), dated(asks(add={"b"}), "b"))
    bench.fake.faults.append(Fault("addVisibility", refused("addVisibility", 403)))
    assert bench.run()
    assert (bench.outcomes, bench.dates.set) == ({"b": RowOutcome.REFUSED}, {})
