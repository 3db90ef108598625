"""Works on the job of a command in its own process, without the work queue."""

import logging
import math
import threading
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import ClassVar

from item_visibility.errors import ItemVisibilityError, NotPossibleError
from item_visibility.jobs.apply import JobRunner
from item_visibility.model.job import UNDER_WAY, JobOrigin
from item_visibility.timeouts import (
    CLAIM_JOB_WITHIN_S,
    LOOK_AFTER_FAILURE_S,
    LOOK_FOR_LOCK_S,
    QUEUE_CLOSES_WITHIN_S,
)

logger = logging.getLogger(__name__)


@dataclass(eq=False, repr=False)
class CommandWorker:
    """Works on the jobs that its command claims, and on no others.

    While a process works on a job, it holds the claim of the job. Other processes see
    when the claim ends, even after a kill. Until a command claims the job again,
    nothing works on it. `trouble` is the reason why the job cannot be worked on now, or
    empty.
    """

    origin: ClassVar[JobOrigin] = JobOrigin.COMMAND

    runner: JobRunner
    _: KW_ONLY
    again_after_s: float = LOOK_AFTER_FAILURE_S
    trouble: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.runner = replace(
            self.runner, origin=self.origin, may_work=self._holds_claim
        )
        self._claims: dict[str, _Claim] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._is_closing = threading.Event()

    def check(self) -> None:
        """Do nothing: a command needs no work queue."""

    def claim(self, job_key: str) -> None:
        """Claim a job, so that `notify` starts the work on it.

        Raises NotPossibleError if another process works on the job, and RecordsError.
        """
        if job_key not in self._claims:
            self._claims[job_key] = _Claim(self.runner, job_key, self._is_closing)

    def notify(self, job_key: str) -> None:
        """Start to work on a claimed job, and return at once.

        The work ends when the job is not under way.
        """
        if job_key in self._claims and not self.is_at_work(job_key):
            thread = threading.Thread(
                target=self._work, args=(job_key,), name="job", daemon=True
            )
            self._threads[job_key] = thread
            thread.start()

    def is_at_work(self, job_key: str) -> bool:
        """Return True until this process has finished its work on the job."""
        thread = self._threads.get(job_key)
        return thread is not None and thread.is_alive()

    def close(self) -> None:
        """Stop within a few seconds.

        A job that is not finished waits for the next command.
        """
        self._is_closing.set()
        self.runner.engine.stop_all()
        for thread in self._threads.values():
            thread.join(QUEUE_CLOSES_WITHIN_S)
        for job_key in self._claims.keys() - self._threads.keys():
            self._claims[job_key].release()

    def _work(self, job_key: str) -> None:
        claim = self._claims[job_key]
        try:
            while not self._is_closing.is_set() and self._work_once(job_key, claim):
                self._is_closing.wait(self.again_after_s)
        finally:
            del self._claims[job_key]
            claim.release()

    def _work_once(self, job_key: str, claim: "_Claim") -> bool:
        """Work on the job until it has ended or cannot be worked on.

        Return True to try again later.
        """
        try:
            if not claim.is_held():
                # It was lost together with the connection to the database.
                claim.take()
            while self.runner.run_chunk(job_key):
                pass
            self.trouble = ""
            job = self.runner.store.job(job_key)
        except NotPossibleError as error:
            self.trouble = error.message
            return False
        except Exception as error:  # noqa: BLE001  (the next try may succeed)
            what = type(error).__name__
            if isinstance(error, ItemVisibilityError):
                what = error.message
            self.trouble = f"The job cannot be worked on now: {what}"
            logger.warning("Job %s cannot be worked on now: %s", job_key, what)
            return True
        return job is not None and job.state in UNDER_WAY

    def _holds_claim(self, job_key: str) -> bool:
        claim = self._claims.get(job_key)
        return claim is not None and claim.is_held()


class _Claim:
    """The claim of a job, which other processes see until it is released.

    It also ends with the process. `is_held` returns False after a loss of the
    connection to the database, until `take` succeeds.
    """

    def __init__(
        self, runner: JobRunner, job_key: str, is_closing: threading.Event
    ) -> None:
        self._runner = runner
        self._job_key = job_key
        self._is_closing = is_closing
        self._stack = ExitStack()
        self.take()

    def take(self) -> None:
        """Take the claim again after it was lost, or for the first time."""
        self.release()
        tries_left = math.ceil(CLAIM_JOB_WITHIN_S / LOOK_FOR_LOCK_S)

        def wait(delay_s: float) -> None:
            nonlocal tries_left
            tries_left -= 1
            if tries_left < 0:
                raise NotPossibleError(
                    "Another command works on this job.",
                    advice="Wait until that command has ended.",
                )
            self._is_closing.wait(delay_s)

        claim = self._runner.store.claim(self._job_key, sleep=wait)
        self.is_held = self._stack.enter_context(claim)

    def release(self) -> None:
        """Let other commands claim the job."""
        self._stack.close()
