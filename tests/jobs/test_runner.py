"""Running a job: each row ends once, with what is true of it."""

from dataclasses import dataclass, replace

import pytest

from item_visibility.jobs.apply import UNREAD
from item_visibility.saving.job import BulkItem, ItemPreview, JobState
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.request import ChangeKind
from tests.jobs.running import JOB, JobBench, asks, item_number, keys_of, service, sets
from tests.support.fake_visibilities import START, Fault, refused

VERIFIED, IN_PLACE = Outcome.DONE, Outcome.IN_PLACE
REFUSED, NOT_SENT = Outcome.REFUSED, Outcome.NOT_SENT


@dataclass(frozen=True, slots=True)
class Case:
    """A job on one item: its list at the preview and when the job runs, and how it must end."""

    name: str
    previewed: str
    asked: BulkItem
    after: str
    outcomes: dict[str, Outcome]
    meanwhile: str | None = None
    confirmed_count: int | None = None


CASES = [
    Case(
        "changes are made, or already in place",
        "abc",
        asks(add="an", remove="bg"),
        "acn",
        {"a": IN_PLACE, "n": VERIFIED, "b": VERIFIED, "g": IN_PLACE},
    ),
    Case(
        "what others undid since the preview is made",
        "ab",
        asks(add="ab"),
        "ab",
        {"a": VERIFIED, "b": IN_PLACE},
        meanwhile="b",
    ),
    Case(
        "a list is set: the recipients that the preview showed and the rows do not name are removed",
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
        "an item is withdrawn when the count was typed",
        "ab",
        sets(),
        "",
        {"a": VERIFIED, "b": VERIFIED},
        confirmed_count=2,
    ),
    Case("a large removal without a count is not sent", "ab", sets(), "ab", {"a": NOT_SENT, "b": NOT_SENT}),
    Case(
        "a removal that became a large one is not sent",
        "abcd",
        asks(remove="a"),
        "a",
        {"a": NOT_SENT},
        meanwhile="a",
        confirmed_count=0,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_each_row_ends_as_is_true_of_it(case: Case) -> None:
    bench = JobBench(service(*case.previewed), case.asked, confirmed_count=case.confirmed_count)
    bench.fake.put(item_number(0), case.previewed if case.meanwhile is None else case.meanwhile)
    assert bench.run()
    assert (bench.truth(), bench.outcomes) == (frozenset(case.after), case.outcomes)


def test_each_item_is_a_save_in_the_history() -> None:
    bench = JobBench(service(items=2), asks(0, add={"r"}), asks(1, add={"r"}))
    bench.run()
    assert keys_of(bench.history.entries) == ["job-1:0:1", "job-1:1:1"]
    entry = bench.history.entries["job-1:1:1"]
    assert (entry.request.item, entry.request.person, entry.request.reason) == (
        item_number(1),
        "ann",
        "a reason",
    )
    assert entry.request.kind is ChangeKind.BULK


def test_many_items_are_worked_on_at_once_and_each_ends_once() -> None:
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


def test_an_item_whose_read_is_refused_is_refused_as_a_whole() -> None:
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
    bench = JobBench(service("a"), intent)
    bench.show(0, ItemPreview(current=None, read_at=START, refusal="No such item."))
    bench.run()
    assert bench.outcomes == dict.fromkeys(recipients, REFUSED)
    assert set(bench.messages.values()) == {"No such item."}
    assert bench.fake.calls == []


def test_an_item_without_a_preview_is_not_sent() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.show(0, None)
    bench.run()
    assert (bench.outcomes, bench.messages) == ({"x": NOT_SENT}, {"x": UNREAD})


@pytest.mark.parametrize("state", [JobState.PREVIEWED, JobState.PAUSED, JobState.CANCELLED, JobState.ENDED])
def test_a_job_that_nobody_applied_is_not_run(state: JobState) -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.store.now = replace(bench.job, state=state)
    assert not any(map(bench.runner.run_chunk, (JOB, "gone")))
    assert (bench.job.state, bench.fake.calls) == (state, [])


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.CANCELLED])
def test_a_job_stops_between_items_and_goes_on_where_it_stopped(state: JobState) -> None:
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
