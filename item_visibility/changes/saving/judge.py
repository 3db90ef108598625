"""The verdict on a save, from the answers and a read, and its words."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from item_visibility.changes.outcome import OthersChanges, SaveResult, StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import is_met
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.step_outcome import step_result
from item_visibility.changes.saving.writing import Writing

LOOK_AGAIN = "Load the list again in a moment to see how it stands; then save what is still missing."
CHANGED_WHILE_SAVING = "This was changed again while the save ran."
_NOT_MADE = frozenset({StepOutcome.REFUSED, StepOutcome.NOT_SENT})
_SENT = frozenset({StepOutcome.DONE, StepOutcome.REFUSED, StepOutcome.UNKNOWN})


def others_changes(known: frozenset[str] | None, seen: frozenset[str]) -> OthersChanges:
    """Return what somebody else changed between the known list and the list just read."""
    before = known or frozenset()
    return OthersChanges(added=seen - before, removed=before - seen)


def judge(request: SaveRequest, writing: Writing, *, started_at: datetime, ended_at: datetime) -> SaveResult:
    """Return the result of a save whose writes are over."""
    plan, after = writing.plan, writing.seen
    without_ours = plan.current if after is None else (after - plan.added) | plan.removed
    made = tuple(step_result(step, writes, after) for step, writes in writing.writes.items())
    in_place = tuple(
        StepResult(step, StepOutcome.IN_PLACE)
        if after is None or is_met(step, after)
        else StepResult(step, StepOutcome.UNKNOWN, message=CHANGED_WHILE_SAVING)
        for step in plan.in_place
    )
    steps = made + in_place
    verdict = _verdict(steps, after)
    message, advice = _words(verdict, steps, writing)
    return SaveResult(
        item=request.item,
        verdict=verdict,
        steps=steps,
        others=others_changes(request.base, without_ours),
        before=plan.current,
        after=after,
        started_at=started_at,
        ended_at=ended_at,
        message=message,
        advice=advice,
    )


def _verdict(steps: Iterable[StepResult], after: frozenset[str] | None) -> Verdict:
    outcomes = {result.outcome for result in steps}
    if not outcomes & _SENT:
        return Verdict.NOTHING_SENT if StepOutcome.NOT_SENT in outcomes else Verdict.VERIFIED
    if after is None:
        return Verdict.NOT_CONFIRMED
    if StepOutcome.UNKNOWN in outcomes:
        return Verdict.NOT_CONFIRMED
    return Verdict.DIFFERS if outcomes & _NOT_MADE else Verdict.VERIFIED


def _words(verdict: Verdict, steps: tuple[StepResult, ...], writing: Writing) -> tuple[str, str]:
    """Return the message and the advice; both empty for a verified save."""
    if verdict is Verdict.VERIFIED:
        return "", ""
    reason, advice = _reason(steps, writing)
    if verdict is Verdict.NOTHING_SENT:
        return reason, advice
    counted = _count(steps)
    if writing.seen is None:
        unread = "Changes were sent, but the list could not be read afterwards"
        return f"{unread}: {counted}. {reason}".rstrip(), LOOK_AGAIN
    if verdict is Verdict.NOT_CONFIRMED:
        shown = f"The list as read afterwards does not show every change yet: {counted}."
        return f"{shown} {reason}".rstrip(), LOOK_AGAIN
    return f"Not every change was made: {counted}. {reason}".rstrip(), advice or LOOK_AGAIN


def _count(steps: tuple[StepResult, ...]) -> str:
    """Return the number of steps for each outcome, such as "2 done, 1 refused"."""
    counts = Counter(result.outcome for result in steps)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in StepOutcome if counts[outcome])


def _reason(steps: tuple[StepResult, ...], writing: Writing) -> tuple[str, str]:
    """Return the first failure, in the service's or the client's words, and what to do about it."""
    for result in steps:
        writes = writing.writes[result.step] if result.outcome in _NOT_MADE else []
        if writes and writes[-1] is not None:
            return writes[-1].message, writes[-1].advice
    error = writing.reader.error
    return (error.message, error.advice) if error else ("", "")
