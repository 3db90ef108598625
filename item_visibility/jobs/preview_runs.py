"""The threads that read previews: no screen, tab or rerun can interrupt one."""

import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import NamedTuple

from item_visibility.errors import RecordsError
from item_visibility.jobs.preview import PreviewReader
from item_visibility.saving.in_words import many
from item_visibility.saving.job import JobState
from item_visibility.storage.jobs.job_store import Jobs
from item_visibility.timeouts import PREVIEWS_END_WITHIN_S

AT_ONCE = 2
"""The limit of previews read at the same time; the others wait for their turn."""

logger = logging.getLogger(__name__)


class _Run(NamedTuple):
    """A preview that is being read or waits for its turn."""

    is_stopped: threading.Event
    ended: Future[None]


class PreviewRuns:
    """The previews that this process reads. Items unread at closing can be read later."""

    def __init__(self, store: Jobs, reader: PreviewReader, *, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._reader = reader
        self._clock = clock
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="preview-run")
        self._runs: dict[str, _Run] = {}
        self._is_closed = False

    def start(self, key: str) -> None:
        """Read the unread items of a READING job, and return at once.

        If the preview is already being read here, it goes on. If it is stopping, it starts again after that.
        """
        with self._lock:
            self._runs = {key: run for key, run in self._runs.items() if not run.ended.done()}
            before = self._runs.get(key)
            if self._is_closed or (before is not None and not before.is_stopped.is_set()):
                return
            is_stopped = threading.Event()
            ended = self._threads.submit(self._run, key, is_stopped, before)
            self._runs[key] = _Run(is_stopped, ended)

    def is_running(self, key: str) -> bool:
        """True while the preview is being read here or waits for its turn."""
        with self._lock:
            return key in self._runs and not self._runs[key].ended.done()

    def stop(self, key: str) -> None:
        """Stop reading this preview; return at once."""
        with self._lock:
            if key in self._runs:
                _stop(self._runs[key])

    def close(self) -> None:
        """Stop all previews; return when the reads under way have ended, or after a few seconds."""
        with self._lock:
            self._is_closed = True
            for run in self._runs.values():
                _stop(run)
        wait([run.ended for run in self._runs.values()], PREVIEWS_END_WITHIN_S)
        self._threads.shutdown(wait=False)

    def _run(self, key: str, is_stopped: threading.Event, before: _Run | None) -> None:
        if before is not None:
            wait([before.ended])
        try:
            self._read(key, is_stopped)
        except RecordsError as error:
            logger.warning("A preview could not be kept: %s", error.message)
        except Exception as error:  # noqa: BLE001  (whatever fails, the preview can be gone on with)
            where = traceback.extract_tb(error.__traceback__)[-1]
            logger.error("Preview %s broke off: %s in %s", key, type(error).__name__, where.name)  # noqa: TRY400  (the error's own words could hold anything)

    def _read(self, key: str, is_stopped: threading.Event) -> None:
        trouble = self._reader.read(key, is_stopped)
        job = self._store.job(key)
        if is_stopped.is_set() or job is None:
            return
        unread = job.item_count - job.read_items
        message = (
            f"{unread:,} of {many(job.item_count, 'item')} could not be read. {trouble}"
            if unread
            else job.message
        )
        self._store.move(
            key, JobState.PREVIEWED, expected={JobState.READING}, at=self._clock(), message=message
        )


def _stop(run: _Run) -> None:
    run.is_stopped.set()
    run.ended.cancel()
