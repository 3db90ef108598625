"""What makes jobs go on, as the rest of the program sees it."""

from typing import Protocol


class JobEngine(Protocol):
    """Works through the jobs of one environment, one after the other. Its methods return at once.

    The state of a job stands in our own records: the engine goes by it, and is told here to look.
    """

    def start(self) -> None:
        """Begin: jobs that were under way go on."""

    def enqueue(self, job_key: str) -> None:
        """Work on a job that is QUEUED, after those that were queued before; again does no harm."""

    def wake(self, job_key: str) -> None:
        """Look at the state of a job now: it was paused or cancelled."""

    def is_at_work(self, job_key: str) -> bool:
        """True while this process still does what it had begun of a job, which may be stopped by now."""

    def check(self) -> None:
        """Raise RecordsError when no job can be worked on here, whatever anybody waits for."""

    def trouble(self) -> str:
        """Why no job could be worked on just now; empty when one could."""
        return ""

    def close(self) -> None:
        """Stop working; what is not done goes on when the program is started again."""


class NoEngine(JobEngine):
    """Leaves every job as it is."""

    def start(self) -> None:
        """Leave them."""

    def enqueue(self, job_key: str) -> None:
        """Leave it QUEUED."""

    def wake(self, job_key: str) -> None:
        """Nothing is under way."""

    def is_at_work(self, job_key: str) -> bool:  # noqa: ARG002  (of no job)
        """Nothing is under way."""
        return False

    def check(self) -> None:
        """No job is worked on here in any case: writing is refused before."""

    def close(self) -> None:
        """Nothing is under way."""
