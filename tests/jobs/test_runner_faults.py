"""Running a job while things go wrong: interrupted, in trouble, down, stopped."""

import threading
from dataclasses import replace

import pytest

from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.jobs.apply import ApplyTask
from item_visibility.jobs.engine import BROKEN_OFF, StoppedError
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind, ChangeRequest
from item_visibility.timeouts import ITEM_ATTEMPTS
from tests.jobs.running import JOB, JobBench, asks, item_number, keys_of, service, sets
from tests.support.desk import wait_until
from tests.support.fake_visibilities import (
    FakeCall,
    FakeVisibilities,
    Fault,
    no_token,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

VERIFIED, IN_PLACE = Outcome.DONE, Outcome.IN_PLACE
NOT_SENT, NOT_CONFIRMED = Outcome.NOT_SENT, Outcome.UNKNOWN
BROKEN = RecordsError("The dashboard's own database could not be used.", advice="Ask.")


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
        kind=ChangeKind.BULK,
    )
    plan = plan_changes(item, current=bench.truth(number), add=request.add, remove=request.remove)
    bench.history.begin(request, plan, started_at=bench.fake.time.now())


def test_what_a_dead_process_made_counts_as_made() -> None:
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert bench.fake.writes == []
    assert keys_of(bench.history.entries) == ["job-1:0:1"]
    assert bench.history.entries["job-1:0:1"].verdict is Verdict.VERIFIED


def test_what_a_dead_process_did_not_come_to_is_a_new_attempt() -> None:
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "b", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert [call.recipient_id for call in bench.fake.writes] == ["b"]
    second = bench.history.entries["job-1:0:2"]
    assert [(one.step.recipient_id, one.outcome) for one in second.steps] == [("b", Outcome.DONE)]


def test_a_withdrawal_that_was_cut_short_is_finished() -> None:
    bench = JobBench(service("a", "b", "c", "d"), sets(), confirmed_count=4)
    begin_by_hand(bench, 0, add=set(), remove={"a", "b", "c", "d"})
    bench.fake.put(item_number(0), {"d"})
    assert bench.run()
    assert bench.truth() == frozenset()
    assert set(bench.outcomes.values()) == {VERIFIED}


def test_rows_that_were_not_written_down_are_read_from_the_history() -> None:
    bench = JobBench(service("a"), asks(add={"new"}))
    bench.store.now = replace(bench.job, state=JobState.RUNNING)
    ApplyTask(bench.runner, bench.job).work(bench.store.all_items[0])  # and no more
    writes = len(bench.fake.writes)
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED}
    assert len(bench.fake.writes) == writes


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
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    begin_by_hand(bench, 0, add={"x"}, remove=set())
    begin_by_hand(bench, 1, add={"y"}, remove=set())
    bench.fake.faults += [Fault("getVisibilities", error)] * 100
    pauses: list[float] = []

    def wait(delay_s: float) -> None:
        pauses.append(delay_s)
        wait_until(lambda: len(bench.store.next_tries) == len(pauses))
        bench.fake.time.sleep(delay_s)
        bench.fake.faults[:] = bench.fake.faults if len(pauses) < 3 else []

    bench.on_pause = wait
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED, "y": VERIFIED}
    states = [state for state, _ in bench.store.states]
    running, waiting = JobState.RUNNING, JobState.WAITING
    assert states == [running, waiting, waiting, waiting, running, JobState.ENDED]
    assert bench.store.states[1][1].endswith(" Nothing is skipped: the job tries again by itself.")
    assert pauses == [1, 2, 5]


def test_a_change_that_is_never_confirmed_ends_so() -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    bench.fake.before_call = lambda call: bench.fake.faults.extend(
        [Fault("addVisibility", unknown_outcome("addVisibility"))] if call.recipient_id == "x" else []
    )
    assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert len([key for key in bench.history.entries if key.startswith("job-1:0:")]) == ITEM_ATTEMPTS


def test_a_change_whose_outcome_was_unknown_counts_as_made_once_it_is_seen() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))

    def before(call: FakeCall) -> None:
        if call.operation == "addVisibility":
            bench.fake.faults += [Fault("getVisibilities", unknown_outcome("getVisibilities"))] * 4

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}
    assert len(bench.fake.writes) == 1


@pytest.mark.parametrize(
    "faults", [[not_sent("addVisibility")] * 4, [refused("addVisibility", 429)]], ids=["down", "pause"]
)
def test_a_write_that_the_service_did_not_read_is_sent_again(faults: list[ItemVisibilityError]) -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("addVisibility", error) for error in faults]
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_who_is_changed_while_the_save_runs_is_left_to_the_other() -> None:
    bench = JobBench(service("a"), asks(add={"a", "x"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(call.item, ()) if call.operation == "addVisibility" else None
    )
    assert bench.run()
    assert bench.outcomes == {"a": Outcome.NOT_SENT, "x": VERIFIED}


def test_a_row_whose_item_broke_off_is_not_known(caplog: pytest.LogCaptureFixture) -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def before(call: FakeCall) -> None:
        if call.recipient_id == "x":
            raise ValueError("never-shown")

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert bench.messages["x"] == BROKEN_OFF
    assert "never-shown" not in caplog.text


def test_a_stop_leaves_what_runs_to_the_next_start() -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def stop(_delay_s: float) -> None:
        bench.runner.engine.stop_all()
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


def test_an_item_is_not_touched_while_a_person_saves_it() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    with bench.items.hold(item_number(0)):
        work = threading.Thread(target=bench.run)
        work.start()
        work.join(0.05)
        calls = len(bench.fake.calls)
    work.join(60)
    assert calls == 0
    assert bench.outcomes == {"x": VERIFIED}


def test_what_an_attempt_did_besides_is_no_row_of_the_job() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    begin_by_hand(bench, 0, add={"x", "stranger"}, remove=set())
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_what_was_made_before_a_refusal_stays_made() -> None:
    bench = JobBench(service("a"), asks(add={"x", "y"}))
    begin_by_hand(bench, 0, add={"x", "y"}, remove=set())
    bench.fake.put(item_number(0), {"a", "x"})
    settled = [bench.saver.settle_open(entry) for entry in bench.history.unsettled()]
    bench.fake.faults.append(Fault("getVisibilities", refused("getVisibilities")))
    assert bench.run()
    assert len(settled) == 1
    assert bench.outcomes == {"x": VERIFIED, "y": Outcome.REFUSED}


def test_a_refusal_after_a_perhaps_is_not_told_as_refused() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.lag_s = 3600.0
    bench.fake.faults.append(Fault("addVisibility", unknown_outcome("addVisibility"), is_applied=True))
    bench.fake.faults += [Fault("addVisibility", refused("addVisibility", 409))] * 9
    assert bench.run()
    assert (bench.truth(), bench.outcomes) == ({"a", "x"}, {"x": NOT_CONFIRMED})


def test_a_stopped_runner_begins_nothing() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.runner.engine.stop_all()
    assert not bench.runner.run_chunk(JOB)
    assert bench.fake.calls == []


def test_a_paused_job_begins_no_more_items() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    task = ApplyTask(bench.runner, bench.job)
    with pytest.raises(StoppedError):
        task.work(bench.store.all_items[0])
    assert bench.fake.calls == []


@pytest.mark.parametrize("is_begun", [True, False])
def test_what_is_not_known_yet_is_waited_for(*, is_begun: bool) -> None:
    bench = JobBench(service("a"), asks(add={"new" if is_begun else "a"}))
    if is_begun:
        begin_by_hand(bench, 0, add={"new"}, remove=set())
    bench.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 20
    pauses: list[float] = []

    def wait(delay_s: float) -> None:
        pauses.append(delay_s)
        assert bench.fake.writes == []
        bench.fake.faults.clear()

    bench.on_pause = wait
    assert bench.run()
    assert (pauses, bench.outcomes) == ([1.0], {"new": VERIFIED} if is_begun else {"a": IN_PLACE})


def test_an_item_that_was_never_read_is_given_up_as_not_sent() -> None:
    bench = JobBench(FakeVisibilities({}), asks(add="A"))
    bench.show(0, None)
    ended = ApplyTask(bench.runner, bench.job).give_up(bench.store.all_items[0], "No answer.")
    assert [(row.recipient_id, row.outcome, row.message) for row in ended.rows] == [
        ("A", Outcome.NOT_SENT, "No answer.")
    ]
