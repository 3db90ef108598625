"""Saves that never settled because the program stopped, and their results from a read."""

from collections.abc import Callable
from datetime import datetime

from item_visibility.api.operations import Visibilities
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import SaveResult, StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import is_met
from item_visibility.changes.saving.judge import LOOK_AGAIN, others_changes
from item_visibility.changes.saving.read_back import ListReader

INTERRUPTED = (
    "The end of this save was not recorded: the program stopped, or its database could not be written."
)
"""Afterwards nobody knows which of the two happened."""


def read_interrupted(
    visibilities: Visibilities,
    entry: HistoryEntry,
    *,
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
) -> SaveResult:
    """Return the result of an open save, by reading only.

    A change that a read shows counts as done by this save. One that it does not show is UNKNOWN:
    never sent, sent and not shown yet, or sent and reversed by somebody else. The result is then
    NOT_CONFIRMED. When no read succeeds it is also NOT_CONFIRMED, with an `after` of None.
    """
    reader = ListReader(visibilities, entry.request.item, sleep=sleep)
    reader.read_until(lambda seen: all(is_met(result.step, seen) for result in entry.steps))
    steps = tuple(_found(result, reader.seen) for result in entry.steps)
    verdict = _verdict(steps, reader.seen)
    message, advice = _words(verdict, reader)
    ours = entry.request.add | entry.request.remove
    before = (entry.request.base or frozenset()) - ours
    return SaveResult(
        item=entry.request.item,
        verdict=verdict,
        steps=steps,
        others=others_changes(before, before if reader.seen is None else reader.seen - ours),
        before=entry.request.base,
        after=reader.seen,
        started_at=entry.started_at,
        ended_at=clock(),
        message=message,
        advice=advice,
    )


def _found(result: StepResult, seen: frozenset[str] | None) -> StepResult:
    if seen is None or not is_met(result.step, seen):
        return StepResult(result.step, StepOutcome.UNKNOWN, message=INTERRUPTED)
    if result.outcome is StepOutcome.IN_PLACE:
        return result
    return StepResult(result.step, StepOutcome.DONE)


def _verdict(steps: tuple[StepResult, ...], seen: frozenset[str] | None) -> Verdict:
    if seen is None:
        return Verdict.NOT_CONFIRMED
    is_unmet = any(result.outcome is StepOutcome.UNKNOWN for result in steps)
    return Verdict.NOT_CONFIRMED if is_unmet else Verdict.VERIFIED


def _words(verdict: Verdict, reader: ListReader) -> tuple[str, str]:
    if verdict is Verdict.VERIFIED:
        return f"{INTERRUPTED} A read afterwards shows that every change was made.", ""
    if reader.seen is not None:
        return f"{INTERRUPTED} A read afterwards does not show every change.", LOOK_AGAIN
    reason = reader.error.message if reader.error else ""
    return f"{INTERRUPTED} It is not known whether it was saved: {reason}".rstrip(), LOOK_AGAIN
