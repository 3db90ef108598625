"""Saves run in workers of the process, so no screen, tab or rerun can interrupt one."""

import logging
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from threading import Condition
from typing import Protocol

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.outcome import OthersChanges, SaveResult, StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import ChangeStep, Goal
from item_visibility.changes.request import SaveRequest
from item_visibility.changes.saving.judge import LOOK_AGAIN

ENDED_WITHIN_S = 10.0
"""The longest wait for saves at the program's end. The next start settles those cut then, by reading."""

CUT_WITHIN_S = 5.0
"""The time that cut saves may take to end; after that they are abandoned."""

REMEMBERED_SAVES = 200
"""The limit on ended saves kept in memory; the history keeps them all."""

REMEMBERED_RECIPIENTS = 300_000
"""The limit on recipients in their lists together, some 50 MB; fewer saves with long lists are kept."""

logger = logging.getLogger(__name__)


class SaveState(StrEnum):
    """The state of a save."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class SaveStatus:
    """A save's current status: the number of steps with an answer, and the result once it ended."""

    request: SaveRequest
    state: SaveState
    done_steps: int
    total_steps: int
    result: SaveResult | None = None

    @property
    def may_be_tried_again(self) -> bool:
        """True when the save ended with nothing sent: its key is free again."""
        return self.result is not None and self.result.verdict is Verdict.NOTHING_SENT


def ignore() -> None:
    """Do nothing."""


class Saves(Protocol):
    """The part of a Saver that a worker needs."""

    def save(self, request: SaveRequest, *, on_progress: Callable[[int, int], None]) -> SaveResult:
        """Make the staged changes, and return what is true afterwards."""


class SaveWorker:
    """Runs saves one after the other for each item, and up to `max_workers` items at once.

    Two workers never handle one item at the same time. A key submitted twice is saved once: this worker
    knows it while it remembers the save, and the history knows it afterwards.
    """

    def __init__(self, saver: Saves, *, clock: Callable[[], datetime], max_workers: int = 8) -> None:
        self._saver = saver
        self._clock = clock
        self._executor = ThreadPoolExecutor(max_workers, thread_name_prefix="save")
        self._changed = Condition()
        self._waiting: dict[ItemKey, deque[str]] = {}
        self._statuses: OrderedDict[str, SaveStatus] = OrderedDict()
        self._latest: dict[ItemKey, str] = {}
        self._is_closed = False

    def submit(self, request: SaveRequest) -> SaveStatus:
        """Queue the save and return its status at once; for a known key, start nothing.

        A save that ended with nothing sent is started again. Raises RuntimeError after `close`.
        """
        with self._changed:
            known = self._statuses.get(request.key)
            if known is not None and not known.may_be_tried_again:
                return known
            if self._is_closed:
                raise RuntimeError("this worker is closed")
            status = SaveStatus(request, SaveState.WAITING, 0, len(request.add) + len(request.remove))
            self._put(status)
            self._latest[request.item] = request.key
            is_item_idle = request.item not in self._waiting
            self._waiting.setdefault(request.item, deque()).append(request.key)
            if is_item_idle:
                self._executor.submit(self._work_through, request.item)
            return status

    def status(self, key: str) -> SaveStatus | None:
        """Return the status of the save with this key, or None when it is not remembered."""
        with self._changed:
            return self._statuses.get(key)

    def latest(self, item: ItemKey) -> SaveStatus | None:
        """Return the last submitted save of this item, or None when none is remembered."""
        with self._changed:
            key = self._latest.get(item)
            return None if key is None else self._statuses[key]

    def close(self, *, cut: Callable[[], None] = ignore) -> None:
        """Refuse new saves, and wait for the submitted ones to end, up to a limit.

        After the limit, `cut` must make the running saves fail; waiting ones are not begun.
        """
        with self._changed:
            self._is_closed = True
            if not self._changed.wait_for(self._is_idle, ENDED_WITHIN_S):
                logger.warning("Saves still run, and are cut: the next start reads what became of them.")
                for keys in self._waiting.values():
                    keys.clear()
                cut()
                self._changed.wait_for(self._is_idle, CUT_WITHIN_S)
        self._executor.shutdown(wait=False)

    def _is_idle(self) -> bool:
        return not self._waiting

    def _work_through(self, item: ItemKey) -> None:
        """Run the waiting saves of one item in order, until none is left."""
        while (request := self._next(item)) is not None:
            result = self._save(request)
            with self._changed:
                status = self._statuses[request.key]
                total = status.total_steps
                self._put(replace(status, state=SaveState.ENDED, done_steps=total, result=result))
                self._forget_the_oldest()

    def _next(self, item: ItemKey) -> SaveRequest | None:
        with self._changed:
            if not self._waiting[item]:
                del self._waiting[item]
                self._changed.notify_all()
                return None
            key = self._waiting[item].popleft()
            self._put(replace(self._statuses[key], state=SaveState.RUNNING))
            return self._statuses[key].request

    def _save(self, request: SaveRequest) -> SaveResult:
        started_at = self._clock()
        try:
            return self._saver.save(
                request, on_progress=lambda done, total: self._progress(request.key, done, total)
            )
        except Exception as error:  # noqa: BLE001  (whatever fails, the person must learn that the outcome is open)
            _log_failure(request.key, error)
            return _broken_off(request, started_at=started_at, ended_at=self._clock())

    def _progress(self, key: str, done: int, total: int) -> None:
        with self._changed:
            self._put(replace(self._statuses[key], done_steps=done, total_steps=total))

    def _put(self, status: SaveStatus) -> None:
        self._statuses[status.request.key] = status

    def _forget_the_oldest(self) -> None:
        """Limit memory: drop the oldest submitted saves first, but no running ones and not the newest."""
        ended = [(one.request, one.result) for one in reversed(self._statuses.values()) if one.result]
        named = 0
        for position, (request, result) in enumerate(ended):
            named += _recipients_named(request, result)
            if position and (position >= REMEMBERED_SAVES or named > REMEMBERED_RECIPIENTS):
                self._forget(request)

    def _forget(self, request: SaveRequest) -> None:
        del self._statuses[request.key]
        if self._latest[request.item] == request.key:
            del self._latest[request.item]


def _recipients_named(request: SaveRequest, result: SaveResult) -> int:
    """Return the number of recipients in the lists and steps of a save; one named twice counts twice."""
    return sum(len(names or ()) for names in (request.base, result.before, result.after, result.steps))


def _broken_off(request: SaveRequest, *, started_at: datetime, ended_at: datetime) -> SaveResult:
    """Return the result of a save that failed on our own error: nothing is known of its steps."""
    steps = [ChangeStep(recipient_id, Goal.VISIBLE) for recipient_id in sorted(request.add)]
    steps += [ChangeStep(recipient_id, Goal.NOT_VISIBLE) for recipient_id in sorted(request.remove)]
    return SaveResult(
        item=request.item,
        verdict=Verdict.NOT_CONFIRMED,
        steps=tuple(StepResult(step, StepOutcome.UNKNOWN) for step in steps),
        others=OthersChanges(),
        before=None,
        after=None,
        started_at=started_at,
        ended_at=ended_at,
        message="An error in this program broke the save off: what of it was saved is not known.",
        advice=LOOK_AGAIN,
    )


def _log_failure(key: str, error: Exception) -> None:
    """Log where it failed, but not the error's own words, which could hold anything."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    logger.error("Save %s broke off: %s in %s, line %s", key, type(error).__name__, where.name, where.lineno)
