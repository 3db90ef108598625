"""The items of one step of a job, and the workers that take them one by one."""

import logging
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from item_visibility.changes.job import Job, JobItem, JobState, JobStore
from item_visibility.changes.locks import ItemLocks
from item_visibility.errors import RecordsError
from item_visibility.jobs.item import Ended, ItemSaver, Trouble
from item_visibility.jobs.pace import Pace

MAX_STRIKES = 3
"""An item that so often could not be read while another one could is not tried again."""

AT_WORK = frozenset({JobState.RUNNING, JobState.WAITING})
BROKEN_OFF = "An error in this program broke this item off: what of it was saved is not known."
_OTHERS = 3
"""So many items at the beginning of a job are looked at to see whether the service is up."""

_SLICE_S = 0.5
_JOIN_S = 0.1
_JOINS_AFTER_STOP = 40

logger = logging.getLogger(__name__)


class StoppedError(Exception):
    """Work is to stop at once: what was begun stays open, and is settled at the next start."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What workers work with. `sleep` waits for seconds; it may raise StoppedError."""

    store: JobStore
    saver: ItemSaver
    locks: ItemLocks
    pace: Pace
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    stopping: threading.Event

    def is_stopped(self, job_key: str) -> bool:
        """True when this job is not to be worked on any more."""
        if self.stopping.is_set():
            return True
        try:
            job = self.store.job(job_key)
        except RecordsError:
            return False
        return job is None or job.state not in AT_WORK


class Line:
    """Items that wait for a worker. One that is in trouble waits again, behind the others."""

    def __init__(self, tools: Tools, job: Job, items: Sequence[JobItem]) -> None:
        self._tools = tools
        self._job = job
        self._waiting = deque(items)
        self._open = {item.position for item in items}
        self._strikes: Counter[int] = Counter()
        self._ended_last: JobItem | None = None

    @property
    def is_done(self) -> bool:
        """True when every item has ended."""
        return not self._open

    def work(self) -> None:
        """Work on the items until each has ended, or until work is to stop; then within a few seconds."""
        workers = min(self._tools.pace.most, len(self._open))
        threads = [threading.Thread(target=self._work, name="job", daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        joins_left = _JOINS_AFTER_STOP
        while joins_left and any(thread.is_alive() for thread in threads):
            threads = [thread for thread in threads if thread.is_alive()]
            threads[0].join(_JOIN_S)
            joins_left -= self._tools.stopping.is_set()

    def _work(self) -> None:
        pace = self._tools.pace
        try:
            is_more = True
            while is_more and pace.take_place():
                try:
                    is_more = self._take_one()
                finally:
                    pace.give_back()
        except StoppedError:
            return
        finally:
            pace.leave()

    def _take_one(self) -> bool:
        """Work on the next item; False when there is none, or work is to stop."""
        if self._tools.is_stopped(self._job.key):
            return False
        try:
            item = self._waiting.popleft()
        except IndexError:
            return False
        came_of_it = self._save(item)
        end = self._wait_behind(item, came_of_it) if isinstance(came_of_it, Trouble) else came_of_it
        if end is not None:
            self._end(item, end)
        return True

    def _save(self, item: JobItem) -> Ended | Trouble:
        try:
            with self._tools.locks.holding(item.intent.item):
                return self._tools.saver.save(self._job, item)
        except RecordsError as error:
            return Trouble(error.message, is_unread=True)
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001  (one item must not end the others; its rows say that it broke)
            if self._tools.stopping.is_set():
                raise StoppedError from None
            _log_failure(self._job.key, item.position, error)
            return self._give_up(item, BROKEN_OFF)

    def _give_up(self, item: JobItem, message: str) -> Ended | Trouble:
        try:
            return self._tools.saver.give_up(self._job, item, message)
        except RecordsError as error:
            return Trouble(error.message, is_unread=True)

    def _end(self, item: JobItem, end: Ended) -> None:
        try:
            self._tools.store.settle_item(self._job.key, item.position, end.rows)
        except RecordsError as error:
            self._wait_behind(item, Trouble(error.message, is_unread=True))
            return
        self._open.discard(item.position)
        self._ended_last = item
        if self._tools.pace.well():
            self._move(JobState.RUNNING, "")

    def _wait_behind(self, item: JobItem, trouble: Trouble) -> Ended | None:
        """Put the item behind the others, and wait when the service is down.

        An item that alone is in trouble, again and again, gets an end instead.
        """
        is_down = trouble.is_unread and not self._is_another_readable(item)
        if trouble.is_unread and not is_down:
            self._strikes[item.position] += 1
            if self._strikes[item.position] >= MAX_STRIKES:
                end = self._give_up(item, trouble.message)
                if isinstance(end, Ended):
                    return end
        self._waiting.append(item)
        delay_s = self._tools.pace.trouble(is_down=is_down)
        if delay_s is not None:
            next_at = self._tools.clock() + timedelta(seconds=delay_s)
            words = f"{trouble.message} Nothing is skipped: the next try is at {next_at:%H:%M:%S} UTC."
            self._move(JobState.WAITING, words)
            self._pause(delay_s)
        return None

    def _is_another_readable(self, item: JobItem) -> bool:
        """True when the service is up, as another item of the job shows: the one that ended last, if any."""
        try:
            first = self._tools.store.items(self._job.key, limit=_OTHERS)
        except RecordsError:
            return False
        last = self._ended_last
        others = {one.position: one.intent.item for one in (last, *first) if one is not None}
        others.pop(item.position, None)
        return any(self._tools.saver.is_readable(self._job, one) for one in others.values())

    def _pause(self, delay_s: float) -> None:
        while delay_s > 0 and not self._tools.is_stopped(self._job.key):
            self._tools.sleep(min(delay_s, _SLICE_S))
            delay_s -= _SLICE_S

    def _move(self, state: JobState, message: str) -> None:
        try:
            self._tools.store.move(
                self._job.key, state, expected=AT_WORK, at=self._tools.clock(), message=message
            )
        except RecordsError as error:
            logger.warning("The state of job %s is not recorded: %s", self._job.key, error.message)


def _log_failure(job_key: str, position: int, error: Exception) -> None:
    """Log where it failed; not the error's own words, which could hold anything."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    logger.error(
        "Item %s of job %s broke off: %s in %s, line %s",
        position,
        job_key,
        type(error).__name__,
        where.name,
        where.lineno,
    )
