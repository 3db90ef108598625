"""Saving: the only way to change the list of an item, from any screen. Notes N3, N11, N17."""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from item_visibility.api.observing import collected, ignore
from item_visibility.api.operations import Visibilities
from item_visibility.changes.confirmation import reason_to_hold
from item_visibility.changes.history_entry import HistoryEntry, SaveHistory
from item_visibility.changes.outcome import SaveResult, Verdict, exchanges_of
from item_visibility.changes.plan import ChangePlan, plan_changes
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.interrupted import read_interrupted
from item_visibility.changes.saving.judge import judge, others_changes
from item_visibility.changes.saving.locks import IsHeld, always_held
from item_visibility.changes.saving.whole_list import send_lists
from item_visibility.changes.saving.writing import Writing
from item_visibility.errors import ItemVisibilityError, RecordsError, RoleError
from item_visibility.people.person import Role

logger = logging.getLogger(__name__)

_MOST_UNRECORDED = 100
"""The limit on results kept for later; older ones are found again by reading."""

EXCHANGES_KEPT = 40
"""The limit of requests on record for a save, its first and its last: a job has 100,000 of them."""

NOT_RECORDED = "The history does not show this yet: the dashboard's own database could not be written."


class Saver:
    """Saves staged changes, and reports only what is true.

    Every step is a goal ("this recipient can see the item"). It is sent as one call to one recipient,
    and settled by reading, never by assuming. `clock` gives aware UTC times, `sleep` waits for seconds.
    """

    def __init__(
        self,
        visibilities: Visibilities,
        history: SaveHistory,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self._visibilities = visibilities
        self._history = history
        self._clock = clock
        self._sleep = sleep
        self._unrecorded: dict[str, SaveResult] = {}

    def save(
        self,
        request: SaveRequest,
        *,
        on_progress: Callable[[int, int], None] = ignore,
        is_held: IsHeld = always_held,
    ) -> SaveResult:
        """Make the staged changes, and return what is true afterwards. Errors are in the result, not raised.

        The same key is saved once: a second call returns the result of the first. Only a save that
        ended with nothing sent frees its key, so that it can be tried again, for instance with the
        missing confirmation. `on_progress` receives the number of steps with an answer, and of all steps;
        `is_held` is asked before a whole list is sent.
        """
        started_at = self._clock()
        with collected(EXCHANGES_KEPT) as asked:
            result = self._begin(request, started_at=started_at)
            if isinstance(result, ChangePlan):
                result = self._write(
                    request, result, started_at=started_at, on_progress=on_progress, is_held=is_held
                )
                if not request.is_empty:
                    result = self._settle(request.key, replace(result, exchanges=exchanges_of(asked)))
        return replace(result, exchanges=exchanges_of(asked))

    def _begin(self, request: SaveRequest, *, started_at: datetime) -> ChangePlan | SaveResult:
        """Read the list and record the intent; return the plan, or the result when nothing is to be sent."""
        try:
            _check_role(request)
            known = self._history.entry(request.key)
            if known is not None and known.verdict is not Verdict.NOTHING_SENT:
                return self._known_result(known)
            current = self._visibilities.get_visibilities(request.item) or frozenset()
            plan = plan_changes(request.item, current=current, add=request.add, remove=request.remove)
            held = self._hold_back(request, plan, started_at=started_at)
            if held is not None:
                return held
            known = None if request.is_empty else self._history.begin(request, plan, started_at=started_at)
            return plan if known is None else self._known_result(known)
        except ItemVisibilityError as error:
            return not_begun(request, error, started_at=started_at, ended_at=self._clock())

    def settle_open(self, entry: HistoryEntry) -> SaveResult:
        """Settle an interrupted save by reading only, and return its result.

        One that cannot be read stays open, and its result is NOT_CONFIRMED. A save that another
        process is still making settles itself later, and replaces what is recorded here.
        """
        known = self._unrecorded.get(entry.request.key)
        if known is not None:
            self._record({entry.request.key: known})
            return known
        with collected(EXCHANGES_KEPT) as asked:
            result = self._read_result(entry)
        result = replace(result, exchanges=exchanges_of(asked))
        if result.after is not None:
            self._history.settle_open(entry.request.key, result)
        return result

    def _hold_back(
        self, request: SaveRequest, plan: ChangePlan, *, started_at: datetime
    ) -> SaveResult | None:
        hold = reason_to_hold(request, plan)
        if hold is None:
            return None
        return SaveResult(
            item=request.item,
            verdict=Verdict.NOTHING_SENT,
            others=others_changes(request.base, plan.current),
            before=plan.current,
            started_at=started_at,
            ended_at=self._clock(),
            message=hold.message,
            advice=hold.advice,
        )

    def _write(
        self,
        request: SaveRequest,
        plan: ChangePlan,
        *,
        started_at: datetime,
        on_progress: Callable[[int, int], None],
        is_held: IsHeld,
    ) -> SaveResult:
        writing = Writing(
            self._visibilities,
            plan,
            sleep=self._sleep,
            on_step=lambda done: on_progress(done, len(plan.steps)),
        )
        if not plan.is_empty:
            send_lists(writing, base=request.base or frozenset(), is_held=is_held)
            writing.send_singly()
            writing.confirm()
        return judge(request, writing, started_at=started_at, ended_at=self._clock())

    def _settle(self, key: str, result: SaveResult) -> SaveResult:
        """Record this result and any that could not be recorded before; report a failure in the result.

        After a failure the result is still true. It is kept here, and recorded as soon as possible.
        """
        self._unrecorded[key] = result
        for forgotten in list(self._unrecorded)[:-_MOST_UNRECORDED]:
            self._unrecorded.pop(forgotten, None)
        try:
            self._record(dict(self._unrecorded))
        except RecordsError as error:
            logger.warning("The outcome of save %s is not recorded yet: %s", key, error.message)
            return replace(
                result,
                message=f"{result.message} {NOT_RECORDED}".lstrip(),
                advice=f"{result.advice} {error.advice}".lstrip(),
            )
        return result

    def _record(self, results: dict[str, SaveResult]) -> None:
        for key, result in results.items():
            self._history.settle(key, result)
            self._unrecorded.pop(key, None)

    def _known_result(self, entry: HistoryEntry) -> SaveResult:
        """Return the result of a save with the same key; if it is open, what a read shows, unrecorded."""
        return entry.result or self._unrecorded.get(entry.request.key) or self._read_result(entry)

    def _read_result(self, entry: HistoryEntry) -> SaveResult:
        return read_interrupted(self._visibilities, entry, clock=self._clock, sleep=self._sleep)


def _check_role(request: SaveRequest) -> None:
    """Raise RoleError unless an editor asks for the changes: whoever hands a save over has admitted one."""
    if not request.is_empty and (request.role is None or request.role < Role.EDITOR):
        raise RoleError(
            "Nobody who may change anything asked for this. Nothing was sent.",
            advice="Sign in as an editor, and save again.",
        )


def not_begun(
    request: SaveRequest, error: ItemVisibilityError, *, started_at: datetime, ended_at: datetime
) -> SaveResult:
    """Return the result of a save that an error ended before anything was sent."""
    return SaveResult(
        item=request.item,
        verdict=Verdict.NOTHING_SENT,
        started_at=started_at,
        ended_at=ended_at,
        message=error.message,
        advice=error.advice,
        error=error,
    )
