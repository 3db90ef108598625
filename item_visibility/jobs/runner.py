"""The runner of jobs, chunk by chunk. A later run goes on where the last chunk ended."""

import threading
from collections.abc import Callable

from item_visibility.jobs.chunk import AT_WORK, Chunk, StoppedError, Tools
from item_visibility.saving.job import UNDER_WAY, JobState

CHUNK_ITEMS = 100
"""The number of items in one step of a job. The workers wait for each other at its end."""


def interruptible_sleep(stopping: threading.Event) -> Callable[[float], None]:
    """Return a sleep, in seconds, that raises StoppedError as soon as work is to stop."""

    def sleep(delay_s: float) -> None:
        if stopping.wait(delay_s):
            raise StoppedError

    return sleep


class JobRunner:
    """Runs the jobs of one environment, one at a time."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._at_work: set[str] = set()

    def run_chunk(self, key: str, *, after: int) -> int | None:
        """Work on the next open items after this position; return the position of the last one.

        Return None when there is nothing more to do here: the job has ended, or a later run continues it.
        Raises RecordsError when our own database cannot be used.
        """
        tools = self._tools
        if not tools.store.move(key, JobState.RUNNING, expected=UNDER_WAY, at=tools.clock()):
            return None
        job = tools.store.job(key)
        if job is None or tools.stopping.is_set():
            return None
        items = tools.store.items(key, after=after, limit=CHUNK_ITEMS, is_open=True)
        chunk = Chunk(tools, job, items)
        self._at_work.add(key)
        try:
            chunk.work()
        finally:
            self._at_work.discard(key)
        if not chunk.is_done:
            return None
        if len(items) == CHUNK_ITEMS:
            return items[-1].position
        tools.store.move(key, JobState.ENDED, expected=AT_WORK, at=tools.clock())
        return None

    def is_at_work(self, key: str) -> bool:
        """True while items of this job are worked on, even after it was paused or cancelled."""
        return key in self._at_work

    def stop(self) -> None:
        """Start no more items. Items under way end within seconds, or are settled at the next start."""
        self._tools.stopping.set()
        self._tools.throttle.close()
