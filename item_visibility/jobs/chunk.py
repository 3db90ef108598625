"""Worker threads for one chunk of a job: they go on until each item has ended once."""

import logging
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from item_visibility.errors import RecordsError
from item_visibility.jobs.item_saver import ItemSaver, Trouble
from item_visibility.jobs.throttle import Throttle
from item_visibility.saving.job import Job, JobItem, JobRow, JobState
from item_visibility.saving.locks import ItemLocks
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.timeouts import (
    CHUNK_POLL_S,
    CHUNK_STOPS_WITHIN_S,
    ITEM_READS,
    OTHER_ITEMS_TRIED,
    STOP_CHECK_S,
)

AT_WORK = frozenset({JobState.RUNNING, JobState.WAITING})
BROKEN_OFF = "A program error interrupted this item: it is not known which changes were saved."

logger = logging.getLogger(__name__)


class StoppedError(Exception):
    """Stop work at once. Items under way stay open; the next start settles them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The parts that workers share.

    `sleep` waits for seconds; it may raise StoppedError once `stopping` is set.
    """

    store: Jobs
    saver: ItemSaver
    locks: ItemLocks
    throttle: Throttle
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


class Chunk:
    """The items that wait for a worker. An item that fails goes back to the end of the line."""

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
        """Work until every item has ended; when work is to stop, return within a few seconds."""
        workers = min(self._tools.throttle.capacity, len(self._open))
        threads = [threading.Thread(target=self._work, name="job", daemon=True) for _ in range(workers)]
        for thread in threads:
            thread.start()
        joins_left = round(CHUNK_STOPS_WITHIN_S / CHUNK_POLL_S)
        while joins_left and (threads := [thread for thread in threads if thread.is_alive()]):
            threads[0].join(CHUNK_POLL_S)
            joins_left -= self._tools.stopping.is_set()

    def _work(self) -> None:
        throttle = self._tools.throttle
        try:
            is_more = True
            while is_more and throttle.acquire():
                try:
                    is_more = self._take_next()
                finally:
                    throttle.release()
        except StoppedError:
            return
        finally:
            throttle.retire()

    def _take_next(self) -> bool:
        """Work on the next item; False when there is none, or work is to stop."""
        if self._tools.is_stopped(self._job.key):
            return False
        try:
            item = self._waiting.popleft()
        except IndexError:
            return False
        result = self._save(item)
        rows = self._put_back(item, result) if isinstance(result, Trouble) else result
        if rows is not None:
            self._end(item, rows)
        return True

    def _save(self, item: JobItem) -> tuple[JobRow, ...] | Trouble:
        try:
            with self._tools.locks.holding(item.intent.item) as is_held:
                return self._tools.saver.save(self._job, item, is_held=is_held)
        except RecordsError as error:
            return Trouble(error.message, is_unread=True)
        except StoppedError:
            raise
        except Exception as error:  # noqa: BLE001  (one item must not end the others; its rows say that it broke)
            if self._tools.stopping.is_set():
                raise StoppedError from None
            _log_failure(self._job.key, item.position, error)
            return self._give_up(item, BROKEN_OFF)

    def _give_up(self, item: JobItem, message: str) -> tuple[JobRow, ...] | Trouble:
        try:
            return self._tools.saver.give_up(self._job, item, message)
        except RecordsError as error:
            return Trouble(error.message, is_unread=True)

    def _end(self, item: JobItem, rows: tuple[JobRow, ...]) -> None:
        try:
            self._tools.store.settle_item(self._job.key, item.position, rows)
        except RecordsError as error:
            self._put_back(item, Trouble(error.message, is_unread=True))
            return
        self._open.discard(item.position)
        self._ended_last = item
        if self._tools.throttle.succeed():
            self._move(JobState.RUNNING, "")

    def _put_back(self, item: JobItem, trouble: Trouble) -> tuple[JobRow, ...] | None:
        """Put the item behind the others; wait when the service is down.

        If only this item fails, again and again, return its final rows instead.
        """
        is_down = trouble.is_unread and not self._is_another_readable(item)
        if trouble.is_unread and not is_down:
            self._strikes[item.position] += 1
            if self._strikes[item.position] >= ITEM_READS:
                rows = self._give_up(item, trouble.message)
                if not isinstance(rows, Trouble):
                    return rows
        self._waiting.append(item)
        delay_s = self._tools.throttle.fail(is_down=is_down)
        if delay_s is not None:
            next_at = self._tools.clock() + timedelta(seconds=delay_s)
            words = f"{trouble.message} Nothing is skipped: the job tries again by itself."
            self._move(JobState.WAITING, words, next_try_at=next_at)
            self._pause(delay_s)
        return None

    def _is_another_readable(self, item: JobItem) -> bool:
        """True when another item can be read, so the service is up. Tries the last one that ended, if any."""
        try:
            first = self._tools.store.items(self._job.key, limit=OTHER_ITEMS_TRIED)
        except RecordsError:
            return False
        last = self._ended_last
        others = {one.position: one.intent.item for one in (last, *first) if one is not None}
        others.pop(item.position, None)
        return any(self._tools.saver.is_readable(self._job, one) for one in others.values())

    def _pause(self, delay_s: float) -> None:
        while delay_s > 0 and not self._tools.is_stopped(self._job.key):
            self._tools.sleep(min(delay_s, STOP_CHECK_S))
            delay_s -= STOP_CHECK_S

    def _move(self, state: JobState, message: str, *, next_try_at: datetime | None = None) -> None:
        try:
            self._tools.store.move(
                self._job.key,
                state,
                expected=AT_WORK,
                at=self._tools.clock(),
                message=message,
                next_try_at=next_try_at,
            )
        except RecordsError as error:
            logger.warning("The state of job %s is not recorded: %s", self._job.key, error.message)


def _log_failure(job_key: str, position: int, error: Exception) -> None:
    """Log where the item failed, without the error's message, which could hold anything."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    logger.error(
        "Item %s of job %s broke off: %s in %s, line %s",
        position,
        job_key,
        type(error).__name__,
        where.name,
        where.lineno,
    )
