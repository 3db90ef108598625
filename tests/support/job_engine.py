"""Stand-ins for the job dispatcher in tests: nobody works, a record of calls, at once, or in threads."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING

from item_visibility.jobs.dispatcher import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.jobs.item_saver import Tools
from item_visibility.jobs.throttle import Throttle
from item_visibility.saving.job import UNDER_WAY, JobState
from item_visibility.saving.locks import ItemLocks
from item_visibility.saving.save import Saver
from tests.support.fake_visibilities import START

if TYPE_CHECKING:
    from collections.abc import Callable

    from item_visibility.errors import RecordsError
    from tests.support.desk import DeskKit

_ENDS_WITHIN_S = 60
_PATIENCE = timedelta(seconds=40)


def run_job(runner: JobRunner, key: str) -> None:
    """Run a job until nothing is left to do, like the workflow of the work queue."""
    while runner.run_chunk(key):
        pass


def _runner_for(kit: DeskKit, *, width: int, sleep: Callable[[float], None]) -> JobRunner:
    """Return a runner of the jobs of this desk, `width` items at a time."""
    history, clock = kit.records.history, kit.fake.time.now
    saver = Saver(kit.fake, history, clock=clock, sleep=sleep, calls_at_once=1)
    tools = Tools(store=kit.records.jobs, service=kit.fake, saver=saver, history=history, locks=ItemLocks())
    engine = Engine(kit.fake, Throttle(width), clock=clock, pause=lambda _event, delay_s: sleep(delay_s))
    return JobRunner(engine, tools, clock=clock, stopping=threading.Event())


class NoEngine:
    """An engine that works on no job, and that nothing hinders."""

    trouble = ""

    def notify(self, job_key: str) -> None:
        """Do nothing."""

    def is_at_work(self, _job_key: str) -> bool:
        """Say that nothing is running."""
        return False

    def check(self) -> None:
        """Pass: jobs can always run."""


class RecordingEngine(NoEngine):
    """An engine that works on no job, keeps the jobs it was told of, and answers as a test says."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.working_on = ""
        self.refusal: RecordsError | None = None

    def notify(self, job_key: str) -> None:
        """Keep the job's key."""
        self.told.append(job_key)

    def is_at_work(self, job_key: str) -> bool:
        """True for the job that a test named."""
        return job_key == self.working_on

    def check(self) -> None:
        """Raise `refusal` if it is set."""
        if self.refusal is not None:
            raise self.refusal


class InlineEngine(NoEngine):
    """An engine that runs each queued job at once, and cancels it when it has waited for too long."""

    def work_for(self, kit: DeskKit) -> None:
        """Run the jobs of this desk, one item at a time."""
        self._kit = kit
        self._runner = _runner_for(kit, width=1, sleep=self._sleep)

    def notify(self, job_key: str) -> None:
        """Run the job, and return at its end."""
        self._job_key = job_key
        run_job(self._runner, job_key)

    def _sleep(self, delay_s: float) -> None:
        """Let time pass; cancel the job when the patience is over."""
        hands = self._kit.fake.time
        hands.sleep(delay_s)
        if hands.now() > START + _PATIENCE:
            self._kit.records.jobs.move(self._job_key, JobState.CANCELLED, expected=UNDER_WAY, at=hands.now())


class ThreadEngine(NoEngine):
    """An engine that runs each queued job at once in its own thread, once it knows the desk's records."""

    def __init__(self) -> None:
        self._runner: JobRunner | None = None
        self._threads: list[threading.Thread] = []

    def work_for(self, kit: DeskKit) -> None:
        """Run the jobs of this desk, two items at a time."""
        self._runner = _runner_for(kit, width=2, sleep=kit.fake.time.sleep)

    def notify(self, job_key: str) -> None:
        """Start a thread for the job, and return at once."""
        assert self._runner is not None
        thread = threading.Thread(target=run_job, args=(self._runner, job_key), daemon=True)
        self._threads.append(thread)
        thread.start()

    def is_at_work(self, job_key: str) -> bool:
        """True when the runner is working on the job."""
        return self._runner is not None and self._runner.is_at_work(job_key)

    def close(self) -> None:
        """Start nothing more, and wait for running jobs."""
        if self._runner is not None:
            self._runner.stop()
        for thread in self._threads:
            thread.join(_ENDS_WITHIN_S)
