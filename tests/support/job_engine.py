"""What stands in for the dispatcher of jobs in a test: threads of the process, or nobody at all."""

import threading

from item_visibility.changes.saving.locks import ItemLocks
from item_visibility.changes.saving.save import Saver
from item_visibility.jobs.runner import JobRunner
from item_visibility.jobs.throttle import Throttle
from tests.support.desk import DeskKit

_ENDS_WITHIN_S = 60


def run_job(runner: JobRunner, key: str) -> None:
    """Work on a job until there is no more to do, as the workflow of the work queue does."""
    last: int | None = -1
    while last is not None:
        last = runner.run_chunk(key, after=last)


class ThreadEngine:
    """Runs each job in a thread of its own as soon as it is queued, once it knows the desk's records."""

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
        """Begin where the job is queued, and return at once."""
        assert self._runner is not None
        thread = threading.Thread(target=run_job, args=(self._runner, job_key), daemon=True)
        self._threads.append(thread)
        thread.start()

    def is_at_work(self, job_key: str) -> bool:
        """As the runner says."""
        return self._runner is not None and self._runner.is_at_work(job_key)

    def check(self) -> None:
        """Jobs can always be worked on."""

    def trouble(self) -> str:
        """Return nothing: nothing keeps jobs waiting."""
        return ""

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        if self._runner is not None:
            self._runner.stop()
        for thread in self._threads:
            thread.join(_ENDS_WITHIN_S)
