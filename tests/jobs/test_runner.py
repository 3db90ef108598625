"""Running a job: each row ends once, with what is true of it."""

from dataclasses import replace

import pytest

from item_visibility.jobs.item_outcomes import CHANGED_SINCE
from item_visibility.jobs.item_saver import UNREAD
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from tests.jobs.running import JOB, JobBench, asks, item_number, keys_of, service, sets
from tests.support.fake_visibilities import START, Fault, refused

VERIFIED, IN_PLACE = Outcome.DONE, Outcome.IN_PLACE
REFUSED, NOT_SENT = Outcome.REFUSED, Outcome.NOT_SENT
CHANGED = Outcome.NOT_SENT


def test_what_is_asked_is_made_and_said_row_by_row() -> None:
    """Added, removed, and what was already in place."""
    bench = JobBench(service("a", "b", "c"), asks(add={"a", "new"}, remove={"b", "gone"}))
    assert bench.run()
    assert bench.truth() == {"a", "c", "new"}
    assert bench.outcomes == {"a": IN_PLACE, "new": VERIFIED, "b": VERIFIED, "gone": IN_PLACE}
    assert bench.job.state is JobState.ENDED


def test_each_item_is_a_save_in_the_history() -> None:
    """With the person, the reason and a key that names job, item and attempt."""
    bench = JobBench(service(items=2), asks(0, add={"r"}), asks(1, add={"r"}))
    bench.run()
    assert keys_of(bench.history.entries) == ["job-1:0:1", "job-1:1:1"]
    entry = bench.history.entries["job-1:1:1"]
    assert (entry.request.item, entry.request.person, entry.request.reason) == (
        item_number(1),
        "ann",
        "a reason",
    )
    assert entry.request.origin.kind is ChangeKind.BULK


def test_many_items_are_worked_on_at_once_and_each_ends_once() -> None:
    """More than one step of a job, in eight workers."""
    items = 250
    bench = JobBench(
        service("a", items=items),
        *(asks(number, add={"new"}) for number in range(items)),
        concurrency=8,
    )
    assert bench.run()
    assert sorted(row.position for row in bench.store.rows) == list(range(items))
    assert {row.outcome for row in bench.store.rows} == {VERIFIED}
    assert {bench.truth(number) for number in range(items)} == {frozenset({"a", "new"})}


def test_nothing_is_written_where_nothing_is_to_be_done() -> None:
    """One read, no write, nothing in the history."""
    bench = JobBench(service("a"), asks(add={"a"}, remove={"b"}))
    bench.run()
    assert [call.operation for call in bench.fake.calls] == ["getVisibilities"]
    assert bench.outcomes == {"a": IN_PLACE, "b": IN_PLACE}
    assert bench.history.entries == {}


def test_what_was_so_in_the_preview_and_is_not_any_more_is_made() -> None:
    """Rows that add and remove are meant as goals."""
    bench = JobBench(service("a", "b"), asks(add={"a", "b"}))
    bench.fake.put(item_number(0), {"b"})
    bench.run()
    assert bench.truth() == {"a", "b"}
    assert bench.outcomes == {"a": VERIFIED, "b": IN_PLACE}


def test_a_list_is_set_exactly() -> None:
    """Everybody whom the preview showed and the rows do not name is taken away."""
    bench = JobBench(service("a", "b", "c"), sets(exactly={"a", "b", "new"}))
    bench.run()
    assert bench.truth() == {"a", "b", "new"}
    assert bench.outcomes == {"a": IN_PLACE, "b": IN_PLACE, "new": VERIFIED, "c": VERIFIED}


def test_who_was_added_by_others_since_the_preview_stays() -> None:
    """Nobody asked for this removal: it is told, not made."""
    bench = JobBench(service("a", "b", "c"), sets(exactly={"a", "b"}))
    bench.fake.put(item_number(0), {"a", "b", "c", "late"})
    bench.run()
    assert bench.truth() == {"a", "b", "late"}
    assert bench.outcomes["late"] is CHANGED
    assert bench.messages["late"] == CHANGED_SINCE
    assert [row.goal for row in bench.store.rows if row.recipient_id == "late"] == [Goal.NOT_VISIBLE]


def test_who_was_taken_away_by_others_since_the_preview_is_told() -> None:
    """A list that was set already is looked at again, and nothing is sent for it."""
    bench = JobBench(service("a", "b"), sets(exactly={"a", "b"}))
    bench.fake.put(item_number(0), {"a"})
    bench.run()
    assert bench.outcomes == {"a": IN_PLACE, "b": CHANGED}
    assert bench.fake.writes == []


def test_an_item_is_withdrawn_from_everybody_when_the_count_was_typed() -> None:
    """The confirmation needs the count; each item carries its own."""
    bench = JobBench(service("a", "b"), sets(), confirmed_count=2)
    bench.run()
    assert bench.truth() == frozenset()
    assert bench.outcomes == {"a": VERIFIED, "b": VERIFIED}


def test_a_large_removal_without_a_count_is_not_sent() -> None:
    """The core asks for the confirmation too."""
    bench = JobBench(service("a", "b"), sets())
    bench.run()
    assert bench.truth() == {"a", "b"}
    assert bench.outcomes == {"a": NOT_SENT, "b": NOT_SENT}
    assert "removes 2 of the 2 recipients" in bench.messages["a"]


def test_a_removal_that_became_a_large_one_is_held() -> None:
    """Somebody else took three away since, and one more would be more than half."""
    bench = JobBench(service("a", "b", "c", "d"), asks(remove={"a"}), confirmed_count=0)
    bench.fake.put(item_number(0), {"a"})
    bench.run()
    assert bench.truth() == {"a"}
    assert bench.outcomes == {"a": NOT_SENT}


def test_a_refused_recipient_does_not_stop_the_others() -> None:
    """Its row says what the service said; all else is made."""
    bench = JobBench(service("a", items=2), asks(0, add={"bad", "good"}), asks(1, add={"next"}))
    bench.fake.faults += [Fault("addVisibility", refused("addVisibility"), recipient_id="bad")] * 9
    assert bench.run()
    assert bench.outcomes == {"bad": REFUSED, "good": VERIFIED, "next": VERIFIED}
    assert bench.messages["bad"] == "A title"


def test_an_item_whose_read_is_refused_is_refused_as_a_whole() -> None:
    """A 400 on the list is a word on the item, not on the service."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    bench.fake.faults.append(Fault("getVisibilities", refused("getVisibilities")))
    bench.run()
    assert bench.outcomes == {"x": REFUSED, "y": VERIFIED}
    assert bench.messages["x"] == "The service refused it (400). It said: A title."


@pytest.mark.parametrize(
    ("intent", "recipients"),
    [
        (asks(add={"x"}, remove={"y"}), {"x", "y"}),
        (sets(exactly={"x"}), {"x"}),
        (sets(), {""}),
    ],
)
def test_an_item_that_the_preview_refused_is_not_sent(intent: BulkItem, recipients: set[str]) -> None:
    """Every row says why; a withdrawal of nobody knows whom has one row without a recipient."""
    bench = JobBench(service("a"), intent)
    bench.show(0, ItemPreview(current=None, read_at=START, refusal="No such item."))
    bench.run()
    assert bench.outcomes == dict.fromkeys(recipients, REFUSED)
    assert set(bench.messages.values()) == {"No such item."}
    assert bench.fake.calls == []


def test_an_item_without_a_preview_is_not_sent() -> None:
    """Nobody saw what it would change."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.show(0, None)
    bench.run()
    assert (bench.outcomes, bench.messages) == ({"x": NOT_SENT}, {"x": UNREAD})


@pytest.mark.parametrize("state", [JobState.PREVIEWED, JobState.PAUSED, JobState.CANCELLED, JobState.ENDED])
def test_a_job_that_nobody_applied_is_not_run(state: JobState) -> None:
    """Only what is under way is worked on."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.store.now = replace(bench.job, state=state)
    assert not bench.runner.run_chunk(JOB)
    assert (bench.job.state, bench.fake.calls) == (state, [])


def test_a_job_that_is_not_there_is_not_run() -> None:
    """It was removed."""
    bench = JobBench(service("a"), asks(add={"x"}))
    assert not bench.runner.run_chunk("another")
    assert bench.fake.calls == []


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.CANCELLED])
def test_a_job_stops_between_items_and_goes_on_where_it_stopped(state: JobState) -> None:
    """Ended items stay ended, and are never sent again."""
    bench = JobBench(service(items=3), *(asks(number, add={f"r{number}"}) for number in range(3)))
    bench.fake.before_call = lambda call: (
        bench.store.move(JOB, state, expected=set(JobState), at=bench.fake.time.now()) and None
        if call.recipient_id == "r1"
        else None
    )
    assert not bench.run()
    assert bench.outcomes == {"r0": VERIFIED, "r1": VERIFIED}
    assert bench.job.state is state
    writes = len(bench.fake.writes)
    bench.fake.before_call = lambda _call: None
    bench.store.now = replace(bench.job, state=JobState.QUEUED)
    assert bench.run()
    assert bench.outcomes == {"r0": VERIFIED, "r1": VERIFIED, "r2": VERIFIED}
    assert len(bench.fake.writes) == writes + 1
