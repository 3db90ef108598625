"""Runs a job: its items in workers, each row ended once, waiting while the service is down."""

import threading
from collections.abc import Callable
from datetime import datetime

from item_visibility.changes.job import UNDER_WAY, Job, JobState, JobStore
from item_visibility.changes.journal import Journal
from item_visibility.changes.locks import ItemLocks
from item_visibility.jobs.item import ItemSaver, Saves
from item_visibility.jobs.line import AT_WORK, Line, StoppedError, Tools
from item_visibility.jobs.pace import Pace

__all__ = ["CHUNK_ITEMS", "JobRunner", "Saves", "StoppedError", "sleeper"]

CHUNK_ITEMS = 100
"""So many items are one step of a job: its workers wait for each other at the end."""


def sleeper(stopping: threading.Event) -> Callable[[float], None]:
    """What waits for seconds, and raises StoppedError at once when work is to stop."""

    def sleep(delay_s: float) -> None:
        if stopping.wait(delay_s):
            raise StoppedError

    return sleep


class JobRunner:
    """Runs the jobs of one environment, one at a time. Another start goes on where this one ended.

    `sleep` waits for seconds; it may raise StoppedError once `stopping`, which `stop` sets, is set.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        store: JobStore,
        saver: Saves,
        journal: Journal,
        *,
        locks: ItemLocks,
        pace: Pace,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
        stopping: threading.Event | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._stopping = stopping or threading.Event()
        self._at_work: set[str] = set()
        self._tools = Tools(
            store=store,
            saver=ItemSaver(saver, journal),
            locks=locks,
            pace=pace,
            clock=clock,
            sleep=sleep,
            stopping=self._stopping,
        )

    def run(self, key: str) -> bool:
        """Work on a job until it has ended; False when it is not to be worked on any more.

        Raises RecordsError when our own database cannot be used.
        """
        job = self.begin(key)
        if job is None:
            return False
        for first in range(self.first_open(job), job.item_count, CHUNK_ITEMS):
            if not self.run_chunk(key, first, first + CHUNK_ITEMS - 1):
                return False
        return self.finish(key)

    def begin(self, key: str) -> Job | None:
        """The job, which is running now; None when it is not to be worked on."""
        is_running = self._store.move(key, JobState.RUNNING, expected=UNDER_WAY, at=self._clock())
        return self._store.job(key) if is_running and not self._stopping.is_set() else None

    def first_open(self, job: Job) -> int:
        """The position of the first item that has not ended; how many there are when all have."""
        found = self._store.items(job.key, limit=1, is_open=True)
        return found[0].position if found else job.item_count

    def run_chunk(self, key: str, first: int, last: int) -> bool:
        """Work on the items at these positions that have not ended; True when all of them have."""
        job = self._store.job(key)
        if job is None:
            return False
        found = self._store.items(key, after=first - 1, limit=last - first + 1, is_open=True)
        line = Line(self._tools, job, [item for item in found if item.position <= last])
        self._at_work.add(key)
        try:
            line.work()
        finally:
            self._at_work.discard(key)
        return line.is_done

    def is_at_work(self, key: str) -> bool:
        """True while items of this job are worked on, even though it may be paused or cancelled by now."""
        return key in self._at_work

    def finish(self, key: str) -> bool:
        """End the job, all of whose items have ended; False when it is not being worked on any more."""
        return self._store.move(key, JobState.ENDED, expected=AT_WORK, at=self._clock())

    def stop(self) -> None:
        """Begin no more items; what runs ends within seconds, or stays to be settled at the next start."""
        self._stopping.set()
        self._tools.pace.close()
