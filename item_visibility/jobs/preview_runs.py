"""Where previews are read: in threads of the process, so that no screen, tab or rerun can cut one short."""

import logging
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol

from item_visibility.changes.job import Job, JobState
from item_visibility.errors import RecordsError
from item_visibility.jobs.preview import PreviewReader

AT_ONCE = 2
"""How many previews are read at the same time; the others wait for their turn."""

_ENDS_WITHIN_S = 5

logger = logging.getLogger(__name__)


class RunStore(Protocol):
    """What previews need of the records of jobs. Every method raises RecordsError when it cannot."""

    def job(self, key: str) -> Job | None:
        """The job with its counts; None when there is none."""

    def move(
        self, key: str, state: JobState, *, expected: Collection[JobState], at: datetime, message: str
    ) -> bool:
        """Put the job into the state, when it is in one of those expected; False, and no change, when not."""


class PreviewRuns:
    """The previews that this process reads. What is unread when it closes can be read later."""

    def __init__(self, store: RunStore, reader: PreviewReader, *, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._reader = reader
        self._clock = clock
        self._changed = threading.Condition()
        self._running: dict[str, threading.Event] = {}
        self._again: set[str] = set()
        self._reading = 0
        self._is_closed = False

    def start(self, key: str) -> None:
        """Read the items of a READING job that are unread, and return at once.

        One that is read here already just goes on; one that was told to stop is read again after that.
        """
        with self._changed:
            if key in self._running and self._running[key].is_set():
                self._again.add(key)
            if self._is_closed or key in self._running:
                return
            is_stopped = self._running[key] = threading.Event()
        threading.Thread(target=self._run, args=(key, is_stopped), name="preview", daemon=True).start()

    def is_running(self, key: str) -> bool:
        """True while the preview is read here, or waits for its turn."""
        with self._changed:
            return key in self._running

    def stop(self, key: str) -> None:
        """Read no more of it; returns at once."""
        with self._changed:
            if key in self._running:
                self._running[key].set()
                self._changed.notify_all()

    def wait(self, key: str, *, timeout_s: float) -> bool:
        """True once the preview is not read here any more; False when the time is over before."""
        with self._changed:
            return self._changed.wait_for(lambda: key not in self._running, timeout_s)

    def close(self) -> None:
        """Stop all of them; returns when the reads under way have ended, or after a few seconds."""
        with self._changed:
            self._is_closed = True
            for is_stopped in self._running.values():
                is_stopped.set()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._running, _ENDS_WITHIN_S)

    def _run(self, key: str, is_stopped: threading.Event) -> None:
        try:
            with self._turn(is_stopped):
                self._read(key, is_stopped)
        except RecordsError as error:
            logger.warning("A preview could not be kept: %s", error.message)
        except Exception as error:  # noqa: BLE001  (whatever fails, the preview stays to be gone on with)
            where = traceback.extract_tb(error.__traceback__)[-1]
            logger.error("Preview %s broke off: %s in %s", key, type(error).__name__, where.name)  # noqa: TRY400  (the error's own words could hold anything)
        finally:
            with self._changed:
                del self._running[key]
                is_wanted_again = key in self._again
                self._again.discard(key)
                self._changed.notify_all()
            if is_wanted_again:
                self.start(key)

    @contextmanager
    def _turn(self, is_stopped: threading.Event) -> Iterator[None]:
        """Wait until a place is free, or it is to stop; the place is taken until the block ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._reading < AT_ONCE or is_stopped.is_set())
            self._reading += 1
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    def _read(self, key: str, is_stopped: threading.Event) -> None:
        trouble = self._reader.read(key, is_stopped)
        job = self._store.job(key)
        if is_stopped.is_set() or job is None:
            return
        unread = job.item_count - job.read_items
        message = (
            f"{unread:,} of {job.item_count:,} items could not be read. {trouble}" if unread else job.message
        )
        self._store.move(
            key, JobState.PREVIEWED, expected={JobState.READING}, at=self._clock(), message=message
        )
