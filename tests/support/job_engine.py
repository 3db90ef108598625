"""Stand-ins for the job dispatcher in tests: threads of the process, or none at all."""

import threading

from item_visibility.changes.saving.locks import ItemLocks
from item_visibility.changes.saving.save import Saver
from item_visibility.jobs.runner import JobRunner
from item_visibility.jobs.throttle import Throttle
from tests.support.desk import DeskKit

_ENDS_WITHIN_S = 60


def run_job(runner: JobRunner, key: str) -> None:
    """Run a job until nothing is left to do, like the workflow of the work queue."""
    last: int | None = -1
    while last is not None:
        last = runner.run_chunk(key, after=last)


class ThreadEngine:
    """An engine that runs each queued job at once in its own thread, once it knows the desk's records."""

    def __init__(self) -> None:
        self._runner: JobRunner | None = None
        self._threads: list[threading.Thread] = []

    def work_for(self, kit: DeskKit) -> None:
        """Run the jobs of this desk, two items at a time."""
        hands = kit.fake.time
        self._runner = JobRunner(
            kit.records.jobs,
            Saver(kit.fake, kit.records.history, clock=hands.now, sleep=hands.sleep),
            kit.records.history,
            locks=ItemLocks(),
            throttle=Throttle(2),
            clock=hands.now,
            sleep=hands.sleep,
            stopping=threading.Event(),
        )

    def notify(self, job_key: str) -> None:
        """Start a thread for the job, and return at once."""
        assert self._runner is not None
        thread = threading.Thread(target=run_job, args=(self._runner, job_key), daemon=True)
        self._threads.append(thread)
        thread.start()

    def is_at_work(self, job_key: str) -> bool:
        """True when the runner is working on the job."""
        return self._runner is not None and self._runner.is_at_work(job_key)

    def check(self) -> None:
        """Pass: jobs can always run."""

    def trouble(self) -> str:
        """Return no text: nothing keeps jobs waiting."""
        return ""

    def close(self) -> None:
        """Start nothing more, and wait for running jobs."""
        if self._runner is not None:
            self._runner.stop()
        for thread in self._threads:
            thread.join(_ENDS_WITHIN_S)
