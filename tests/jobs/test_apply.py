"""Running a job: each row ends once, with its true outcome.

That holds even when calls or the program fail.
"""

import threading
from dataclasses import dataclass
from unittest.mock import patch

import pytest

from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.jobs import apply
from item_visibility.jobs.apply import ITEM_ATTEMPTS, UNREAD, ApplyTask
from item_visibility.jobs.engine import BROKEN_OFF, StoppedError
from item_visibility.model.change import ChangeKind, ChangeRequest, plan_changes
from item_visibility.model.job import BulkItem, JobState
from item_visibility.model.outcome import Outcome, Verdict
from tests.jobs.running import JOB, JobBench, asks, item_number, service, sets
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

VERIFIED = Outcome.DONE
IN_PLACE = Outcome.IN_PLACE
REFUSED = Outcome.REFUSED
NOT_SENT = Outcome.NOT_SENT
NOT_CONFIRMED = Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Case:
    """A job on one item, and its expected result.

    The list of the item is given twice: at the preview, and when the job runs.
    """

    name: str
    previewed: str
    asked: BulkItem
    after: str
    outcomes: dict[str, Outcome]
    meanwhile: str | None = None
    confirmed_count: int | None = None


CASES = [
    Case(
        "changes are made or are already in place",
        "abc",
        asks(add="an", remove="bg"),
        "acn",
        {"a": IN_PLACE, "n": VERIFIED, "b": VERIFIED, "g": IN_PLACE},
    ),
    Case(
        "a change that others undid since the preview is made again",
        "ab",
        asks(add="ab"),
        "ab",
        {"a": VERIFIED, "b": IN_PLACE},
        meanwhile="b",
    ),
    Case(
        "setting a list removes recipients that the preview showed and the rows do "
        "not name",
        "abc",
        sets(exactly="abn"),
        "abn",
        {"a": IN_PLACE, "b": IN_PLACE, "n": VERIFIED, "c": VERIFIED},
    ),
    Case(
        "a recipient that others added since the preview is kept",
        "abc",
        sets(exactly="ab"),
        "abl",
        {"a": IN_PLACE, "b": IN_PLACE, "c": VERIFIED, "l": NOT_SENT},
        meanwhile="abcl",
    ),
    Case(
        "a recipient that others removed since the preview stays removed",
        "ab",
        sets(exactly="ab"),
        "a",
        {"a": IN_PLACE, "b": NOT_SENT},
        meanwhile="a",
    ),
    Case(
        "all recipients of an item are removed if their number was typed",
        "ab",
        sets(),
        "",
        {"a": VERIFIED, "b": VERIFIED},
        confirmed_count=2,
    ),
    Case(
        "a large removal without a count is not sent",
        "ab",
        sets(),
        "ab",
        {"a": NOT_SENT, "b": NOT_SENT},
    ),
    Case(
        "a removal that has become large is not sent",
        "abcd",
        asks(remove="a"),
        "a",
        {"a": NOT_SENT},
        meanwhile="a",
        confirmed_count=0,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_row_has_its_true_outcome(case: Case) -> None:
    bench = JobBench(
        service(*case.previewed), case.asked, confirmed_count=case.confirmed_count
    )
    bench.fake.put(
        item_number(0), case.previewed if case.meanwhile is None else case.meanwhile
    )
    assert bench.run()
    assert bench.truth() == frozenset(case.after)
    assert bench.outcomes == case.outcomes


def test_each_item_is_a_save_in_the_history() -> None:
    bench = JobBench(service(items=2), asks(0, add={"r"}), asks(1, add={"r"}))
    bench.run()
    assert sorted(bench.history.entries) == ["job-1:0:1", "job-1:1:1"]
    entry = bench.history.entries["job-1:1:1"]
    assert entry.request.item == item_number(1)
    assert entry.request.person == "ann"
    assert entry.request.reason == "a reason"
    assert entry.request.kind is ChangeKind.BULK


def test_a_job_of_many_items_ends_in_several_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(apply, "CHUNK_ITEMS", 2)
    bench = JobBench(
        service(items=5), *(asks(number, add={"new"}) for number in range(5))
    )
    steps = [bench.runner.run_chunk(JOB) for _ in range(3)]
    assert steps == [True, True, False]
    assert bench.job.state is JobState.ENDED
    assert [(item.position, result.outcome) for item, result in bench.rows] == [
        (number, VERIFIED) for number in range(5)
    ]


def test_what_the_service_refuses_is_refused() -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y", "z"}))
    bench.fake.faults = [
        Fault("getVisibilities", refused()),
        Fault("addVisibility", refused(), recipient_id="z"),
    ]
    bench.run()
    assert bench.outcomes == {"x": REFUSED, "y": VERIFIED, "z": REFUSED}
    assert bench.messages["x"] == "The service refused it (400). It said: A title."


@pytest.mark.parametrize(
    ("intent", "recipients"),
    [
        (asks(add={"x"}, remove={"y"}), {"x", "y"}),
        (sets(exactly={"x"}), {"x"}),
        (sets(), {""}),
    ],
)
def test_an_item_that_the_preview_refused_is_not_sent(
    intent: BulkItem, recipients: set[str]
) -> None:
    bench = JobBench(service("a"), intent, refusal="No such item.")
    bench.run()
    assert bench.outcomes == dict.fromkeys(recipients, REFUSED)
    assert set(bench.messages.values()) == {"No such item."}
    assert bench.fake.calls == []


def test_an_item_without_a_preview_is_not_sent() -> None:
    bench = JobBench(service("a"), asks(add={"x"}), is_read=False)
    bench.run()
    assert bench.outcomes == {"x": NOT_SENT}
    assert bench.messages == {"x": UNREAD}


@pytest.mark.parametrize(
    "state", [JobState.PREVIEWED, JobState.PAUSED, JobState.CANCELLED, JobState.ENDED]
)
def test_a_job_that_nobody_applied_is_not_run(state: JobState) -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.move(state)
    assert not any(map(bench.runner.run_chunk, (JOB, "gone")))
    assert bench.job.state == state
    assert bench.fake.calls == []


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.CANCELLED])
def test_a_job_stops_between_items_and_continues_there(state: JobState) -> None:
    bench = JobBench(
        service(items=3), *(asks(number, add={f"r{number}"}) for number in range(3))
    )
    bench.fake.before_call = lambda call: (
        bench.move(state) if call.recipient_id == "r1" else None
    )
    assert not bench.run()
    assert bench.outcomes == {"r0": VERIFIED, "r1": VERIFIED}
    assert bench.job.state is state
    writes = len(bench.fake.writes)
    bench.fake.before_call = lambda _call: None
    bench.move(JobState.QUEUED)
    assert bench.run()
    assert bench.outcomes == {"r0": VERIFIED, "r1": VERIFIED, "r2": VERIFIED}
    assert len(bench.fake.writes) == writes + 1


def begin_by_hand(
    bench: JobBench, number: int, *, add: set[str], remove: set[str], attempt: int = 1
) -> None:
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
    plan = plan_changes(
        item, current=bench.truth(number), add=request.add, remove=request.remove
    )
    bench.history.begin(request, plan, started_at=bench.fake.time.now())


def test_changes_of_a_dead_process_count_as_done() -> None:
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert bench.fake.writes == []
    assert sorted(bench.history.entries) == ["job-1:0:1"]
    assert bench.history.entries["job-1:0:1"].verdict is Verdict.VERIFIED


def test_changes_that_a_dead_process_did_not_make_are_made_now() -> None:
    bench = JobBench(service("a", "b"), asks(add={"new"}, remove={"b"}))
    begin_by_hand(bench, 0, add={"new"}, remove={"b"})
    bench.fake.put(item_number(0), {"a", "b", "new"})
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED, "b": VERIFIED}
    assert [call.recipient_id for call in bench.fake.writes] == ["b"]
    second = bench.history.entries["job-1:0:2"]
    assert [(result.step.recipient_id, result.outcome) for result in second.steps] == [
        ("b", Outcome.DONE)
    ]


def test_outcomes_that_were_not_saved_are_read_from_the_history() -> None:
    bench = JobBench(service("a"), asks(add={"new"}))
    bench.move(JobState.RUNNING)
    away = RecordsError("The database is away.", advice="Ask.")
    with (
        patch.object(bench.store, "end_item", side_effect=away),
        pytest.raises(RecordsError),
    ):
        ApplyTask(bench.runner, bench.job).work(*bench.store.items(JOB))
    writes = len(bench.fake.writes)
    assert bench.run()
    assert bench.outcomes == {"new": VERIFIED}
    assert len(bench.fake.writes) == writes


@pytest.mark.parametrize(
    "error",
    [
        not_sent(),
        no_token(),
        unknown_outcome(),
        unexpected_answer(),
        refused(429),
        refused(401),
    ],
)
def test_a_job_waits_while_the_service_is_down_and_skips_nothing(
    error: ItemVisibilityError,
) -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    begin_by_hand(bench, 0, add={"x"}, remove=set())
    begin_by_hand(bench, 1, add={"y"}, remove=set())
    bench.fake.faults += [Fault("getVisibilities", error)] * 100
    pauses: list[float] = []
    waiting: set[tuple[str, object]] = set()

    def is_reported() -> bool:
        if (job := bench.job).state is JobState.WAITING:
            waiting.add((job.message, job.next_try_at))
        return len(waiting) == len(pauses)

    def wait(delay_s: float) -> None:
        pauses.append(delay_s)
        wait_until(is_reported)
        bench.fake.time.sleep(delay_s)
        bench.fake.faults[:] = bench.fake.faults if len(pauses) < 3 else []

    bench.on_pause = wait
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED, "y": VERIFIED}
    (message,) = {message for message, _ in waiting}
    assert message.endswith(" Nothing is skipped: the job tries again by itself.")
    assert pauses == [1, 2, 5]


def test_a_change_that_is_never_confirmed_ends_as_not_confirmed() -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))
    bench.fake.before_call = lambda call: bench.fake.faults.extend(
        [Fault("addVisibility", unknown_outcome())] if call.recipient_id == "x" else []
    )
    assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert (
        len([key for key in bench.history.entries if key.startswith("job-1:0:")])
        == ITEM_ATTEMPTS
    )


def test_a_change_of_unknown_outcome_counts_as_done_when_a_read_shows_it() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))

    def before(call: FakeCall) -> None:
        if call.operation == "addVisibility":
            bench.fake.faults += [Fault("getVisibilities", unknown_outcome())] * 4

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}
    assert len(bench.fake.writes) == 1


@pytest.mark.parametrize(
    "faults", [[not_sent()] * 4, [refused(429)]], ids=["down", "pause"]
)
def test_a_write_that_was_not_processed_is_sent_again(
    faults: list[ItemVisibilityError],
) -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.faults += [Fault("addVisibility", error) for error in faults]
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_changes_by_others_during_the_save_are_left_alone() -> None:
    bench = JobBench(service("a"), asks(add={"a", "x"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(call.item, ()) if call.operation == "addVisibility" else None
    )
    assert bench.run()
    assert bench.outcomes == {"a": Outcome.NOT_SENT, "x": VERIFIED}


def test_a_row_of_an_interrupted_item_is_unknown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = JobBench(service("a", items=2), asks(0, add={"x"}), asks(1, add={"y"}))

    def before(call: FakeCall) -> None:
        if call.recipient_id == "x":
            raise ValueError("never-shown")

    bench.fake.before_call = before
    assert bench.run()
    assert bench.outcomes == {"x": NOT_CONFIRMED, "y": VERIFIED}
    assert bench.messages["x"] == BROKEN_OFF
    assert "never-shown" not in caplog.text


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


def test_changes_that_the_job_did_not_request_get_no_row() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    begin_by_hand(bench, 0, add={"x", "stranger"}, remove=set())
    assert bench.run()
    assert bench.outcomes == {"x": VERIFIED}


def test_changes_before_a_refusal_count_as_done() -> None:
    bench = JobBench(service("a"), asks(add={"x", "y"}))
    begin_by_hand(bench, 0, add={"x", "y"}, remove=set())
    bench.fake.put(item_number(0), {"a", "x"})
    settled = [bench.saver.settle(entry) for entry in bench.history.open_saves()]
    bench.fake.faults.append(Fault("getVisibilities", refused()))
    assert bench.run()
    assert len(settled) == 1
    assert bench.outcomes == {"x": VERIFIED, "y": Outcome.UNKNOWN}


def test_a_refusal_after_an_unknown_outcome_is_not_reported_as_refused() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.fake.lag_s = 3600.0
    bench.fake.faults.append(Fault("addVisibility", unknown_outcome(), is_applied=True))
    bench.fake.faults += [Fault("addVisibility", refused(409))] * 9
    assert bench.run()
    assert bench.truth() == {"a", "x"}
    assert bench.outcomes == {"x": NOT_CONFIRMED}


def test_a_stopped_runner_starts_nothing() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.runner.engine.stop_all()
    assert not bench.runner.run_chunk(JOB)
    assert bench.fake.calls == []


def test_a_paused_job_starts_no_more_items() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    task = ApplyTask(bench.runner, bench.job)
    with pytest.raises(StoppedError):
        task.work(*bench.store.items(JOB))
    assert bench.fake.calls == []


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_job_waits_until_an_item_can_be_read(*, is_begun: bool) -> None:
    bench = JobBench(service("a"), asks(add={"new" if is_begun else "a"}))
    if is_begun:
        begin_by_hand(bench, 0, add={"new"}, remove=set())
    bench.fake.faults += [Fault("getVisibilities", not_sent())] * 20
    pauses: list[float] = []

    def wait(delay_s: float) -> None:
        pauses.append(delay_s)
        assert bench.fake.writes == []
        bench.fake.faults.clear()

    bench.on_pause = wait
    assert bench.run()
    assert pauses == [1.0]
    assert bench.outcomes == ({"new": VERIFIED} if is_begun else {"a": IN_PLACE})


def test_an_item_that_was_never_read_is_given_up_as_not_sent() -> None:
    bench = JobBench(FakeVisibilities({}), asks(add="A"), is_read=False)
    ended = ApplyTask(bench.runner, bench.job).give_up(
        *bench.store.items(JOB), "No answer."
    )
    assert [
        (result.step.recipient_id, result.outcome, result.message) for result in ended
    ] == [("A", Outcome.NOT_SENT, "No answer.")]
