"""Puts the running jobs of one environment into the work queue, in each dashboard."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar

from item_visibility.jobs.apply import JobRunner
from item_visibility.model.job import UNDER_WAY, JobOrigin
from item_visibility.timeouts import (
    JOB_DEAD_AFTER_S,
    LOOK_AFTER_FAILURE_S,
    LOOK_FOR_JOBS_EVERY_S,
    QUEUE_CLOSES_WITHIN_S,
)

if TYPE_CHECKING:
    from item_visibility.jobs.work_queue import WorkQueue

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class JobDispatcher:
    """Puts running jobs into the work queue.

    It looks for them in our records every two seconds. Jobs of commands are left alone:
    each command has a `CommandWorker` instead. `open_queue` is slow and only called
    when there is a job. `check` raises RecordsError if the queue cannot be used.
    `is_at_work` returns True until this process has finished its work on a job, even
    after the job was stopped. `trouble` is the reason why the last call of `look`
    failed, or empty.
    """

    origin: ClassVar[JobOrigin] = JobOrigin.BULK_PAGE

    runner: JobRunner
    _: KW_ONLY
    open_queue: "Callable[[], WorkQueue]"
    check: Callable[[], None]
    clock: Callable[[], float] = time.monotonic
    look_every_s: float = LOOK_FOR_JOBS_EVERY_S
    dead_after_s: float = JOB_DEAD_AFTER_S
    trouble: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.is_at_work = self.runner.engine.is_at_work
        self._beats_seen: dict[str, tuple[int, float]] = {}
        self._queue: WorkQueue | None = None
        self._has_news = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._dispatch, name="jobs", daemon=True)

    def start(self) -> None:
        """Start in the background and return at once."""
        self._thread.start()

    def claim(self, job_key: str) -> None:
        """Do nothing: every dashboard may work on the job."""

    def notify(self, job_key: str) -> None:
        """Look for jobs now, because this job has changed in our records."""
        logger.debug("Job %s has changed", job_key)
        self._has_news.set()

    def look(self) -> float:
        """Look for jobs once, and return the seconds until the next look."""
        try:
            jobs = self.runner.store.in_state(UNDER_WAY, self.origin)
            self._take_care([job.key for job in jobs])
        except Exception as error:  # noqa: BLE001  (the next look may succeed)
            self.trouble = f"Jobs cannot be worked on now: {type(error).__name__}."
            logger.warning("Jobs cannot be worked on now: %s", type(error).__name__)
            return max(self.look_every_s, LOOK_AFTER_FAILURE_S)
        self.trouble = ""
        return self.look_every_s

    def close(self) -> None:
        """Stop within a few seconds.

        Jobs that are not finished continue at the next start of the program.
        """
        self._is_closing.set()
        self.runner.engine.stop_all()
        self._has_news.set()
        if self._thread.is_alive():
            self._thread.join(2 * QUEUE_CLOSES_WITHIN_S)

    def _dispatch(self) -> None:
        while not self._is_closing.is_set():
            self._has_news.wait(self.look())
            self._has_news.clear()
        try:
            if self._queue is not None:
                self._queue.close(within_s=QUEUE_CLOSES_WITHIN_S)
        # The program ends, and the next start continues the jobs.
        except Exception as error:  # noqa: BLE001
            logger.warning(
                "The queue of jobs could not be closed: %s", type(error).__name__
            )

    def _take_care(self, jobs: list[str]) -> None:
        """Queue these jobs, and care for all jobs in the queue.

        Send heartbeats for the jobs of our process. Take over jobs whose heartbeats
        ended.
        """
        if self._queue is None:
            if not jobs:
                return
            self._queue = self.open_queue()

        queued = self._queue.jobs()
        now_s = self.clock()
        before = self._beats_seen
        self._beats_seen = {}
        for job in queued:
            if job.is_here and self.is_at_work(job.job_key):
                self._queue.beat(job)
                continue
            if job.beat is None:
                continue
            # The clocks of machines differ, so the age of a heartbeat is the time since
            # we first saw it, by our own clock.
            beat, since_s = before.get(job.workflow_id, (job.beat, now_s))
            unchanged_since_s = since_s if beat == job.beat else now_s
            self._beats_seen[job.workflow_id] = (job.beat, unchanged_since_s)
            if now_s - unchanged_since_s >= self.dead_after_s:
                self._queue.take_over(job)

        in_queue = {job.job_key for job in queued}
        for key in jobs:
            if key not in in_queue:
                self._queue.put(key)
