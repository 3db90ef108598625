"""Has the jobs of one environment at one service worked on: by this process, or by one that shares them."""

import importlib
import logging
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

from item_visibility.changes.job import UNDER_WAY, JobStore
from item_visibility.jobs.engine import JobEngine
from item_visibility.jobs.living import DEAD_AFTER_S, Living, Presence, name_of_this_process
from item_visibility.jobs.runner import JobRunner

if TYPE_CHECKING:
    from item_visibility.jobs.durable import Place, Queues

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
_LOOKS_MISSED = 5
"""After a look that failed, so many are left out: what is away is not back at once."""

_CLOSE_WITHIN_S = 5.0


class _Process:
    """What all environments of this process share: one DBOS, started at the first job."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.name = ""
        self.queues: Queues | None = None


_PROCESS = _Process()


class JobWorker(JobEngine):
    """Looks now and then which jobs are under way, and has those worked on that nobody works on.

    The state of the jobs in our own records is all that counts; the durable queue says which process
    works on which. It is not even opened while there is no job. `url` is where it is kept. `place` tells the
    jobs of this environment at this service from others. `check` raises RecordsError when it cannot be used.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        place: str,
        runner: JobRunner,
        *,
        store: JobStore,
        presence: Presence,
        url: str,
        check: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        look_every_s: float = LOOK_EVERY_S,
        dead_after_s: float = DEAD_AFTER_S,
    ) -> None:
        self._queue = f"bulk-{sha256(place.encode()).hexdigest()[:16]}"
        self._runner = runner
        self._store = store
        self._presence = presence
        self._url = url
        self._check = check
        self._trouble = ""
        self._look_every_s = look_every_s
        self._living = Living(clock=clock, dead_after_s=dead_after_s)
        self._beat = 0
        self._place: Place | None = None
        self._has_news = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._look_again_and_again, name="jobs", daemon=True)

    def start(self) -> None:
        """Begin, and return at once: jobs that were under way go on."""
        self._thread.start()

    def enqueue(self, job_key: str) -> None:
        """Work on a job that is QUEUED, after those that were queued before; again does no harm."""
        logger.debug("Job %s is to be worked on", job_key)
        self._has_news.set()

    def wake(self, job_key: str) -> None:
        """Look at the state of a job now: it was paused or cancelled."""
        logger.debug("Job %s is to be looked at", job_key)
        self._has_news.set()

    def is_at_work(self, job_key: str) -> bool:
        """True while this process still does what it had begun of a job, which may be stopped by now."""
        return self._runner.is_at_work(job_key)

    def check(self) -> None:
        """Raise RecordsError when the queue cannot be made or used."""
        self._check()

    def trouble(self) -> str:
        """Why the last look ended in nothing; empty when it ended well."""
        return self._trouble

    def close(self) -> None:
        """Stop working within a few seconds; what is not done goes on when the program is started again."""
        self._is_closing.set()
        self._runner.stop()
        self._has_news.set()
        if self._thread.is_alive():
            self._thread.join(2 * _CLOSE_WITHIN_S)

    def _look_again_and_again(self) -> None:
        while not self._is_closing.is_set():
            self._has_news.clear()
            wait_s = self._look_every_s
            try:
                self._look()
                self._trouble = ""
            except Exception as error:  # noqa: BLE001  (whatever is away now, the next look may find it there)
                self._trouble = f"Jobs cannot be worked on now: {type(error).__name__}."
                logger.warning("Jobs cannot be worked on now: %s", type(error).__name__)
                wait_s *= _LOOKS_MISSED
            self._has_news.wait(wait_s)
        try:
            self._leave()
        except Exception as error:  # noqa: BLE001  (the program is ending: the next start finds what is open)
            logger.warning("The queue of jobs was not left in order: %s", type(error).__name__)

    def _look(self) -> None:
        jobs = self._store.in_state(UNDER_WAY)
        if self._place is None and not jobs:
            return
        queues = self._joined()
        living = self._show_and_see()
        active = queues.active(self._queue)
        if _PROCESS.name == min(living):  # one process is enough
            queues.take_over(one for one in active if one.worker is not None and one.worker not in living)
        standing = {one.job_key for one in active}
        for job in jobs:
            if job.key not in standing:
                queues.put(self._queue, job.key)

    def _show_and_see(self) -> frozenset[str]:
        """Show that this process is alive, and see which others are that work at this place."""
        self._beat += 1
        self._presence.show(self._shown(_PROCESS.name), beat=self._beat)
        beats = {
            shown.removesuffix(self._shown("")): beat
            for shown, beat in self._presence.beats().items()
            if shown.endswith(self._shown(""))
        }
        living = self._living.among(beats, me=_PROCESS.name)
        for gone in beats.keys() - living:
            self._presence.leave(self._shown(gone))
        return living

    def _joined(self) -> "Queues":
        """The queues of this process, this place's among them; RuntimeError when that cannot be."""
        with _PROCESS.lock:
            if _PROCESS.queues is None or not _PROCESS.queues.is_open:
                durable = importlib.import_module("item_visibility.jobs.durable")
                _PROCESS.name = name_of_this_process()
                _PROCESS.queues = durable.Queues(worker=_PROCESS.name, url=self._url)
            queues = _PROCESS.queues
            if queues.url != self._url:
                raise RuntimeError("a process works on the jobs of one database at a time")
            if self._place is None:
                self._show_and_see()
                self._place = queues.add(self._queue, self._runner, on_left=self._has_news.set)
            return queues

    def _leave(self) -> None:
        with _PROCESS.lock:
            queues = _PROCESS.queues
            if self._place is None or queues is None:
                return
            self._place.wait_until_idle(_CLOSE_WITHIN_S)
            queues.remove(self._queue)
            self._presence.leave(self._shown(_PROCESS.name))

    def _shown(self, worker: str) -> str:
        return f"{worker} {self._queue}"
