"""Taking a whole job back."""

from collections.abc import Iterable
from dataclasses import replace

from item_visibility.saving.job import BulkItem
from item_visibility.saving.outcome import HistoryEntry, Outcome, StepResult, Verdict
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.use_cases.bulk import undo_items
from tests.jobs.running import JOB, JobBench, asks, service
from tests.support.fake_visibilities import FakeCall, Fault, unknown_outcome

DONE, UNKNOWN, IN_PLACE = Outcome.DONE, Outcome.UNKNOWN, Outcome.IN_PLACE


def undone_by(entries: Iterable[HistoryEntry]) -> tuple[BulkItem, ...]:
    """The items that take back these saves, after which nobody changed anything."""
    return undo_items((one, frozenset()) for one in entries)[0]


def entry(
    bench: JobBench, attempt: int, verdict: Verdict | None = Verdict.NOT_CONFIRMED, **outcomes: Outcome
) -> HistoryEntry:
    """An attempt to add these, for the first item."""
    steps = tuple(
        StepResult(ChangeStep(recipient_id, Goal.VISIBLE), outcome)
        for recipient_id, outcome in outcomes.items()
    )
    known = bench.history.entries["job-1:0:1"]
    result = replace(known.result, verdict=verdict, steps=steps, after=None) if verdict else None
    request = replace(known.request, key=f"{JOB}:0:{attempt}")
    return replace(known, request=request, steps=steps, result=result)


def test_what_several_attempts_did_is_taken_back_together() -> None:
    bench = JobBench(service("a"), asks(add={"x", "y"}))

    def before(call: FakeCall) -> None:
        if call.recipient_id == "x" and len(bench.fake.writes) == 1:
            bench.fake.faults.append(
                Fault("addVisibility", unknown_outcome("addVisibility"), is_applied=True)
            )
            bench.fake.faults += [Fault("getVisibilities", unknown_outcome("getVisibilities"))] * 4

    bench.fake.before_call = before
    assert bench.run()
    entries = bench.history.entries
    assert undone_by([entries[key] for key in sorted(entries)]) == (asks(remove={"x", "y"}),)


def test_what_stayed_unknown_is_not_taken_back() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.run()
    attempts = [
        entry(bench, 1, x=UNKNOWN, y=UNKNOWN, z=DONE),
        entry(bench, 2, x=IN_PLACE, y=UNKNOWN, other=IN_PLACE),
    ]
    assert undone_by(attempts) == (asks(remove={"x", "z"}),)


def test_what_has_not_ended_is_taken_back_too() -> None:
    bench = JobBench(service("a"), asks(add={"x"}))
    bench.run()
    attempts = [entry(bench, 1, None, x=UNKNOWN, a=IN_PLACE)]
    assert undone_by(attempts) == (asks(remove={"x"}),)
