"""The engine: works through a list of items in threads. Preview, apply, scan and export are its four uses.

A run ends when each item has one result. While the service is down, no item is skipped: one thread
probes it now and then, and the others wait.
"""

import logging
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
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
from item_visibility.jobs.throttle import Throttle
from item_visibility.saving.job import JobItem, Outage
from item_visibility.timeouts import (
    FIRST_SAVED_WITHIN_S,
    ITEM_READS,
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


class StoppedError(Exception):
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


class Result(Protocol):
    """What was done with one item. `size` counts the recipients in it."""

    @property
    def size(self) -> int: ...  # noqa: D102


ResultT = TypeVar("ResultT", bound=Result)


class Task(Protocol[ResultT]):
    """One use of the engine. `pages` is advanced in many threads, but never at the same time.

    RecordsError ends the run: what is open is found again by the next one.
    """

    @property
    def batch(self) -> int:
        """How many results are saved at once."""

    @property
    def most_probes(self) -> int | None:
        """The run gives up after this many probes of a service that is down; None: never."""

    def pages(self) -> Iterator[Sequence[JobItem]]:
        """Yield the items that have not ended, page by page."""

    def first_items(self) -> Sequence[JobItem]:
        """Return a few items, whether or not they have ended: to see if the service is up."""

    def work(self, item: JobItem) -> ResultT | Trouble:
        """Work on one item; called in many threads."""

    def give_up(self, item: JobItem, message: str) -> ResultT:
        """Return the result of an item that alone cannot be worked on, though the service is up."""

    def save(self, results: Sequence[ResultT], outage: Outage | None) -> bool:
        """Save results, also none, several times a second; False when the run is to stop."""

    def end(self, *, is_through: bool, trouble: str) -> None:
        """End the run. It `is_through` unless it was stopped; `trouble` says why items were left out."""


class Engine:
    """Runs tasks at one service, all with one throttle. `give_way` is called before each item."""

    def __init__(
        self,
        service: VisibilityClient,
        throttle: Throttle,
        *,
        clock: Callable[[], datetime],
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._service = service
        self._throttle = throttle
        self._clock = clock
        self._pause = pause
        self._give_way = give_way
        self._lock = threading.Lock()
        self._runs: dict[str, _Run[Any]] = {}
        self._outage: Outage | None = None
        self._stops_by_s: float | None = None

    def start(self, key: str, task: Task[Any]) -> None:
        """Run the task in the background, and return at once. It has no effect while this key runs."""
        run, before = self._enter(key, task)
        if run is not None:
            threading.Thread(
                target=self._run_logged, args=(key, run, before), name="run", daemon=True
            ).start()

    def run(self, key: str, task: Task[Any]) -> None:
        """Run the task, and return at its end. Raises RecordsError."""
        run, before = self._enter(key, task)
        if run is not None:
            self._run(run, before)

    def is_at_work(self, key: str) -> bool:
        """True until the last item under way has ended, even after a stop."""
        with self._lock:
            return key in self._runs and not self._runs[key].ended.is_set()

    def is_running(self, key: str) -> bool:
        """True until the run has ended, or is to stop."""
        with self._lock:
            return key in self._runs and not self._runs[key].is_stopped.is_set()

    def stop(self, key: str) -> None:
        """Begin no more items of this run; return at once."""
        with self._lock:
            if key in self._runs:
                self._runs[key].stop()
        self._throttle.wake()

    def stop_all(self) -> None:
        """Begin no more items, and no more runs; return at once."""
        with self._lock:
            self._stops_by_s = time.monotonic() + RUN_STOPS_WITHIN_S
            runs = list(self._runs.values())
        for run in runs:
            run.stop()
        self._throttle.wake()

    def close(self) -> None:
        """Stop all runs; return when the items under way have ended, or after a few seconds."""
        self.stop_all()
        ends_at_s = time.monotonic() + RUN_STOPS_WITHIN_S + 1
        for run in list(self._runs.values()):
            run.ended.wait(max(0.0, ends_at_s - time.monotonic()))

    def _enter(self, key: str, task: Task[ResultT]) -> "tuple[_Run[ResultT] | None, _Run[Any] | None]":
        """Return a new run, if there is to be one, and the stopped run that it waits for."""
        with self._lock:
            self._runs = {name: run for name, run in self._runs.items() if not run.ended.is_set()}
            before = self._runs.get(key)
            if self._stops_by_s is not None or (before is not None and not before.is_stopped.is_set()):
                return None, None
            self._runs[key] = run = _Run(task)
            return run, before

    def _run_logged(self, key: str, run: "_Run[Any]", before: "_Run[Any] | None") -> None:
        try:
            self._run(run, before)
        except RecordsError as error:
            logger.warning("Run %s broke off: %s", key, error.message)
        except Exception as error:  # noqa: BLE001  (whatever fails, the next run continues)
            _log_failure(f"Run {key}", error)

    def _run(self, run: "_Run[ResultT]", before: "_Run[Any] | None") -> None:
        try:
            if before is not None:
                before.ended.wait()
            within_s = FIRST_SAVED_WITHIN_S
            for _ in range(run.begin(self._throttle.capacity)):
                threading.Thread(target=self._work, args=(run,), name="worker", daemon=True).start()
            while run.wait(within_s) and (self._stops_by_s is None or time.monotonic() < self._stops_by_s):
                self._save(run)
                within_s = SAVED_WITHIN_S
            self._save(run)
            if run.error is not None:
                raise run.error
            is_through = not run.is_stopped.is_set()
            run.is_stopped.set()
            run.task.end(is_through=is_through, trouble=run.trouble)
        finally:
            run.stop()
            self._throttle.wake()
            run.ended.set()

    def _save(self, run: "_Run[ResultT]") -> None:
        if not run.task.save(run.take_results(), self._outage) and not run.is_stopped.is_set():
            run.stop()
            self._throttle.wake()

    def _work(self, run: "_Run[ResultT]") -> None:
        try:
            is_more = True
            while is_more and self._throttle.acquire(run.is_stopped.is_set):
                try:
                    self._give_way()
                    is_more = self._work_on_next(run)
                finally:
                    self._throttle.release()
        except (StoppedError, ClosedError):
            run.stop()
        except RecordsError as error:
            run.error = error
            run.stop()
        except Exception as error:  # noqa: BLE001  (whatever fails, the item stays open for the next run)
            _log_failure("A worker", error)
            run.stop()
        finally:
            if self._throttle.retire():
                self._outage = None
            run.leave()

    def _work_on_next(self, run: "_Run[ResultT]") -> bool:
        """Work on the next item; False when there is none."""
        item = run.next_item()
        if item is None:
            return False
        result = self._try(run, item)
        ended = self._put_back(run, item, result) if isinstance(result, Trouble) else result
        if ended is not None:
            self._throttle.succeed()
            self._outage = None
            run.add_result(item, ended)
        return True

    def _try(self, run: "_Run[ResultT]", item: JobItem) -> ResultT | Trouble:
        try:
            return run.task.work(item)
        except (StoppedError, ClosedError, RecordsError):
            raise
        except Exception as error:  # noqa: BLE001  (one item must not end the others; its result says so)
            if run.is_stopped.is_set():
                raise StoppedError from None
            _log_failure(f"Item {item.position}", error)
            return run.task.give_up(item, BROKEN_OFF)

    def _put_back(self, run: "_Run[ResultT]", item: JobItem, trouble: Trouble) -> ResultT | None:
        """Put the item behind the others; wait when the service is down.

        If only this item fails, again and again, return its final result instead.
        """
        if trouble.is_unread and run.strike(item) >= ITEM_READS and self._is_another_readable(run, item):
            return run.task.give_up(item, trouble.message)
        run.put_back(item)
        delay_s = self._throttle.fail()
        if delay_s is not None and run.may_probe():
            now, known = self._clock(), self._outage
            since = now if known is None else known.since
            self._outage = Outage(trouble.message, since, now + timedelta(seconds=delay_s))
            run.notify()
            self._pause(run.is_stopped, delay_s)
        elif delay_s is not None:
            run.leave_out_the_rest(trouble.message)
        return None

    def _is_another_readable(self, run: "_Run[ResultT]", item: JobItem) -> bool:
        """True when the service answers for another item, so it is up."""
        others = {one.position: one.intent.item for one in run.other_items() if one.position != item.position}
        for other in others.values():
            try:
                self._service.get_visibilities(other)
            except ItemVisibilityError as error:
                if is_passing_trouble(error):
                    continue
            return True
        return False


class _Run(Generic[ResultT]):
    """One run of a task, shared by its workers and by the thread that saves their results."""

    def __init__(self, task: Task[ResultT]) -> None:
        self.task = task
        self.trouble = ""
        self.error: RecordsError | None = None
        self.is_stopped = threading.Event()
        self.ended = threading.Event()
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

    def begin(self, most_workers: int) -> int:
        """Look up the first items; return how many workers they are for."""
        self._others = list(self.task.first_items())
        self._waiting.extend(next(self._pages, ()))
        self._workers = min(most_workers, len(self._waiting))
        return self._workers

    def next_item(self) -> JobItem | None:
        """Return the next item; None when there is none."""
        with self._changed:
            if not self._waiting:
                self._waiting.extend(next(self._pages, ()))
            return self._waiting.popleft() if self._waiting else None

    def put_back(self, item: JobItem) -> None:
        """Put an item behind those of its page."""
        with self._changed:
            self._waiting.append(item)

    def strike(self, item: JobItem) -> int:
        """Count a read of an item without an answer; return how many there were."""
        with self._changed:
            self._strikes[item.position] += 1
            return self._strikes[item.position]

    def other_items(self) -> list[JobItem]:
        """Return the item that ended last, if any, and the first items of the list."""
        with self._changed:
            return self._others[::-1]

    def may_probe(self) -> bool:
        """Count a probe of a service that is down; False when the run is to give up."""
        with self._changed:
            self._probes += 1
            return self.task.most_probes is None or self._probes <= self.task.most_probes

    def leave_out_the_rest(self, trouble: str) -> None:
        """Begin no more items, and keep the reason."""
        with self._changed:
            self.trouble = trouble
            self._waiting.clear()
            self._pages = iter(())

    def add_result(self, item: JobItem, result: ResultT) -> None:
        """Add the result of an item. Waits while there is much to be saved."""
        with self._changed:
            self._results.append(result)
            self._size += result.size
            self._others[FIRST_ITEMS:] = [item]
            if self._is_much:
                self._notify()
                self._changed.wait_for(lambda: not self._is_much or self.is_stopped.is_set())

    def take_results(self) -> list[ResultT]:
        """Return the results since the last call."""
        with self._changed:
            results, self._results, self._size = self._results, [], 0
            self._changed.notify_all()
            return results

    def wait(self, within_s: float) -> bool:
        """Wait for news, but not longer than this; return False when no worker is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_news, within_s)
            self._has_news = False
            return self._workers > 0

    def stop(self) -> None:
        """Begin no more items."""
        with self._changed:
            self.is_stopped.set()
            self._notify()

    def leave(self) -> None:
        """Count a worker out."""
        with self._changed:
            self._workers -= 1
            self._notify()

    def notify(self) -> None:
        """Let the thread that saves results look now."""
        with self._changed:
            self._notify()

    @property
    def _is_much(self) -> bool:
        return len(self._results) >= self.task.batch or self._size >= BATCH_RECIPIENTS

    def _notify(self) -> None:
        self._has_news = True
        self._changed.notify_all()


def is_passing_trouble(error: ItemVisibilityError) -> bool:
    """True when an error says nothing about the item, so a retry may succeed."""
    if isinstance(error, RefusedError):
        return error.problem is not None and meaning_of(error.problem.status).is_passing
    return isinstance(error, (TokenError, NotSentError, UnknownOutcomeError, RecordsError))


def refusal_words(error: ItemVisibilityError) -> str:
    """Say why an item cannot be read, and what the service said about it."""
    problem = getattr(error, "problem", None)
    said = (problem.title, problem.detail) if problem else ()
    return " ".join(filter(None, (error.message, *(text for text in said if text not in error.message))))


def _log_failure(what: str, error: Exception) -> None:
    """Log where it failed, without the error's message, which could hold anything."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    logger.error("%s broke off: %s in %s, line %s", what, type(error).__name__, where.name, where.lineno)
