"""Stand-ins for the job dispatcher in tests: one that works on nothing, and one that works in threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from item_visibility.jobs.apply import JobRunner
from item_visibility.jobs.engine import Engine
from item_visibility.saving.save import Saver
from tests.support.waiting import WITHIN_S, HeldItems

if TYPE_CHECKING:
    from item_visibility.errors import RecordsError
    from tests.support.desk import DeskKit


def run_job(runner: JobRunner, key: str) -> None:
    """Run a job until nothing is left to do, like the workflow of the work queue."""
    while runner.run_chunk(key):
        pass


class NoEngine:
    """An engine that works on no job, keeps the keys that it was notified of, and answers as a test says."""

    trouble = ""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.working_on = ""
        self.refusal: RecordsError | None = None

    def notify(self, job_key: str) -> None:
        self.told.append(job_key)

    def is_at_work(self, job_key: str) -> bool:
        return job_key == self.working_on

    def check(self) -> None:
        if self.refusal is not None:
            raise self.refusal


class ThreadEngine(NoEngine):
    """An engine that runs each queued job at once in its own thread, once it knows the desk's records."""

    def __init__(self) -> None:
        super().__init__()
        self._runner: JobRunner | None = None
        self._threads: list[threading.Thread] = []

    def work_for(self, kit: DeskKit) -> None:
        history, clock, sleep = kit.records.history, kit.fake.time.now, kit.fake.time.sleep
        saver = Saver(kit.fake, history, clock=clock, sleep=sleep, calls_at_once=1)
        engine = Engine(kit.fake, 2, clock=clock, pause=lambda _event, delay_s: sleep(delay_s))
        self._runner = JobRunner(engine=engine, store=kit.records.jobs, saver=saver, hold=HeldItems().hold)

    def notify(self, job_key: str) -> None:
        """Start a thread for the job, and return at once."""
        assert self._runner is not None
        thread = threading.Thread(target=run_job, args=(self._runner, job_key), daemon=True)
        self._threads.append(thread)
        thread.start()

    def is_at_work(self, job_key: str) -> bool:
        return self._runner is not None and self._runner.engine.is_at_work(job_key)

    def close(self) -> None:
        """Start nothing more, and wait for running jobs."""
        if self._runner is not None:
            self._runner.engine.stop_all()
        self.wait()

    def wait(self) -> None:
        for thread in self._threads:
            thread.join(WITHIN_S)
