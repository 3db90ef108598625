"""Running a job while things go wrong: interrupted, in trouble, down, stopped."""

import logging
import threading
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.jobs import chunk
from item_visibility.jobs.chunk import BROKEN_OFF, StoppedError
from item_visibility.jobs.item_saver import Trouble
from item_visibility.saving.job import Job, JobItem, JobRow, JobState
from item_visibility.saving.locks import IsHeld, always_held
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind, ChangeRequest, Origin
from item_visibility.timeouts import ITEM_ATTEMPTS
from tests.jobs.running import JOB, JobBench, asks, item_number, keys_of, service, sets
from tests.support.fake_visibilities import (
    START,
    FakeCall,
    FakeVisibilities,
    Fault,
    no_token,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

if TYPE_CHECKING:
    from item_visibility.jobs.runner import JobRunner

VERIFIED, IN_PLACE = Outcome.DONE, Outcome.IN_PLACE
NOT_SENT, NOT_CONFIRMED = Outcome.NOT_SENT, Outcome.UNKNOWN
BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


class Killed(BaseException):
    """The process is dead."""


def kill_before_call(fake: FakeVisibilities, operation: str, *, number: int) -> None:
    """Die before the so-many-th call of an operation."""
    seen: list[FakeCall] = []

    def before(call: FakeCall) -> None:
        seen.extend([call] if call.operation == operation else [])
        if len(seen) == number and call.operation == operation:
            raise Killed

    fake.before_call = before


def begin_by_hand(bench: JobBench, number: int, *, add: set[str], remove: set[str], attempt: int = 1) -> None:
    """Record an attempt that a process began, and never settled."""
    item = item_number(number)
    request = ChangeRequest(
        key=f"{JOB}:{number}:{attempt}",
        item=item,
        base=None,
        add=frozenset(add),
        remove=frozenset(remove),
        person="ann",
        origin=Origin(kind=ChangeKind.BULK),
    )
    plan = plan_changes(item, current=bench.truth(number), add=request.add, remove=request.remove)
    bench.history.begin(request, plan, started_at=bench.fake.time.now())


def test_what_a_dead_process_made_counts_as_made() -> None:
    """Found by reading: verified, not "already in place", and not sent again."""
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert bench.fake.writes == []
    assert keys_of(bench.history.entries) == ["job-1:0:1"]
    assert bench.history.entries["job-1:0:1"].verdict is Verdict.VERIFIED


def test_what_a_dead_process_did_not_come_to_is_a_new_attempt() -> None:
    """The history tells both apart, so that an undo is exact."""
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "b", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert [call.recipient_id for call in bench.fake.writes] == ["b"]
    second = bench.history.entries["job-1:0:2"]
    assert [(one.step.recipient_id, one.outcome) for one in second.steps] == [("b", Outcome.DONE)]


def test_a_withdrawal_that_was_cut_short_is_finished() -> None:
    """The count that was typed stands for what is left of it."""
    bench = JobBench(service("a", "b", "c", "d"), sets(), confirmed_count=4)
    begin_by_hand(bench, 0, add=set(), remove={"a", "b", "c", "d"})
    bench.fake.put(item_number(0), {"d"})
    assert bench.run()
    assert bench.truth() == frozenset()
    assert set(bench.outcomes.values()) == {VERIFIED}


def test_rows_that_were_not_written_down_are_read_from_the_history() -> None:
    """Killed between the save and the end of the item: nothing is sent again."""
    bench = JobBench(service("a"), asks(add={"new"}))
    item = bench.store.items_by_key[JOB][0]
    bench.runner._tools.saver.save(bench.job, item, is_held=always_held)  # noqa: SLF001  (and no more)
    writes = len(bench.fake.writes)
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED}
    assert len(bench.fake.writes) == writes


def test_an_attempt_that_cannot_be_settled_yet_is_waited_for() -> None:
    """Before it is known what a dead process did, nothing is sent."""
    bench = JobBench(service("a"), asks(add={"new"}))
    begin_by_hand(bench, 0, add={"new"}, remove=set())
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 4
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED}
    assert JobState.WAITING in [state for state, _ in bench.store.states]


@pytest.mark.parametrize(
    "error",
    [
        not_sent("getVisibilities"),
        no_token(),
        unknown_outcome("getVisibilities"),
        unexpected_answer("getVisibilities"),
        refused("getVisibilities", 429),
        refused("getVisibilities", 401),
    ],
)
def test_a_job_waits_while_the_service_is_down_and_skips_nothing(error: ItemVisibilityError) -> None:
    """It tries one item after 1, 2 and 5 s, says so, and goes on."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    bench.fake.faults += [Fault("getVisibilities", error)] * 6  # a try, and a look at the other item
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED, "y": VERIFIED}
    states = [state for state, _ in bench.store.states]
    running, waiting = JobState.RUNNING, JobState.WAITING
    assert states == [running, waiting, waiting, waiting, running, JobState.ENDED]
    assert bench.store.states[1][1].startswith(error.message)
    assert bench.store.states[1][1].endswith(" Nothing is skipped: the job tries again by itself.")
    assert [at - START for at in bench.store.next_tries] == [
        timedelta(seconds=s) for s in (1, 1 + 2, 1 + 2 + 5)
    ]
    assert sum(bench.fake.time.sleeps) == 1 + 2 + 5


def test_a_job_of_one_item_waits_too() -> None:
    """There is no other item to look at: the service counts as down."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 8
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}
    assert sum(bench.fake.time.sleeps) == 1 + 2 + 5 + 10 + 30 * 4


def test_the_others_wait_while_one_worker_tries() -> None:
    """Eight workers do not knock at once."""
    bench = JobBench(
        service("a", items=20), *(asks(number, add={"x"}) for number in range(20)), concurrency=8
    )
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 30
    assert bench.run()
    assert {row.outcome for row in bench.store.rows_kept} == {VERIFIED}
    assert len(bench.store.rows_kept) == 20


def test_an_item_that_alone_cannot_be_read_does_not_stop_the_job() -> None:
    """The service is up, as another item shows: after three tries its rows end as not sent."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def before(call: FakeCall) -> None:
        if call.item == item_number(0):
            bench.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": NOT_SENT, "y": VERIFIED}
    assert bench.messages["x"] == "The service did not answer."


@pytest.mark.parametrize("error", [unknown_outcome("getVisibilities"), refused("getVisibilities", 403)])
def test_two_items_that_cannot_be_read_do_not_stop_the_job(error: ItemVisibilityError) -> None:
    """Neither of them shows whether the service is up: one that ended well does, and a refusal does."""
    bench = JobBench(service("a", items=3), *(asks(number, add={name}) for number, name in enumerate("xyz")))

    def before(call: FakeCall) -> None:
        errors = {item_number(0): error, item_number(1): unknown_outcome("getVisibilities")}
        if call.item in errors:
            bench.fake.faults.append(Fault("getVisibilities", errors[call.item]))

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes["y"] is NOT_SENT
    assert bench.outcomes["z"] is VERIFIED


def test_a_change_that_is_never_confirmed_ends_so() -> None:
    """The service takes it and does not show it, attempt after attempt."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    bench.fake.before_call = lambda call: bench.fake.faults.extend(
        [Fault("addVisibility", unknown_outcome("addVisibility"))] if call.recipient_id == "x" else []
    )
    assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert len([key for key in bench.history.entries if key.startswith("job-1:0:")]) == ITEM_ATTEMPTS


def test_a_change_whose_outcome_was_unknown_counts_as_made_once_it_is_seen() -> None:
    """No read succeeded after the write; the next attempt finds it there."""
    bench = JobBench(service("a"), asks(add={"x"}))

    def before(call: FakeCall) -> None:
        if call.operation == "addVisibility":
            bench.fake.faults += [Fault("getVisibilities", unknown_outcome("getVisibilities"))] * 4

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}
    assert len(bench.fake.writes) == 1


def test_a_service_that_goes_down_between_read_and_write_is_waited_for() -> None:
    """Nothing was sent, so the attempt keeps its key."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("addVisibility", not_sent("addVisibility"))] * 4
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}
    assert keys_of(bench.history.entries) == ["job-1:0:1"]


def test_a_pause_that_the_service_asks_for_on_a_write_is_no_refusal() -> None:
    """429 says nothing about the recipient."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults.append(Fault("addVisibility", refused("addVisibility", 429)))
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_who_is_changed_while_the_save_runs_is_left_to_the_other() -> None:
    """Somebody took away what was already in place: it is not fought over."""
    bench = JobBench(service("a"), asks(add={"a", "x"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(call.item, ()) if call.operation == "addVisibility" else None
    )
    assert bench.run()
    assert bench.outcomes == {"a": Outcome.NOT_SENT, "x": VERIFIED}


def test_a_job_waits_while_our_own_records_cannot_be_used() -> None:
    """At any moment: when looking, saving, ending an item or telling that it waits."""
    bench = JobBench(service("a"), asks(add={"x"}))

    def before(call: FakeCall) -> None:
        bench.store.errors.extend([BROKEN] * 4 if call.operation == "addVisibility" else [])
        bench.history.error = None

    def sleep(_delay_s: float) -> None:
        bench.history.error = None

    bench.history.error = BROKEN
    bench.fake.before_call = before
    bench.runner._tools = replace(bench.runner._tools, sleep=sleep)  # noqa: SLF001  (the database comes back)
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_an_error_of_this_program_ends_one_item_and_not_the_job(caplog: pytest.LogCaptureFixture) -> None:
    """Its row says that its outcome is open; the log says where, not what."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def before(call: FakeCall) -> None:
        if call.recipient_id == "x":
            raise ValueError("never-shown")

    bench.fake.before_call = before
    with caplog.at_level(logging.ERROR):
        assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert bench.messages["x"] == BROKEN_OFF
    assert "Item 0 of job job-1 broke off: ValueError" in caplog.text
    assert "never-shown" not in caplog.text


def test_an_item_without_a_preview_can_be_given_up_too() -> None:
    """Any error will do."""
    bench = JobBench(service("a"), asks(add={"x"}))
    item = JobItem(position=0, intent=asks(add={"x"}))
    rows = bench.runner._tools.saver.give_up(bench.job, item, "It broke.")  # noqa: SLF001  (its only caller is an error)
    assert [(row.outcome, row.message) for row in rows] == [(NOT_SENT, "It broke.")]


def test_a_stop_leaves_what_runs_to_the_next_start() -> None:
    """At once, even from a wait: the item has no end yet, and the next start gives it one."""
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def stop(_delay_s: float) -> None:
        bench.runner.stop()
        raise StoppedError

    bench.fake.faults += [Fault("addVisibility", unknown_outcome("addVisibility"))] * 2
    bench.saver._sleep = stop  # noqa: SLF001  (the waits of a save are cut)
    assert not bench.run()
    assert bench.outcomes == {}
    assert bench.job.state is JobState.RUNNING
    bench.saver._sleep = bench.fake.time.sleep  # noqa: SLF001  (as above)
    bench.runner = bench.new_runner()
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED, "y": VERIFIED}


def test_a_stopped_runner_begins_nothing() -> None:
    """The job is left to the next start."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.runner.stop()
    assert bench.runner.run_chunk(JOB, after=-1) is None
    assert bench.fake.calls == []


def test_what_breaks_because_of_a_stop_is_no_error_of_the_program(caplog: pytest.LogCaptureFixture) -> None:
    """Connections are closed under the feet of who still works."""
    bench = JobBench(service("a"), asks(add={"x"}))

    def before(_call: FakeCall) -> None:
        bench.runner.stop()
        raise RuntimeError("closed")

    bench.fake.before_call = before
    assert not bench.run()
    assert (bench.outcomes, caplog.text) == ({}, "")


def test_a_wait_ends_when_the_job_is_paused() -> None:
    """Not after half a minute, but at the next look."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 50

    def pause(_delay_s: float) -> None:
        bench.store.move(JOB, JobState.PAUSED, expected=set(JobState), at=bench.fake.time.now())

    bench.runner._tools = replace(bench.runner._tools, sleep=pause)  # noqa: SLF001  (somebody presses Pause)
    assert not bench.run()
    assert len(bench.fake.calls) == 1


def test_a_hanging_call_does_not_keep_a_stop_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is left behind; its item is settled at the next start."""
    monkeypatch.setattr(chunk, "CHUNK_STOPS_WITHIN_S", 0.2)
    bench = JobBench(service("a"), asks(add={"x"}))
    is_called, may_go_on = threading.Event(), threading.Event()

    def before(_call: FakeCall) -> None:
        is_called.set()
        may_go_on.wait(60)

    bench.fake.before_call = before
    ended: list[bool] = []
    work = threading.Thread(target=lambda: ended.append(bench.run()))
    work.start()
    is_called.wait(60)
    bench.runner.stop()
    work.join(60)
    may_go_on.set()
    assert ended == [False]


def test_an_item_is_not_touched_while_a_person_saves_it() -> None:
    """The lock of the item is shared."""
    bench = JobBench(service("a"), asks(add={"x"}))
    with bench.locks.holding(item_number(0)):
        work = threading.Thread(target=bench.run)
        work.start()
        work.join(0.05)
        calls = len(bench.fake.calls)
    work.join(60)
    assert calls == 0
    assert bench.outcomes == {"x": VERIFIED}


def test_an_end_that_cannot_be_found_out_is_waited_for() -> None:
    """Giving up asks our own records too, and they may be away."""

    class Broken:
        def save(self, _job: Job, _item: JobItem, *, is_held: IsHeld) -> tuple[JobRow, ...] | Trouble:
            raise ValueError(is_held)

        def give_up(self, _job: Job, _item: JobItem, _message: str) -> tuple[JobRow, ...]:
            raise BROKEN

        def is_readable(self, _job: Job, _item: object) -> bool:
            return True

    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    runner: JobRunner = bench.runner
    pauses: list[float] = []

    def sleep(delay_s: float) -> None:
        pauses.append(delay_s)
        state = JobState.PAUSED if sum(pauses) > 3 else JobState.WAITING
        bench.store.move(JOB, state, expected=set(JobState), at=bench.fake.time.now())

    runner._tools = replace(runner._tools, saver=Broken(), sleep=sleep)  # type: ignore[arg-type]  # noqa: SLF001  (a saver that only breaks)
    assert not bench.run()
    assert (bench.outcomes, sum(pauses)) == ({}, 3.5)


def test_what_an_attempt_did_besides_is_no_row_of_the_job() -> None:
    """Only what is asked now has an end."""
    bench = JobBench(service("a"), asks(add={"x"}))
    begin_by_hand(bench, 0, add={"x", "stranger"}, remove=set())
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_an_item_where_nothing_is_to_be_done_is_waited_for_too() -> None:
    """Rows in place in the preview are called that only after another read."""
    bench = JobBench(service("a"), asks(add={"a"}))
    bench.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    assert bench.run()
    assert bench.outcomes == {"a": IN_PLACE}
    assert sum(bench.fake.time.sleeps) == 1


def test_a_stop_ends_a_wait() -> None:
    """At the next look at the latest."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 50
    pauses: list[float] = []

    def sleep(delay_s: float) -> None:
        pauses.append(delay_s)
        bench.runner.stop()

    bench.runner._tools = replace(bench.runner._tools, sleep=sleep)  # noqa: SLF001  (somebody presses Ctrl-C)
    assert not bench.run()
    assert pauses == [0.5]


def test_what_was_made_before_a_refusal_stays_made() -> None:
    """The interrupted attempt made one of two; then the service refuses to show the item."""
    bench = JobBench(service("a"), asks(add={"x", "y"}))
    begin_by_hand(bench, 0, add={"x", "y"}, remove=set())
    bench.fake.put(item_number(0), {"a", "x"})
    settled = [bench.saver.settle_open(entry) for entry in bench.history.unsettled()]
    bench.fake.faults.append(Fault("getVisibilities", refused("getVisibilities")))
    assert bench.run()
    assert len(settled) == 1
    assert bench.outcomes == {"x": VERIFIED, "y": Outcome.REFUSED}


def test_a_refusal_after_a_perhaps_is_not_told_as_refused() -> None:
    """The first attempt was applied and lost its answer, and reads lag: now it is there, and refused."""
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.lag_s = 3600.0
    bench.fake.faults.append(Fault("addVisibility", unknown_outcome("addVisibility"), is_applied=True))
    bench.fake.faults += [Fault("addVisibility", refused("addVisibility", 409))] * 9
    assert bench.run()
    assert (bench.truth(), bench.outcomes) == ({"a", "x"}, {"x": NOT_CONFIRMED})
