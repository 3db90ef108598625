"""The engine works through a list of items in threads.

Previews, jobs, scans and exports use it. A run ends when each item has a result. While
the service is down, no item is skipped: one thread tries the service at intervals, and
the other threads wait.
"""

import logging
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice, repeat
from typing import Any, Generic, Protocol, TypeVar

from item_visibility.client.answers import meaning_of
from item_visibility.client.client import VisibilityClient
from item_visibility.client.http_calls import ClosedError
from item_visibility.errors import (
    ItemVisibilityError,
    NotSentError,
    RecordsError,
    RefusedError,
    TokenError,
    UnknownOutcomeError,
)
from item_visibility.model.job import JobItem, Outage
from item_visibility.saving.save_worker import log_failure
from item_visibility.timeouts import RUN_STOPS_WITHIN_S, SAVED_WITHIN_S

PROBE_DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""The waits between probes (attempts to reach a service that is down).

The last wait is repeated.
"""
FAILURES_IN_A_ROW = 3
"""After this many failed items in a row, the service counts as down."""
ITEM_READS = 3
"""A job skips an item after this many failed reads, if other items can be read."""

BATCH = 200
BATCH_RECIPIENTS = 50_000
"""Results are stored when there are `BATCH` of them.

They are stored earlier if together they contain `BATCH_RECIPIENTS` recipients.
"""
BROKEN_OFF = (
    "A program error interrupted this item: the outcome of its changes is unknown."
)
FIRST_ITEMS = 3
"""To see whether the service is up, a run reads this many items.

They are the first of its list. It also reads the item that it finished last.
"""

logger = logging.getLogger(__name__)


class StoppedError(ClosedError):
    """Work must stop at once. The next run continues the items that were started."""


def interruptible_sleep(stopping: threading.Event) -> Callable[[float], None]:
    """Return a function like `time.sleep` that ends as soon as `stopping` is set.

    It then raises StoppedError.
    """

    def sleep(delay_s: float) -> None:
        if stopping.wait(delay_s):
            raise StoppedError

    return sleep


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why an item has no result yet.

    `is_unread` is true if the item's list could not be read.
    """

    message: str
    is_unread: bool = True


ResultT = TypeVar("ResultT", bound=Sized)
"""The result for one item. The length of a result is the number of its recipients."""


class Task(Protocol[ResultT]):
    """Yields the items of a run, works on each item, and stores the results.

    If a method raises RecordsError, the run ends, and the next run continues with the
    open items.
    """

    most_probes: int | None = None
    """A run gives up after this many probes of a service that stays down.

    With None, it never gives up.
    """

    first_items: Sequence[JobItem]
    """A few items that a run reads to see whether the service is up.

    They may already have results.
    """

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the open items, page by page."""

    def work(self, item: JobItem) -> ResultT | Trouble:
        """Work on one item; called in many threads."""

    def give_up(self, item: JobItem, message: str) -> ResultT:
        """Return the result of an item that fails although the service is up."""

    def save(self, results: Sequence[ResultT], outage: Outage | None) -> bool:
        """Store the results, if any.

        Called several times a second. Return False to stop the run.
        """

    def end(self, trouble: str) -> None:
        """Called after a run that was not stopped.

        `trouble` says why items were left out, or is empty.
        """


@dataclass(eq=False, repr=False)
class Engine:
    """Runs tasks for one service.

    All runs together work on at most `width` items at a time.

    While the service is down, one worker tries it from time to time, the other workers
    wait, and `outage` describes the outage. Once `stopping` is set, no further item is
    started.
    """

    service: VisibilityClient
    width: int
    _: KW_ONLY
    clock: Callable[[], datetime]
    stopping: threading.Event = field(default_factory=threading.Event)
    pause: Callable[[threading.Event, float], object] = threading.Event.wait

    def __post_init__(self) -> None:
        self.outage: Outage | None = None
        self.failures_in_a_row = 0
        self.stops_by_s = math.inf
        self._changed = threading.Condition()
        self._working = 0
        self._is_probed = False
        self._runs: dict[str, _Run[Any]] = {}

    def sleep(self, delay_s: float) -> None:
        """Wait. Raise StoppedError as soon as `stopping` is set."""
        if self.pause(self.stopping, delay_s):
            raise StoppedError

    def start(self, key: str, task: Task[Any]) -> None:
        """Run the task in the background, and return at once.

        Do nothing if this key has an active run.
        """
        run = self._enter(key, task)
        if run is None:
            return
        threading.Thread(
            target=run.go_logged, args=(key,), name="run", daemon=True
        ).start()

    def run(self, key: str, task: Task[Any]) -> bool:
        """Run the task to its end.

        Return False if it was stopped. Raises RecordsError.
        """
        run = self._enter(key, task)
        return run is not None and run.go()

    def is_at_work(self, key: str) -> bool:
        """Return True while the run works.

        After `stop`, it still finishes the items that it started.
        """
        with self._changed:
            return key in self._runs and not self._runs[key].ended.is_set()

    def stop(self, key: str) -> None:
        """Do not let this run start more items, and return at once."""
        with self._changed:
            if key in self._runs:
                self._runs[key].stop()

    def stop_all(self) -> None:
        """Refuse new runs, and start no more items in the current runs.

        Return at once.
        """
        self.stopping.set()
        with self._changed:
            self.stops_by_s = time.monotonic() + RUN_STOPS_WITHIN_S
            for run in self._runs.values():
                run.stop()

    def close(self) -> None:
        """Stop all runs.

        Wait for the items that were started, but only a few seconds.
        """
        self.stop_all()
        for run in list(self._runs.values()):
            left_s = self.stops_by_s + 1 - time.monotonic()
            run.ended.wait(max(0.0, left_s))

    def acquire_slot(self, run: "_Run[Any]") -> bool:
        """Wait until a worker of the run may start an item.

        Return False when the run is stopped.
        """

        def may_decide() -> bool:
            is_free = self._working < self.width and not self._is_probed
            return is_free or run.is_stopped.is_set()

        with self._changed:
            self._changed.wait_for(may_decide)
            if run.is_stopped.is_set():
                return False
            self._working += 1
            return True

    def release_slot(self) -> None:
        """Let another worker start an item."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def begin_probing(self) -> bool:
        """Count a failed item.

        Return True if the service is down and no other worker probes it.

        After True, the worker must probe the service, and then call `end_probing`.
        """
        with self._changed:
            self.failures_in_a_row += 1
            if self._is_probed or self.failures_in_a_row < FAILURES_IN_A_ROW:
                return False
            self._is_probed = True
            return True

    def end_probing(self) -> None:
        """Let the other workers start items again."""
        with self._changed:
            self._is_probed = False
            self.outage = None
            self._changed.notify_all()

    def wake(self) -> None:
        """Let waiting workers check whether their run is stopped."""
        with self._changed:
            self._changed.notify_all()

    def _enter(self, key: str, task: Task[ResultT]) -> "_Run[ResultT] | None":
        """Return a new run.

        Return None if a run with this key exists and was not stopped.
        """
        with self._changed:
            # Forget runs that have ended.
            self._runs = {
                name: run for name, run in self._runs.items() if not run.ended.is_set()
            }

            if self.stopping.is_set():
                return None
            before = self._runs.get(key)
            if before is not None and not before.is_stopped.is_set():
                return None
            run = _Run(self, task, before)
            self._runs[key] = run
            return run


class _Run(Generic[ResultT]):
    """One run of a task: its workers, and the thread that stores their results.

    The run starts when `before`, the earlier run with its key, has ended.
    """

    def __init__(
        self, engine: Engine, task: Task[ResultT], before: "_Run[Any] | None"
    ) -> None:
        self.is_stopped = threading.Event()
        self.ended = threading.Event()
        self._engine = engine
        self._task = task
        self._before = before
        self._trouble = ""
        self._error: RecordsError | None = None
        self._changed = threading.Condition()
        self._has_news = False
        self._pages = task.pages()
        self._others: list[JobItem] = []
        self._waiting: deque[JobItem] = deque()
        self._workers = 0
        self._strikes: Counter[int] = Counter()
        self._results: list[ResultT] = []
        self._size = 0

    def go_logged(self, key: str) -> None:
        """Run to the end, and log an error."""
        try:
            self.go()
        except RecordsError as error:
            logger.warning("Run %s broke off: %s", key, error.message)
        # Whatever fails, the next run continues.
        except Exception as error:  # noqa: BLE001
            log_failure(f"Run {key}", error)

    def go(self) -> bool:
        """Run to the end. Return False if it was stopped. Raises RecordsError."""
        try:
            if self._before is not None:
                self._before.ended.wait()

            # Start the workers.
            self._others = list(self._task.first_items)
            self._waiting.extend(next(self._pages, ()))
            self._workers = min(self._engine.width, len(self._waiting))
            for _ in range(self._workers):
                threading.Thread(target=self._work, name="worker", daemon=True).start()

            # Store their results until all workers have ended.
            while self._save():
                pass

            if self._error is not None:
                raise self._error
            if self.is_stopped.is_set():
                return False
            self.is_stopped.set()
            self._task.end(self._trouble)
            return True
        finally:
            self.stop()
            self.ended.set()

    def stop(self) -> None:
        """Do not start more items."""
        with self._changed:
            self.is_stopped.set()
            self._notify()
        self._engine.wake()

    def _save(self) -> bool:
        """Wait for `_notify`, but only a moment.

        Store the results. Return False if they are the last.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._has_news or not self._workers, SAVED_WITHIN_S
            )
            self._has_news = False
            results = self._results
            self._results = []
            self._size = 0
            is_more = self._workers > 0
            self._changed.notify_all()
        if not self._task.save(results, self._engine.outage):
            self.stop()
        return is_more and time.monotonic() < self._engine.stops_by_s

    def _work(self) -> None:
        engine = self._engine
        try:
            is_more = True
            while is_more and engine.acquire_slot(self):
                try:
                    is_more = self._work_on_next()
                finally:
                    engine.release_slot()
        except ClosedError:
            self.stop()
        except RecordsError as error:
            self._error = error
            self.stop()
        # Whatever fails, the item stays open for the next run.
        except Exception as error:  # noqa: BLE001
            log_failure("A worker", error)
            self.stop()
        finally:
            with self._changed:
                self._workers -= 1
                self._notify()

    def _work_on_next(self) -> bool:
        """Work on the next item, and probe the service if it turns out to be down.

        Return False if the run has no more items for this worker.
        """
        item = self._next()
        if item is None:
            return False
        trouble = self._try(item)
        if trouble and not self._trouble and self._engine.begin_probing():
            try:
                self._probe(trouble)
            finally:
                self._engine.end_probing()
        return True

    def _next(self) -> JobItem | None:
        with self._changed:
            if not self._waiting:
                self._waiting.extend(next(self._pages, ()))
            is_over = self._trouble or self.is_stopped.is_set() or not self._waiting
            return None if is_over else self._waiting.popleft()

    def _probe(self, trouble: Trouble) -> None:
        """Try an item from time to time until the service is up.

        End early if the run stops or gives up.
        """
        engine = self._engine
        since = engine.clock()
        delays_s = chain(PROBE_DELAYS_S, repeat(PROBE_DELAYS_S[-1]))
        for delay_s in islice(delays_s, self._task.most_probes):
            # Tell the screens about the outage, and wait.
            next_try_at = engine.clock() + timedelta(seconds=delay_s)
            engine.outage = Outage(trouble.message, since, next_try_at)
            with self._changed:
                self._notify()
            engine.pause(self.is_stopped, delay_s)

            # Try the next item.
            item = self._next()
            if item is None:
                return
            failure = self._try(item)
            if failure is None:
                return
            trouble = failure
        self._trouble = trouble.message

    def _try(self, item: JobItem) -> Trouble | None:
        """Work on the item.

        If it gets no result, put it at the end of its page, and return the trouble.
        """
        result = self._result_of(item)
        with self._changed:
            if isinstance(result, Trouble):
                self._waiting.append(item)
                return result
            self._engine.failures_in_a_row = 0
            self._results.append(result)
            self._size += len(result)
            self._others[FIRST_ITEMS:] = [item]
            if self._is_much():
                # Wait until the results are stored.
                self._notify()
                self._changed.wait_for(
                    lambda: not self._is_much() or self.is_stopped.is_set()
                )
        return None

    def _result_of(self, item: JobItem) -> ResultT | Trouble:
        try:
            result = self._task.work(item)
        except (ClosedError, RecordsError):
            raise
        # An error in one item must not end the run.
        except Exception as error:  # noqa: BLE001
            if self.is_stopped.is_set():
                raise StoppedError from None
            log_failure(f"Item {item.position}", error)
            return self._task.give_up(item, BROKEN_OFF)
        if isinstance(result, Trouble) and result.is_unread and self._fails_alone(item):
            return self._task.give_up(item, result.message)
        return result

    def _fails_alone(self, item: JobItem) -> bool:
        """Count a failed read.

        Return True if this item failed several times and another item can be read.
        """
        with self._changed:
            self._strikes[item.position] += 1
            if self._strikes[item.position] < ITEM_READS:
                return False
            others = [
                other
                for other in reversed(self._others)
                if other.position != item.position
            ]
        return any(map(self._is_readable, others))

    def _is_readable(self, item: JobItem) -> bool:
        try:
            self._engine.service.get_visibilities(item.intent.item)
        except ItemVisibilityError as error:
            return not is_passing_trouble(error)
        return True

    def _is_much(self) -> bool:
        return len(self._results) >= BATCH or self._size >= BATCH_RECIPIENTS

    def _notify(self) -> None:
        self._has_news = True
        self._changed.notify_all()


def is_passing_trouble(error: ItemVisibilityError) -> bool:
    """Return True if a later attempt can succeed.

    Such an error is not about the item itself.
    """
    if isinstance(error, RefusedError):
        return error.problem is not None and meaning_of(error.problem.status).is_passing
    return isinstance(
        error, (TokenError, NotSentError, UnknownOutcomeError, RecordsError)
    )
