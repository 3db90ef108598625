"""The engine works through a list of items in threads, for a preview, a job, a scan or an export.

A run ends when each item has a result. While the service is down, no item is skipped: one thread tries
the service at intervals, and the other threads wait.
"""

import logging
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar

from item_visibility.client.answers import meaning_of
from item_visibility.client.client import VisibilityClient
from item_visibility.client.transport import ClosedError
from item_visibility.errors import (
    ItemVisibilityError,
    NotSentError,
    RecordsError,
    RefusedError,
    TokenError,
    UnknownOutcomeError,
)
from item_visibility.saving.job import JobItem, Outage
from item_visibility.saving.save_worker import log_failure
from item_visibility.timeouts import (
    RUN_STOPS_WITHIN_S,
    SAVED_WITHIN_S,
)

PROBE_DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""While a service is down, a run tries it after these waits (the probes). The last wait is repeated."""
FAILURES_IN_A_ROW = 3
"""After this many failed items in a row, a job treats the service as down."""
ITEM_READS = 3
"""A job skips an item after this many failed reads, if other items can be read."""

BATCH = 200
BATCH_RECIPIENTS = 50_000
"""Results are stored when there are `BATCH`, or when they contain `BATCH_RECIPIENTS` recipients."""
BROKEN_OFF = "A program error interrupted this item: the outcome of its changes is unknown."
FIRST_ITEMS = 3
"""To see whether the service is up, a run reads this many items from the start of its list, and the item that
ended last."""

logger = logging.getLogger(__name__)


class StoppedError(ClosedError):
    """Work must stop at once. The next run continues the items that were started."""


def interruptible_sleep(stopping: threading.Event) -> Callable[[float], None]:
    """Return a function like `time.sleep` that raises StoppedError as soon as `stopping` is set."""

    def sleep(delay_s: float) -> None:
        if stopping.wait(delay_s):
            raise StoppedError

    return sleep


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why an item has no result yet. `is_unread` is true when its list could not be read."""

    message: str
    is_unread: bool = True


ResultT = TypeVar("ResultT", bound=Sized)
"""The result for one item. Its length is the number of recipients in it."""


class Task(Protocol[ResultT]):
    """The items of a run, the work on each item, and how results are stored.

    If a method raises RecordsError, the run ends, and the next run continues with the open items.
    """

    most_probes: int | None
    """A run gives up after this many probes of a service that stays down. With None, it never gives up."""

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the open items, page by page."""

    def first_items(self) -> Sequence[JobItem]:
        """Return a few items, open or not, that a run reads to see whether the service is up."""

    def work(self, item: JobItem) -> ResultT | Trouble:
        """Work on one item; called in many threads."""

    def give_up(self, item: JobItem, message: str) -> ResultT:
        """Return the result of an item that keeps failing although the service is up."""

    def save(self, results: Sequence[ResultT], outage: Outage | None) -> bool:
        """Store the results, if any. Called several times a second. Return False to stop the run."""

    def end(self, trouble: str) -> None:
        """Called at the end of a run that was not stopped.

        `trouble` is the reason why items were left out, or empty.
        """


class Slots:
    """Lets at most `capacity` workers work at the same time. Thread-safe.

    While the service is down, only one worker gets a slot: the prober, which tries the service.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._changed = threading.Condition()
        self._working = 0
        self._failures_in_a_row = 0
        self._prober: int | None = None
        self._probes = 0

    def acquire(self, is_stopped: Callable[[], bool]) -> bool:
        """Wait for a slot and take it. Return False instead if `is_stopped` returns True."""
        me = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: is_stopped() or self._is_slot_for(me))
            if is_stopped():
                return False
            self._working += 1
            return True

    def release(self) -> None:
        """Give the slot back."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def succeed(self) -> None:
        """Record that the service is up, because an item has its result."""
        with self._changed:
            self._failures_in_a_row = 0
            self._prober = None
            self._changed.notify_all()

    def fail(self) -> float | None:
        """Count a failed item. While the service counts as down, one worker is the prober.

        If this worker is now the prober, return the seconds that it must wait. Otherwise return None.
        """
        me = threading.get_ident()
        with self._changed:
            self._failures_in_a_row += 1
            if self._prober is None and self._failures_in_a_row < FAILURES_IN_A_ROW:
                return None
            if self._prober not in (None, me):
                return None
            self._probes = 0 if self._prober is None else self._probes + 1
            self._prober = me
            return PROBE_DELAYS_S[min(self._probes, len(PROBE_DELAYS_S) - 1)]

    def retire(self) -> bool:
        """Record that this worker ends. Return True if it was the prober."""
        with self._changed:
            was_prober = self._prober == threading.get_ident()
            if was_prober:
                self._prober = None
            self._changed.notify_all()
            return was_prober

    def wake(self) -> None:
        """Let waiting workers check whether they must stop."""
        with self._changed:
            self._changed.notify_all()

    def _is_slot_for(self, worker: int) -> bool:
        if self._prober is not None:
            return self._prober == worker
        return self._working < self.capacity


class Engine:
    """Runs tasks at one service. All runs together have at most `width` workers.

    `give_way` is called before each item. `outage` describes the current outage of the service. Once
    `stopping` is set, no further item is started.
    """

    def __init__(  # noqa: PLR0913  (one argument a collaborator)
        self,
        service: VisibilityClient,
        width: int,
        *,
        clock: Callable[[], datetime],
        stopping: threading.Event | None = None,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self.service = service
        self.slots = Slots(width)
        self.clock = clock
        self.stopping = stopping or threading.Event()
        self.pause = pause
        self.give_way = give_way
        self.outage: Outage | None = None
        self.stops_by_s = math.inf
        self._lock = threading.Lock()
        self._runs: dict[str, _Run[Any]] = {}

    def start(self, key: str, task: Task[Any]) -> None:
        """Run the task in the background and return at once. If a run with this key continues, do nothing."""
        if (run := self._enter(key, task)) is not None:
            threading.Thread(target=run.go_logged, args=(key,), name="run", daemon=True).start()

    def run(self, key: str, task: Task[Any]) -> bool:
        """Run the task to its end. Return False if it was stopped. Raises RecordsError."""
        run = self._enter(key, task)
        return run is not None and run.go()

    def is_at_work(self, key: str) -> bool:
        """Return True until the run has finished its started items, even after `stop`."""
        with self._lock:
            return key in self._runs and not self._runs[key].ended.is_set()

    def stop(self, key: str) -> None:
        """Start no further item of this run, and return at once."""
        with self._lock:
            if key in self._runs:
                self._runs[key].stop()

    def stop_all(self) -> None:
        """Start no further item and no further run, and return at once."""
        self.stopping.set()
        with self._lock:
            self.stops_by_s = time.monotonic() + RUN_STOPS_WITHIN_S
            for run in self._runs.values():
                run.stop()

    def close(self) -> None:
        """Stop all runs. Wait for the items that were started, but only a few seconds."""
        self.stop_all()
        ends_at_s = time.monotonic() + RUN_STOPS_WITHIN_S + 1
        for run in list(self._runs.values()):
            run.ended.wait(max(0.0, ends_at_s - time.monotonic()))

    def _enter(self, key: str, task: Task[ResultT]) -> "_Run[ResultT] | None":
        """Return a new run. Return None if a run with this key exists and was not stopped."""
        with self._lock:
            self._runs = {name: run for name, run in self._runs.items() if not run.ended.is_set()}
            before = self._runs.get(key)
            if self.stopping.is_set() or (before is not None and not before.is_stopped.is_set()):
                return None
            self._runs[key] = run = _Run(self, task, None if before is None else before.ended)
            return run


class _Run(Generic[ResultT]):
    """One run of a task: its workers, and the thread that stores their results.

    It starts when `before` is set, or at once if `before` is None.
    """

    def __init__(self, engine: Engine, task: Task[ResultT], before: threading.Event | None) -> None:
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
        self._probes = 0
        self._strikes: Counter[int] = Counter()
        self._results: list[ResultT] = []
        self._size = 0

    def go_logged(self, key: str) -> None:
        """Run to the end, and log an error."""
        try:
            self.go()
        except RecordsError as error:
            logger.warning("Run %s broke off: %s", key, error.message)
        except Exception as error:  # noqa: BLE001  (whatever fails, the next run continues)
            log_failure(f"Run {key}", error)

    def go(self) -> bool:
        """Run to the end. Return False if it was stopped. Raises RecordsError."""
        try:
            if self._before is not None:
                self._before.wait()
            self._others = list(self._task.first_items())
            self._waiting.extend(next(self._pages, ()))
            self._workers = min(self._engine.slots.capacity, len(self._waiting))
            for _ in range(self._workers):
                threading.Thread(target=self._work, name="worker", daemon=True).start()
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
        """Start no further item."""
        with self._changed:
            self.is_stopped.set()
            self._notify()
        self._engine.slots.wake()

    def _save(self) -> bool:
        """Wait a moment or for `_notify`, then store the results. Return False if they are the last."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_news or not self._workers, SAVED_WITHIN_S)
            self._has_news = False
            results, self._results, self._size = self._results, [], 0
            is_more = self._workers > 0
            self._changed.notify_all()
        if not self._task.save(results, self._engine.outage):
            self.stop()
        return is_more and time.monotonic() < self._engine.stops_by_s

    def _work(self) -> None:
        slots = self._engine.slots
        try:
            is_more = True
            while is_more and slots.acquire(self.is_stopped.is_set):
                try:
                    self._engine.give_way()
                    is_more = self._work_on_next()
                finally:
                    slots.release()
        except ClosedError:
            self.stop()
        except RecordsError as error:
            self._error = error
            self.stop()
        except Exception as error:  # noqa: BLE001  (whatever fails, the item stays open for the next run)
            log_failure("A worker", error)
            self.stop()
        finally:
            if slots.retire():
                self._engine.outage = None
            with self._changed:
                self._workers -= 1
                self._notify()

    def _work_on_next(self) -> bool:
        with self._changed:
            if not self._waiting:
                self._waiting.extend(next(self._pages, ()))
            if not self._waiting:
                return False
            item = self._waiting.popleft()
        result = self._try(item)
        if isinstance(result, Trouble):
            self._put_back(item, result)
            return True
        self._engine.slots.succeed()
        self._engine.outage = None
        with self._changed:
            self._results.append(result)
            self._size += len(result)
            self._others[FIRST_ITEMS:] = [item]
            if self._is_much():  # wait until the results are stored
                self._notify()
                self._changed.wait_for(lambda: not self._is_much() or self.is_stopped.is_set())
        return True

    def _try(self, item: JobItem) -> ResultT | Trouble:
        try:
            result = self._task.work(item)
        except (ClosedError, RecordsError):
            raise
        except Exception as error:  # noqa: BLE001  (one item must not end the others; its result says so)
            if self.is_stopped.is_set():
                raise StoppedError from None
            log_failure(f"Item {item.position}", error)
            return self._task.give_up(item, BROKEN_OFF)
        if isinstance(result, Trouble) and result.is_unread and self._fails_alone(item):
            return self._task.give_up(item, result.message)
        return result

    def _fails_alone(self, item: JobItem) -> bool:
        """Count a failed read of this item. Return True after several, if another item can be read."""
        with self._changed:
            self._strikes[item.position] += 1
            if self._strikes[item.position] < ITEM_READS:
                return False
            others = {one.position: one.intent.item for one in self._others[::-1]}
        others.pop(item.position, None)
        for other in others.values():
            try:
                self._engine.service.get_visibilities(other)
            except ItemVisibilityError as error:
                if is_passing_trouble(error):
                    continue
            return True
        return False

    def _put_back(self, item: JobItem, trouble: Trouble) -> None:
        """Put the item at the end of its page. If the service is down, wait, or end the run."""
        engine, most_probes = self._engine, self._task.most_probes
        with self._changed:
            self._waiting.append(item)
            delay_s = engine.slots.fail()
            if delay_s is None:
                return
            self._probes += 1
            if most_probes is not None and self._probes > most_probes:
                self._trouble = trouble.message
                self._waiting.clear()
                self._pages = iter(())
                return
            now = engine.clock()
            since = now if engine.outage is None else engine.outage.since
            engine.outage = Outage(trouble.message, since, now + timedelta(seconds=delay_s))
            self._notify()
        engine.pause(self.is_stopped, delay_s)

    def _is_much(self) -> bool:
        return len(self._results) >= BATCH or self._size >= BATCH_RECIPIENTS

    def _notify(self) -> None:
        self._has_news = True
        self._changed.notify_all()


def is_passing_trouble(error: ItemVisibilityError) -> bool:
    """True if an error is not about the item itself, so that a later attempt can succeed."""
    if isinstance(error, RefusedError):
        return error.problem is not None and meaning_of(error.problem.status).is_passing
    return isinstance(error, (TokenError, NotSentError, UnknownOutcomeError, RecordsError))
