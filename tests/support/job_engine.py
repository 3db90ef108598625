"""Jobs of a test, run in threads of the process: the runner of the program, without what makes it durable."""

import threading

from item_visibility.changes.locks import ItemLocks
from item_visibility.changes.save import Saver
from item_visibility.jobs.engine import JobEngine
from item_visibility.jobs.pace import Pace
from item_visibility.jobs.runner import JobRunner
from tests.support.desk import DeskKit

_ENDS_WITHIN_S = 60


class ThreadEngine(JobEngine):
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
            pace=Pace(2),
            clock=hands.now,
            sleep=hands.sleep,
        )

    def start(self) -> None:
        """Nothing goes on from before."""

    def enqueue(self, job_key: str) -> None:
        """Begin, and return at once."""
        assert self._runner is not None
        thread = threading.Thread(target=self._runner.run, args=(job_key,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def wake(self, job_key: str) -> None:
        """The runner itself looks at the job's state between items."""

    def is_at_work(self, job_key: str) -> bool:
        """As the runner says."""
        return self._runner is not None and self._runner.is_at_work(job_key)

    def check(self) -> None:
        """Jobs can always be worked on."""

    def close(self) -> None:
        """Begin nothing more, and wait for what runs."""
        if self._runner is not None:
            self._runner.stop()
        for thread in self._threads:
            thread.join(_ENDS_WITHIN_S)
