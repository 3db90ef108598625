"""Saves changes to an item, and decides how the save ended. Notes N3, N5, N7, N11, N17.

All screens, jobs and commands use this module.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Semaphore

from item_visibility.access.people import Role
from item_visibility.client.call_records import collected, ignore
from item_visibility.client.client import VisibilityClient
from item_visibility.errors import (
    CallError,
    ItemVisibilityError,
    NotStartedError,
    RecordsError,
    RoleError,
)
from item_visibility.model.change import (
    ChangeOperation,
    ChangePlan,
    ChangeRequest,
    ChangeStep,
    is_met,
    plan_changes,
)
from item_visibility.model.large_changes import reason_not_to_start
from item_visibility.model.outcome import (
    HistoryEntry,
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
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
            plan = self._begin(request, started_at=started_at)
            if isinstance(plan, SaveResult):
                return replace(plan, exchanges=tuple(calls))

            # Send what is missing, and read the list back.
            writing = Writing(
                self.visibilities, plan, self._free_calls, self.sleep, on_progress
            )
            if request.operation is ChangeOperation.EDIT and plan.steps:
                writing.send_singly()
                writing.confirm()
            elif plan.steps:
                writing.send_list(is_held=is_held)

        # Judge by the answers and the last read, and record the result.
        result = judge_save(
            request, writing, started_at=started_at, ended_at=self.clock()
        )
        result = replace(result, exchanges=tuple(calls))
        return result if request.is_empty else self._record_result(request.key, result)

    def _begin(
        self, request: ChangeRequest, *, started_at: datetime
    ) -> ChangePlan | SaveResult:
        """Read the list, record the request and return the plan.

        If nothing is to be sent, return the result instead.
        """
        try:
            # The caller has set the role of the person who pressed Save.
            if request.role is None or request.role < Role.EDITOR:
                raise RoleError(
                    "This change was not requested by an editor. Nothing was sent.",
                    advice="Sign in as an editor, and save again.",
                )

            # The same key is saved only once.
            earlier = self.history.entry(request.key)
            if earlier is not None and earlier.verdict is not Verdict.NOTHING_SENT:
                return self._earlier_result(request, earlier)

            # Plan the changes that the current list still needs.
            current = self.visibilities.get_visibilities(request.item) or frozenset()
            plan = plan_changes(
                request.item, current=current, add=request.add, remove=request.remove
            )
            reason = reason_not_to_start(request, plan)
            if reason is not None:
                return nothing_sent(request, reason, at=self.clock(), current=current)
            if request.is_empty:
                return plan

            # Record the intent before the first write. Another process may have begun
            # a save with this key meanwhile.
            earlier = self.history.begin(request, plan, started_at=started_at)
            return plan if earlier is None else self._earlier_result(request, earlier)
        except ItemVisibilityError as error:
            return nothing_sent(request, error, at=self.clock())

    def _earlier_result(
        self, request: ChangeRequest, entry: HistoryEntry
    ) -> SaveResult:
        """Return the result of the earlier save with this key.

        Find a missing result by reading the list.
        """
        if not request.has_content_of(entry.request):
            return nothing_sent(request, OTHER_CONTENT, at=self.clock())
        return entry.result or self._read_result(entry)

    def _record_result(self, key: str, result: SaveResult) -> SaveResult:
        """Record the result and return it. If this fails, its message says so."""
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
        """Find out by reading how an interrupted save ended, and record the result.

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
        def shows_all(seen: frozenset[str]) -> bool:
            return all(is_met(result.step, seen) for result in entry.steps)

        reader = ListReader(self.visibilities, entry.request.item, self.sleep)
        reader.read_until(shows_all)
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
    others = OthersChanges()
    if current is not None:
        others = others_changes(request.base, current)
    return SaveResult(
        item=request.item,
        verdict=Verdict.NOTHING_SENT,
        others=others,
        before=current,
        started_at=at,
        ended_at=at,
        message=str(error),
        advice=error.advice,
        error=error,
    )


def others_changes(base: frozenset[str] | None, seen: frozenset[str]) -> OthersChanges:
    """Return the changes that others made between the list `base` and this read."""
    before = base or frozenset()
    return OthersChanges(added=seen - before, removed=before - seen)


def judge_save(
    request: ChangeRequest,
    writing: Writing,
    *,
    started_at: datetime,
    ended_at: datetime,
) -> SaveResult:
    """Return the result, judged by the answers to the calls and the last read."""
    plan = writing.plan
    after = writing.reader.seen

    # Judge each requested change.
    steps = [
        _step_result(step, errors, after) for step, errors in writing.errors.items()
    ]
    for step in plan.in_place:
        if after is None or is_met(step, after):
            steps.append(StepResult(step, Outcome.IN_PLACE))
        else:
            steps.append(
                StepResult(step, Outcome.UNKNOWN, message=CHANGED_WHILE_SAVING)
            )

    # Judge the save.
    verdict = _verdict(steps, after)
    message = ""
    advice = ""
    if verdict is not Verdict.VERIFIED:
        message, advice = _reason(steps, writing)
    if verdict is Verdict.NOT_CONFIRMED or (verdict is Verdict.DIFFERS and not advice):
        advice = LOOK_AGAIN

    # Without our own changes, the list shows what others changed.
    without_ours = plan.current
    if after is not None:
        without_ours = (after - plan.added) | plan.removed
    return SaveResult(
        item=request.item,
        verdict=verdict,
        steps=tuple(steps),
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
    steps = tuple(_settled_step(result, seen) for result in entry.steps)
    verdict = _verdict(steps, seen)
    reason = reader.error.message if reader.error else ""

    # This save may have changed its own recipients, so only the others count.
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


def _settled_step(result: StepResult, seen: frozenset[str] | None) -> StepResult:
    if seen is None or not is_met(result.step, seen):
        return StepResult(result.step, Outcome.UNKNOWN, message=INTERRUPTED)
    if result.outcome is Outcome.IN_PLACE:
        return result
    return StepResult(result.step, Outcome.DONE)


def _step_result(
    step: ChangeStep, errors: CallErrors, after: frozenset[str] | None
) -> StepResult:
    # An accepted call or one of unknown outcome can have made the change, even if a
    # later call was refused.
    outcomes = [outcome_of(error) for error in errors]
    was_accepted = None in errors
    is_perhaps_ours = was_accepted or Outcome.UNKNOWN in outcomes

    if after is not None and is_met(step, after):
        outcome = Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE
    elif was_accepted and after is None:
        outcome = Outcome.DONE
    elif is_perhaps_ours or (after is None and found_nothing_to_remove(step, errors)):
        outcome = Outcome.UNKNOWN
    else:
        outcome = Outcome.NOT_SENT if may_be_sent(errors) else Outcome.REFUSED
    attempts = len(outcomes) - outcomes.count(Outcome.NOT_SENT)

    # Explain why the change was not made.
    if not errors or outcome in (Outcome.DONE, Outcome.IN_PLACE):
        return StepResult(step, outcome, attempts)
    error = errors[-1]
    problem = error.problem if isinstance(error, CallError) else None
    message = NOT_SHOWN if error is None or was_accepted else error.message
    return StepResult(step, outcome, attempts, problem, message)


def _verdict(steps: Iterable[StepResult], after: frozenset[str] | None) -> Verdict:
    outcomes = {result.outcome for result in steps}
    if not outcomes & {Outcome.DONE, Outcome.REFUSED, Outcome.UNKNOWN}:
        is_unsent = Outcome.NOT_SENT in outcomes
        return Verdict.NOTHING_SENT if is_unsent else Verdict.VERIFIED
    if after is None or Outcome.UNKNOWN in outcomes:
        return Verdict.NOT_CONFIRMED
    return Verdict.DIFFERS if outcomes & _NOT_MADE else Verdict.VERIFIED


def _reason(steps: Iterable[StepResult], writing: Writing) -> tuple[str, str]:
    """Return the message and the advice for the first change that was not made."""
    for result in steps:
        errors = writing.errors[result.step] if result.outcome in _NOT_MADE else []
        if errors and errors[-1] is not None:
            return str(errors[-1]), errors[-1].advice

    error = writing.reader.error
    if error is None:
        return "", ""
    return str(error), error.advice
