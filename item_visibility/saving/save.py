"""Saves changes to an item, and decides how the save ended. Notes N3, N5, N7, N11, N17.

All screens, jobs and commands use this module.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Semaphore

from item_visibility.access.access import Role
from item_visibility.client.call_records import collected, ignore
from item_visibility.client.client import VisibilityClient
from item_visibility.errors import (
    CallError,
    ItemVisibilityError,
    NotStartedError,
    RecordsError,
    RoleError,
)
from item_visibility.saving.large_changes import reason_not_to_start
from item_visibility.saving.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.saving.plan import (
    ChangePlan,
    ChangeRequest,
    ChangeStep,
    Operation,
    is_met,
    plan_changes,
)
from item_visibility.saving.send_and_verify import (
    CALLS_AT_ONCE,
    CallErrors,
    IsHeld,
    ListReader,
    Writing,
    found_nothing_to_remove,
    may_be_sent,
    outcome_of,
)
from item_visibility.storage.history import History

logger = logging.getLogger(__name__)

OTHER_CONTENT = NotStartedError(
    "This form was already saved with different content. Nothing was sent.",
    advice="Reload the item, and make the change again.",
)

NOT_RECORDED = (
    "The history shows this result once the dashboard's own database can be written to"
    " again."
)
NOT_SHOWN = "The service accepted this change, but does not show it."
LOOK_AGAIN = "Reload in a moment, then save what is still missing."
CHANGED_WHILE_SAVING = "This was changed again during the save."
INTERRUPTED = (
    "The end of this save was not recorded, because the program or its database"
    " stopped."
)
_NOT_MADE = frozenset({Outcome.REFUSED, Outcome.NOT_SENT})


@dataclass(eq=False)
class Saver:
    """Saves changes, and verifies them by reading the list.

    All saves together change at most `calls_at_once` recipients at the same time.
    `clock` returns aware UTC times; `sleep` takes seconds.
    """

    visibilities: VisibilityClient
    history: History
    clock: Callable[[], datetime] = field(kw_only=True)
    sleep: Callable[[float], None] = field(kw_only=True)
    calls_at_once: int = field(default=CALLS_AT_ONCE, kw_only=True)

    def __post_init__(self) -> None:
        self._free_calls = Semaphore(self.calls_at_once)

    def save(
        self,
        request: ChangeRequest,
        *,
        on_progress: Callable[[int, int], None] = ignore,
        is_held: IsHeld = lambda: True,
    ) -> SaveResult:
        """Make the changes, and read the list back.

        Errors are part of the result, and are not raised.

        A second call with the same key and content returns the first result. A second
        call with the same key and other content sends nothing. If the first save sent
        nothing, its key can be used again, for example after a missing confirmation.
        `on_progress` receives the number of answered steps and the number of all steps.
        `is_held` is called before a whole list is sent.
        """
        started_at = self.clock()
        with collected() as calls:
            result = self._begin(request, started_at=started_at)
            if isinstance(result, ChangePlan):
                writing = Writing(
                    self.visibilities, result, self._free_calls, self.sleep, on_progress
                )
                if request.operation is Operation.EDIT and result.steps:
                    writing.send_singly()
                    writing.confirm()
                elif result.steps:
                    writing.send_list(is_held=is_held)
                result = judge(
                    request, writing, started_at=started_at, ended_at=self.clock()
                )
                if not request.is_empty:
                    result = self._record_result(
                        request.key, replace(result, exchanges=tuple(calls))
                    )
        return replace(result, exchanges=tuple(calls))

    def _begin(
        self, request: ChangeRequest, *, started_at: datetime
    ) -> ChangePlan | SaveResult:
        """Read the list, record the request and return the plan.

        If nothing is to be sent, return the result instead.
        """
        try:
            if (
                request.role is None or request.role < Role.EDITOR
            ):  # the caller has set `role`
                raise RoleError(
                    "This change was not requested by an editor. Nothing was sent.",
                    advice="Sign in as an editor, and save again.",
                )
            known = self.history.entry(request.key)
            if known is not None and known.verdict is not Verdict.NOTHING_SENT:
                return self._known_result(request, known)
            current = self.visibilities.get_visibilities(request.item) or frozenset()
            plan = plan_changes(
                request.item, current=current, add=request.add, remove=request.remove
            )
            reason = reason_not_to_start(request, plan)
            if reason is not None:
                return nothing_sent(request, reason, at=self.clock(), current=current)
            known = (
                None
                if request.is_empty
                else self.history.begin(request, plan, started_at=started_at)
            )
            return plan if known is None else self._known_result(request, known)
        except ItemVisibilityError as error:
            return nothing_sent(request, error, at=self.clock())

    def _known_result(self, request: ChangeRequest, entry: HistoryEntry) -> SaveResult:
        """Return the result of the earlier save with this key.

        Find a missing result by reading the list.
        """
        if not request.has_content_of(entry.request):
            return nothing_sent(request, OTHER_CONTENT, at=self.clock())
        return entry.result or self._read_result(entry)

    def _record_result(self, key: str, result: SaveResult) -> SaveResult:
        """Record the result and return it.

        If this fails, the message of the result says so.
        """
        try:
            self.history.record_result(key, result)
        except RecordsError as error:
            logger.warning(
                "The outcome of save %s is not recorded yet: %s", key, error.message
            )
            return replace(
                result,
                message=f"{result.message} {NOT_RECORDED}".lstrip(),
                advice=f"{result.advice} {error.advice}".lstrip(),
            )
        return result

    def settle(self, entry: HistoryEntry) -> SaveResult:
        """Find out how an interrupted save ended.

        Only read the list, then record and return the result.
        The caller must hold the lock of the item. If the read fails, nothing is
        recorded and the result is NOT_CONFIRMED.
        """
        with collected() as calls:
            result = self._read_result(entry)
        result = replace(result, exchanges=tuple(calls))
        if result.after is not None:
            self.history.record_result(entry.request.key, result, is_late=True)
        return result

    def _read_result(self, entry: HistoryEntry) -> SaveResult:
        reader = ListReader(self.visibilities, entry.request.item, self.sleep)
        reader.read_until(
            lambda seen: all(is_met(result.step, seen) for result in entry.steps)
        )
        return settled_result(entry, reader, ended_at=self.clock())


def nothing_sent(
    request: ChangeRequest,
    error: ItemVisibilityError,
    *,
    at: datetime,
    current: frozenset[str] | None = None,
) -> SaveResult:
    """Return the result of a save that sent nothing.

    `current` is the list of the item, if it was read.
    """
    return SaveResult(
        item=request.item,
        verdict=Verdict.NOTHING_SENT,
        others=OthersChanges()
        if current is None
        else others_changes(request.base, current),
        before=current,
        started_at=at,
        ended_at=at,
        message=str(error),
        advice=error.advice,
        error=error,
    )


def others_changes(known: frozenset[str] | None, seen: frozenset[str]) -> OthersChanges:
    """Return the changes that others made between the known list and this read."""
    before = known or frozenset()
    return OthersChanges(added=seen - before, removed=before - seen)


def judge(
    request: ChangeRequest,
    writing: Writing,
    *,
    started_at: datetime,
    ended_at: datetime,
) -> SaveResult:
    """Return the result, judged by the answers to the calls and the last read."""
    plan, after = writing.plan, writing.reader.seen
    without_ours = (
        plan.current if after is None else (after - plan.added) | plan.removed
    )
    made = tuple(
        _step_result(step, errors, after) for step, errors in writing.errors.items()
    )
    in_place = tuple(
        StepResult(step, Outcome.IN_PLACE)
        if after is None or is_met(step, after)
        else StepResult(step, Outcome.UNKNOWN, message=CHANGED_WHILE_SAVING)
        for step in plan.in_place
    )
    steps = made + in_place
    verdict = _verdict(steps, after)
    message, advice = (
        ("", "") if verdict is Verdict.VERIFIED else _reason(steps, writing)
    )
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


def settled_result(
    entry: HistoryEntry, reader: ListReader, *, ended_at: datetime
) -> SaveResult:
    """Return the result of an interrupted save, as far as a read can tell.

    If the read shows a requested change, the change counts as made by this save. Every
    other change is UNKNOWN, because the service may still be processing a call. If the
    read failed, `after` is None.
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
    return (
        result
        if result.outcome is Outcome.IN_PLACE
        else StepResult(result.step, Outcome.DONE)
    )


def _step_result(
    step: ChangeStep, errors: CallErrors, after: frozenset[str] | None
) -> StepResult:
    was_accepted = None in errors
    # an accepted call or one of unknown outcome can have made the change, even if a
    # later call was refused
    is_perhaps_ours = was_accepted or any(
        outcome_of(error) is Outcome.UNKNOWN for error in errors
    )
    if after is not None and is_met(step, after):
        outcome = Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE
    elif was_accepted and after is None:
        outcome = Outcome.DONE
    elif is_perhaps_ours or (after is None and found_nothing_to_remove(step, errors)):
        outcome = Outcome.UNKNOWN
    else:
        outcome = Outcome.NOT_SENT if may_be_sent(errors) else Outcome.REFUSED
    attempts = sum(outcome_of(error) is not Outcome.NOT_SENT for error in errors)
    if not errors or outcome in (Outcome.DONE, Outcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    error = errors[-1]
    problem = error.problem if isinstance(error, CallError) else None
    message = NOT_SHOWN if error is None or None in errors else error.message
    return StepResult(step, outcome, attempts, problem, message)


def _verdict(steps: Iterable[StepResult], after: frozenset[str] | None) -> Verdict:
    outcomes = {result.outcome for result in steps}
    if not outcomes & {Outcome.DONE, Outcome.REFUSED, Outcome.UNKNOWN}:
        return (
            Verdict.NOTHING_SENT if Outcome.NOT_SENT in outcomes else Verdict.VERIFIED
        )
    if after is None or Outcome.UNKNOWN in outcomes:
        return Verdict.NOT_CONFIRMED
    return Verdict.DIFFERS if outcomes & _NOT_MADE else Verdict.VERIFIED


def _reason(steps: tuple[StepResult, ...], writing: Writing) -> tuple[str, str]:
    """Return the message and the advice for the first change that was not made."""
    for result in steps:
        errors = writing.errors[result.step] if result.outcome in _NOT_MADE else []
        if errors and errors[-1] is not None:
            return str(errors[-1]), errors[-1].advice
    error = writing.reader.error
    return (str(error), error.advice) if error else ("", "")
