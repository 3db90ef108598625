"""A job of end dates takes away only those whose end date has come when it is their turn."""

from item_visibility.changes.job import RowOutcome
from item_visibility.jobs.item_saver import NO_LONGER_DUE
from tests.jobs.running import JobBench, asks, item_number, service
from tests.support.fake_visibilities import Fault, refused, unknown_outcome


def test_who_is_due_is_taken_away() -> None:
    """Exactly as the preview said."""
    bench = JobBench(service("a", "b", "c", "d"), asks(remove={"a", "b"}), due=frozenset("ab"))
    assert bench.run()
    assert bench.outcomes == {"a": RowOutcome.VERIFIED, "b": RowOutcome.VERIFIED}
    assert bench.truth() == {"c", "d"}


def test_who_is_no_longer_due_is_left_alone() -> None:
    """Somebody chose a later day after the preview."""
    bench = JobBench(service("a", "b", "c", "d"), asks(remove={"a", "b"}), due=frozenset("b"))
    assert bench.run()
    assert bench.outcomes == {"a": RowOutcome.CHANGED_MEANWHILE, "b": RowOutcome.VERIFIED}
    assert bench.messages["a"] == NO_LONGER_DUE
    assert bench.truth() == {"a", "c", "d"}


def test_an_item_where_nobody_is_due_is_not_written() -> None:
    """It is read, and its rows say why."""
    bench = JobBench(service("a", "b"), asks(remove={"a"}), due=frozenset())
    assert bench.run()
    assert bench.fake.writes == []
    assert bench.outcomes == {"a": RowOutcome.CHANGED_MEANWHILE}


def test_a_day_that_is_chosen_between_two_attempts_holds() -> None:
    """The service is busy, and a person gives "a" a later day meanwhile; "b" goes on."""
    bench = JobBench(service("a", "b", "c", "d"), asks(remove={"a", "b"}), due=frozenset("ab"))
    bench.fake.faults.append(Fault("removeVisibility", refused("removeVisibility", 429)))
    bench.fake.before_call = lambda call: setattr(
        bench.dates, "due", frozenset("b") if call.recipient_id else bench.dates.due
    )
    assert bench.run()
    assert bench.outcomes == {"a": RowOutcome.CHANGED_MEANWHILE, "b": RowOutcome.VERIFIED}
    assert bench.truth() == {"a", "c", "d"}


def test_a_removal_that_may_have_been_made_is_finished() -> None:
    """Its answer was lost; by our records its end date is over with it."""
    bench = JobBench(service("a", "b", "c"), asks(remove={"a"}), due=frozenset("a"))
    bench.fake.faults += [Fault("removeVisibility", unknown_outcome("removeVisibility"))] * 3
    bench.fake.before_call = lambda call: setattr(
        bench.dates, "due", frozenset() if call.recipient_id else bench.dates.due
    )
    assert bench.run()
    assert bench.outcomes == {"a": RowOutcome.VERIFIED}
    assert bench.truth() == {"b", "c"}


def test_who_is_gone_needs_no_write() -> None:
    """Taken away elsewhere after the preview, which also ended the end date."""
    bench = JobBench(service("a", "b"), asks(remove={"a"}), due=frozenset())
    bench.fake.put(item_number(0), "b")
    assert bench.run()
    assert bench.fake.writes == []
    assert bench.outcomes == {"a": RowOutcome.IN_PLACE}
