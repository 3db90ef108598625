"""The engine: works through a list of items in threads. Preview, apply, scan and export are its four uses.

A run ends when each item has one result. While the service is down, no item is skipped: one thread
tries it at intervals, and the others wait.
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
    FAILURES_IN_A_ROW,
    FIRST_SAVED_WITHIN_S,
    ITEM_READS,
    PROBE_DELAYS_S,
    RUN_STOPS_WITHIN_S,
    SAVED_WITHIN_S,
)

BATCH = 200
BATCH_RECIPIENTS = 50_000
"""The limits of what is saved at once: results, and the recipients in them."""
BROKEN_OFF = "A program error interrupted this item: the outcome of its changes is unknown."
FIRST_ITEMS = 3
"""A run looks at this many items from the start of its list, and the last one that ended, to see if the
service is up."""

logger = logging.getLogger(__name__)


class StoppedError(ClosedError):
    """Stop work at once. Items under way stay open; the next run settles them."""


def interruptible_sleep(stopping: threading.Event) -> Callable[[float], None]:
    """Return a sleep, in seconds, that raises StoppedError as soon as work is to stop."""

    def sleep(delay_s: float) -> None:
        if stopping.wait(delay_s):
            raise StoppedError

    return sleep


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why an item has not ended yet. `is_unread` is true when even its list could not be read."""

    message: str
    is_unread: bool = True


ResultT = TypeVar("ResultT", bound=Sized)
"""What was done with one item. Its length is the number of recipients in it."""


class Task(Protocol[ResultT]):
    """One use of the engine. `pages` is advanced in many threads, but never at the same time.

    RecordsError ends the run: what is open is found again by the next one.
    """

    most_probes: int | None
    """The run gives up after this many probes of a service that is down; None: never."""

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the items that have not ended, page by page."""

    def first_items(self) -> Sequence[JobItem]:
        """Return a few items, whether or not they have ended: to see if the service is up."""

    def work(self, item: JobItem) -> ResultT | Trouble:
        """Work on one item; called in many threads."""

    def give_up(self, item: JobItem, message: str) -> ResultT:
        """Return the result of an item that keeps failing although the service is up."""

    def save(self, results: Sequence[ResultT], outage: Outage | None) -> bool:
        """Save the results, if any. Called several times a second. Return False to stop the run."""

    def end(self, trouble: str) -> None:
        """End a run that was not stopped; `trouble` says why items were left out."""


class Slots:
    """Slots for workers: at most `capacity`. Thread-safe.

    While the service is down, the one worker that probes it is the only one with a slot.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._changed = threading.Condition()
        self._working = 0
        self._failures_in_a_row = 0
        self._prober: int | None = None
        self._probes = 0

    def acquire(self, is_stopped: Callable[[], bool]) -> bool:
        """Wait for a slot and take it; False when work is to stop. Call `wake` after a stop."""
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
        """Count an item that ended: the service is up."""
        with self._changed:
            self._failures_in_a_row = 0
            self._prober = None
            self._changed.notify_all()

    def fail(self) -> float | None:
        """Count a failed item. Return the seconds that the caller must wait before it probes.

        Return None when the service does not count as down, or when another worker probes it.
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
        """Take this worker out of service. Return True if it was the prober, so that another takes over."""
        with self._changed:
            was_prober = self._prober == threading.get_ident()
            if was_prober:
                self._prober = None
            self._changed.notify_all()
            return was_prober

    def wake(self) -> None:
        """Let the workers that wait for a slot see that they are to stop."""
        with self._changed:
            self._changed.notify_all()

    def _is_slot_for(self, worker: int) -> bool:
        if self._prober is not None:
            return self._prober == worker
        return self._working < self.capacity


class Engine:
    """Runs tasks at one service, with `width` workers in all. `give_way` is called before each item.

    `outage` says since when the service is down, for all runs; None while it is up. `stopping` is set when
    no more items are to begin.
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
        """Run the task in the background, and return at once. It has no effect while this key runs."""
        if (run := self._enter(key, task)) is not None:
            threading.Thread(target=run.go_logged, args=(key,), name="run", daemon=True).start()

    def run(self, key: str, task: Task[Any]) -> bool:
        """Run the task; at its end, return True unless it was stopped. Raises RecordsError."""
        run = self._enter(key, task)
        return run is not None and run.go()

    def is_at_work(self, key: str) -> bool:
        """True until the last item under way has ended, even after a stop."""
        with self._lock:
            return key in self._runs and not self._runs[key].ended.is_set()

    def stop(self, key: str) -> None:
        """Begin no more items of this run; return at once."""
        with self._lock:
            if key in self._runs:
                self._runs[key].stop()

    def stop_all(self) -> None:
        """Begin no more items, and no more runs; return at once."""
        self.stopping.set()
        with self._lock:
            self.stops_by_s = time.monotonic() + RUN_STOPS_WITHIN_S
            for run in self._runs.values():
                run.stop()

    def close(self) -> None:
        """Stop all runs; return when the items under way have ended, or after a few seconds."""
        self.stop_all()
        ends_at_s = time.monotonic() + RUN_STOPS_WITHIN_S + 1
        for run in list(self._runs.values()):
            run.ended.wait(max(0.0, ends_at_s - time.monotonic()))

    def _enter(self, key: str, task: Task[ResultT]) -> "_Run[ResultT] | None":
        """Return a new run, if there is to be one. It waits for a stopped one of the same key."""
        with self._lock:
            self._runs = {name: run for name, run in self._runs.items() if not run.ended.is_set()}
            before = self._runs.get(key)
            if self.stopping.is_set() or (before is not None and not before.is_stopped.is_set()):
                return None
            self._runs[key] = run = _Run(self, task, None if before is None else before.ended)
            return run


class _Run(Generic[ResultT]):
    """One run of a task: its workers, and the thread that saves their results.

    It begins when the run `before` has ended, if there is one.
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
        """Run until the end; log an error."""
        try:
            self.go()
        except RecordsError as error:
            logger.warning("Run %s broke off: %s", key, error.message)
        except Exception as error:  # noqa: BLE001  (whatever fails, the next run continues)
            log_failure(f"Run {key}", error)

    def go(self) -> bool:
        """Run until the end; return True unless it was stopped. Raises RecordsError."""
        try:
            if self._before is not None:
                self._before.wait()
            self._others = list(self._task.first_items())
            self._waiting.extend(next(self._pages, ()))
            self._workers = min(self._engine.slots.capacity, len(self._waiting))
            for _ in range(self._workers):
                threading.Thread(target=self._work, name="worker", daemon=True).start()
            within_s = FIRST_SAVED_WITHIN_S
            while self._save(within_s):
                within_s = SAVED_WITHIN_S
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
        """Begin no more items."""
        with self._changed:
            self.is_stopped.set()
            self._notify()
        self._engine.slots.wake()

    def _save(self, within_s: float) -> bool:
        """Save the results as soon as there is news, or after this time; False at the end of the run."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_news, within_s)
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
            if self._is_much():  # wait until it is saved
                self._notify()
                self._changed.wait_for(lambda: not self._is_much() or self.is_stopped.is_set())
        return True

    def _try(self, item: JobItem) -> ResultT | Trouble:
        """Work on an item. If only this one fails, again and again, give it up."""
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
        """True when reads of this item failed often, but the service answers for another item."""
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
        """Put the item behind those of its page. When the service is down, wait, or leave out the rest."""
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
    """True when an error says nothing about the item, so a retry may succeed."""
    if isinstance(error, RefusedError):
        return error.problem is not None and meaning_of(error.problem.status).is_passing
    return isinstance(error, (TokenError, NotSentError, UnknownOutcomeError, RecordsError))
