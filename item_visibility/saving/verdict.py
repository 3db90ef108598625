"""Decides how a save ended: the outcome of each step, the verdict and the message. Notes N5, N7."""

from collections.abc import Iterable
from datetime import datetime

from item_visibility.errors import CallError, ItemVisibilityError, RefusedError
from item_visibility.saving.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.saving.plan import ChangeStep, is_met
from item_visibility.saving.request import ChangeRequest
from item_visibility.saving.send_and_verify import (
    CallErrors,
    ListReader,
    Writing,
    found_nothing_to_remove,
    may_be_sent,
    result_of,
)

NOT_SHOWN = "The service accepted this change, but does not show it."
LOOK_AGAIN = "Reload in a moment, then save what is still missing."
CHANGED_WHILE_SAVING = "This was changed again during the save."
INTERRUPTED = (
    "The end of this save was not recorded: the program stopped, or its database could not be written."
)
_NOT_MADE = frozenset({Outcome.REFUSED, Outcome.NOT_SENT})


def in_words(error: ItemVisibilityError) -> str:
    """Return the error's message. If the service refused the call, it includes the service's own words."""
    if not isinstance(error, RefusedError):
        return error.message
    words = str(error)
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def others_changes(known: frozenset[str] | None, seen: frozenset[str]) -> OthersChanges:
    """Return the changes that somebody else must have made between the known list and the list just read."""
    before = known or frozenset()
    return OthersChanges(added=seen - before, removed=before - seen)


def judge(
    request: ChangeRequest, writing: Writing, *, started_at: datetime, ended_at: datetime
) -> SaveResult:
    """Return the result of a save after its last call and read."""
    plan, after = writing.plan, writing.reader.seen
    without_ours = plan.current if after is None else (after - plan.added) | plan.removed
    made = tuple(_step_result(step, errors, after) for step, errors in writing.errors.items())
    in_place = tuple(
        StepResult(step, Outcome.IN_PLACE)
        if after is None or is_met(step, after)
        else StepResult(step, Outcome.UNKNOWN, message=CHANGED_WHILE_SAVING)
        for step in plan.in_place
    )
    steps = made + in_place
    verdict = _verdict(steps, after)
    message, advice = ("", "") if verdict is Verdict.VERIFIED else _reason(steps, writing)
    if verdict is Verdict.NOT_CONFIRMED or (verdict is Verdict.DIFFERS and not advice):
        advice = LOOK_AGAIN
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


def judge_interrupted(entry: HistoryEntry, reader: ListReader, *, ended_at: datetime) -> SaveResult:
    """Return the result of an interrupted save, as far as a read can tell.

    A requested change that the read shows counts as made by this save. Every other change is UNKNOWN,
    because the service may still be processing a call. If the read failed, `after` is None.
    """
    seen = reader.seen
    steps = tuple(_found(result, seen) for result in entry.steps)
    verdict = _verdict(steps, seen)
    reason = reader.error.message if reader.error else ""
    ours = entry.request.add | entry.request.remove
    before = (entry.request.base or frozenset()) - ours
    return SaveResult(
        item=entry.request.item,
        verdict=verdict,
        steps=steps,
        others=others_changes(before, before if seen is None else seen - ours),
        before=entry.request.base,
        after=seen,
        started_at=entry.started_at,
        ended_at=ended_at,
        message=f"{INTERRUPTED} {reason}".rstrip(),
        advice="" if verdict is Verdict.VERIFIED else LOOK_AGAIN,
    )


def _found(result: StepResult, seen: frozenset[str] | None) -> StepResult:
    if seen is None or not is_met(result.step, seen):
        return StepResult(result.step, Outcome.UNKNOWN, message=INTERRUPTED)
    return result if result.outcome is Outcome.IN_PLACE else StepResult(result.step, Outcome.DONE)


def _step_result(step: ChangeStep, errors: CallErrors, after: frozenset[str] | None) -> StepResult:
    was_accepted = None in errors
    # an accepted or unknown call can have made the change, even if a later call was refused
    is_perhaps_ours = was_accepted or any(result_of(error) is Outcome.UNKNOWN for error in errors)
    if after is not None and is_met(step, after):
        outcome = Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE
    elif was_accepted and after is None:
        outcome = Outcome.DONE
    elif is_perhaps_ours or (after is None and found_nothing_to_remove(step, errors)):
        outcome = Outcome.UNKNOWN
    else:
        outcome = Outcome.NOT_SENT if may_be_sent(errors) else Outcome.REFUSED
    attempts = sum(result_of(error) is not Outcome.NOT_SENT for error in errors)
    if not errors or outcome in (Outcome.DONE, Outcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    error = errors[-1]
    problem = error.problem if isinstance(error, CallError) else None
    message = NOT_SHOWN if error is None or None in errors else error.message
    return StepResult(step, outcome, attempts, problem, message)


def _verdict(steps: Iterable[StepResult], after: frozenset[str] | None) -> Verdict:
    outcomes = {result.outcome for result in steps}
    if not outcomes & {Outcome.DONE, Outcome.REFUSED, Outcome.UNKNOWN}:
        return Verdict.NOTHING_SENT if Outcome.NOT_SENT in outcomes else Verdict.VERIFIED
    if after is None or Outcome.UNKNOWN in outcomes:
        return Verdict.NOT_CONFIRMED
    return Verdict.DIFFERS if outcomes & _NOT_MADE else Verdict.VERIFIED


def _reason(steps: tuple[StepResult, ...], writing: Writing) -> tuple[str, str]:
    """Return the message and the advice of the first change that was not made."""
    for result in steps:
        errors = writing.errors[result.step] if result.outcome in _NOT_MADE else []
        if errors and errors[-1] is not None:
            return in_words(errors[-1]), errors[-1].advice
    error = writing.reader.error
    return (in_words(error), error.advice) if error else ("", "")
