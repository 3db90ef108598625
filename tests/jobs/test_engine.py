"""The engine: one result for each item, whatever fails, a few items at a time."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.jobs import engine
from item_visibility.jobs.engine import (
    BROKEN_OFF,
    ITEM_READS,
    PROBE_DELAYS_S,
    Engine,
    StoppedError,
    Trouble,
)
from item_visibility.model.job import BulkItem, JobItem, Outage
from tests.support.desk import wait_until
from tests.support.fake_visibilities import FakeVisibilities, Fault, not_sent, refused
from tests.support.waiting import HeldCalls

WITHIN_S = 60.0
DOWN = Trouble("The service cannot be reached.")


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an item."""

    position: int
    message: str = ""

    def __len__(self) -> int:
        return 1


class FakeTask:
    """A task with numbered items.

    `before` is called for each item, and may return a trouble or raise.
    """

    def __init__(self, count: int, *, most_probes: int | None = None) -> None:
        self.most_probes = most_probes
        self.before: Callable[[int], Trouble | None] = lambda _position: None
        self.before_save: Callable[[], None] = lambda: None
        self.is_wanted = True
        self.saved: list[list[Done]] = []
        self.outages: list[Outage | None] = []
        self.tried: list[int] = []
        self.ended: list[str] = []
        self._items = [
            JobItem(position=number, intent=BulkItem(item=ItemKey("S", str(number))))
            for number in range(count)
        ]
        self.first_items = self._items[:3]

    def pages(self) -> Iterator[Sequence[JobItem]]:
        for start in range(0, len(self._items), 300):
            yield self._items[start : start + 300]

    def work(self, item: JobItem) -> Done | Trouble:
        self.tried.append(item.position)
        return self.before(item.position) or Done(item.position)

    def give_up(self, item: JobItem, message: str) -> Done:
        return Done(item.position, message)

    def save(self, results: Sequence[Done], outage: Outage | None) -> bool:
        self.before_save()
        if results:
            self.saved.append(list(results))
        if outage not in self.outages[-1:]:
            self.outages.append(outage)
        return self.is_wanted

    def end(self, trouble: str) -> None:
        self.ended.append(trouble)

    @property
    def results(self) -> dict[int, str]:
        results = list(chain.from_iterable(self.saved))
        assert len({result.position for result in results}) == len(results)
        return {result.position: result.message for result in results}


class Bench:
    """An engine on a fake service. Its pauses take no time."""

    def __init__(self, *, width: int = 4) -> None:
        self.fake = FakeVisibilities({})
        self.pauses: list[float] = []
        self.on_pause: Callable[[], None] = lambda: None
        self.engine = Engine(
            self.fake, width, clock=self.fake.time.now, pause=self._pause
        )

    def _pause(self, _is_stopped: threading.Event, delay_s: float) -> None:
        self.pauses.append(delay_s)
        self.on_pause()


def test_each_item_has_one_result() -> None:
    bench = Bench(width=8)
    task = FakeTask(1_000)
    bench.engine.run("a", task)
    assert sorted(task.results) == list(range(1_000))
    assert task.ended == [""]
    assert not bench.engine.is_at_work("a")


def test_workers_wait_while_many_results_are_unsaved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "BATCH_RECIPIENTS", 4)
    task = FakeTask(40)
    Bench(width=2).engine.run("a", task)
    assert len(task.results) == 40
    assert max(map(len, task.saved)) <= 4 + 2


def test_items_wait_for_a_service_that_is_down() -> None:
    bench = Bench()
    task = FakeTask(20)
    task.before = lambda _position: DOWN if len(bench.pauses) < 3 else None
    bench.on_pause = lambda: wait_until(
        lambda: task.outages and task.outages[-1] is not None
    )
    bench.engine.run("a", task)
    (outage,) = {outage for outage in task.outages if outage is not None}
    assert bench.pauses == [1.0, 2.0, 5.0]
    assert outage.message == DOWN.message
    assert outage.since == bench.fake.time.now()
    assert len(task.results) == 20
    assert set(task.results.values()) == {""}
    assert task.outages[-1] is None


def test_every_run_reports_that_the_service_is_down() -> None:
    bench = Bench()
    first = FakeTask(2)
    second = FakeTask(2)
    is_mended = threading.Event()
    first.before = second.before = lambda _position: (
        None if is_mended.is_set() else DOWN
    )
    bench.on_pause = lambda: bool(is_mended.wait(WITHIN_S)) and None
    bench.engine.start("a", first)
    wait_until(lambda: bench.pauses)
    bench.engine.start("b", second)
    wait_until(lambda: second.outages and second.outages[-1] is not None)
    is_mended.set()
    wait_until(lambda: first.ended and second.ended)
    assert len(first.results) == 2
    assert len(second.results) == 2
    assert second.outages[-1] is None


def test_a_task_may_give_up_a_service_that_is_down() -> None:
    bench = Bench()
    task = FakeTask(50, most_probes=3)
    task.before = lambda position: None if position == 0 else DOWN
    bench.engine.run("a", task)
    assert task.results == {0: ""}
    assert task.ended == [DOWN.message]
    assert len(bench.pauses) == 3


@pytest.mark.parametrize("is_first_one_readable", [True, False])
def test_an_item_that_alone_fails_is_given_up(*, is_first_one_readable: bool) -> None:
    bench = Bench(width=1)
    task = FakeTask(5)
    task.before = lambda position: DOWN if position == 4 else None
    if not is_first_one_readable:
        bench.fake.faults += [Fault("getVisibilities", refused())]
    bench.engine.run("a", task)
    assert task.results == {0: "", 1: "", 2: "", 3: "", 4: DOWN.message}
    assert task.tried.count(4) == ITEM_READS


def test_no_item_is_given_up_while_the_service_is_down() -> None:
    bench = Bench(width=1)
    task = FakeTask(2)
    task.before = lambda _position: DOWN if len(bench.pauses) < 9 else None
    bench.fake.faults += [Fault("getVisibilities", not_sent())] * 100
    bench.engine.run("a", task)
    assert task.results == {0: "", 1: ""}


def test_an_item_is_not_given_up_after_a_write() -> None:
    bench = Bench(width=1)
    task = FakeTask(2)
    task.before = lambda position: (
        Trouble("Not shown yet.", is_unread=False)
        if position == 1 and task.tried.count(1) < 9
        else None
    )
    bench.engine.run("a", task)
    assert task.results == {0: "", 1: ""}


def test_a_program_error_ends_one_item_and_not_the_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench()
    task = FakeTask(3)

    def break_off(position: int) -> None:
        if position == 1:
            raise ZeroDivisionError("secret")

    task.before = break_off
    bench.engine.run("a", task)
    assert task.results == {0: "", 1: BROKEN_OFF, 2: ""}
    assert "Item 1 broke off: ZeroDivisionError in break_off" in caplog.text
    assert "secret" not in caplog.text


def raising(error: BaseException) -> Callable[..., None]:
    def fail(*_given: object) -> None:
        raise error

    return fail


DISK_FULL = RecordsError("The disk is full.", advice="")


@pytest.mark.parametrize("where", ["before", "before_save"])
def test_a_database_that_cannot_be_used_ends_the_run(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    task = FakeTask(9)
    setattr(task, where, raising(DISK_FULL))
    with pytest.raises(RecordsError):
        bench.engine.run("a", task)
    assert task.ended == []
    with caplog.at_level(logging.WARNING):
        bench.engine.start("b", task)
        wait_until(lambda: "Run b broke off: The disk is full." in caplog.text)
    wait_until(lambda: not bench.engine.is_at_work("b"))


def test_an_error_while_saving_results_ends_all_threads(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench()
    task = FakeTask(50)
    task.before_save = raising(ZeroDivisionError("secret"))
    bench.engine.start("a", task)
    wait_until(lambda: "Run a broke off: ZeroDivisionError" in caplog.text)
    wait_until(
        lambda: (
            not {"run", "worker"} & {thread.name for thread in threading.enumerate()}
        )
    )
    assert "secret" not in caplog.text


def test_a_stopped_run_finishes_only_items_under_way() -> None:
    bench = Bench(width=1)
    task = FakeTask(9)
    following = FakeTask(2)
    task.before = held = HeldCalls(lambda position: position == 1)
    bench.engine.start("a", task)
    held.wait()
    bench.engine.start("a", following)
    bench.engine.stop("a")
    bench.engine.stop("another")
    assert bench.engine.is_at_work("a")
    bench.engine.start("a", following)
    held.let_go()
    wait_until(lambda: following.ended)
    assert task.results == {0: "", 1: ""}
    assert task.ended == []
    assert following.results == {0: "", 1: ""}


def test_a_cancelled_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BATCH", 1)
    bench = Bench(width=1)
    task = FakeTask(900)
    task.is_wanted = False
    bench.engine.run("a", task)
    assert len(task.tried) < 10
    assert task.ended == []


def test_a_stop_ends_a_wait_for_the_service() -> None:
    fake = FakeVisibilities({})
    task = FakeTask(1)
    task.before = lambda _position: DOWN
    real = Engine(fake, 1, clock=fake.time.now)
    second = FakeTask(1)
    real.start("a", task)
    wait_until(lambda: task.outages and task.outages[-1] is not None)
    real.start("b", second)
    real.stop("a")
    wait_until(lambda: second.ended)
    real.close()
    assert task.ended == []
    assert second.results == {0: ""}


@pytest.mark.parametrize("error", [StoppedError(), ValueError("closed")])
def test_an_item_interrupted_by_closing_is_not_a_failure(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(width=1)
    task = FakeTask(2)

    def cut(_position: int) -> None:
        bench.engine.stop("a")
        raise error

    task.before = cut
    bench.engine.run("a", task)
    assert task.saved == []
    assert task.ended == []
    assert caplog.messages == []


def test_closing_does_not_wait_for_a_call_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "RUN_STOPS_WITHIN_S", 0.1)
    bench = Bench(width=1)
    task = FakeTask(3)
    task.before = held = HeldCalls(lambda position: position == 0)
    bench.engine.start("a", task)
    held.wait()
    bench.engine.close()
    bench.engine.start("b", task)
    bench.engine.run("c", task)
    assert task.ended == []
    held.let_go()


def test_a_run_with_a_broken_worker_is_not_complete(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench(width=1)
    task = FakeTask(3)
    task.before = raising(ValueError("secret"))
    task.give_up = raising(KeyError("secret"))  # type: ignore[method-assign]
    bench.engine.run("a", task)
    assert task.ended == []
    assert "A worker broke off: KeyError" in caplog.text


def test_all_runs_together_work_on_few_items_at_a_time() -> None:
    bench = Bench(width=3)
    tasks = [FakeTask(9), FakeTask(9)]
    at_work: list[int] = []
    counts: list[int] = []

    def work(position: int) -> None:
        at_work.append(position)
        counts.append(len(at_work))
        time.sleep(0.002)
        at_work.remove(position)

    for key, task in zip("ab", tasks, strict=True):
        task.before = work
        bench.engine.start(key, task)
    wait_until(lambda: all(task.ended for task in tasks))
    assert max(counts) == 3
    assert [len(task.results) for task in tasks] == [9, 9]


def test_one_worker_tries_a_service_that_is_down_less_and_less_often() -> None:
    bench = Bench()
    task = FakeTask(20)
    tried: list[int] = []

    def pause() -> None:
        time.sleep(0.02)  # other workers end the items that they had begun
        tried.append(len(task.tried))

    task.before = lambda _position: DOWN if len(bench.pauses) < 7 else None
    bench.on_pause = pause
    bench.engine.run("a", task)
    assert bench.pauses == [*PROBE_DELAYS_S, 30.0, 30.0]
    assert [later - earlier for earlier, later in pairwise(tried)] == [1] * 6


def test_a_wait_takes_as_long_as_it_was_asked_to() -> None:
    waited: list[float] = []
    fake = FakeVisibilities({})
    service = Engine(
        fake,
        1,
        clock=fake.time.now,
        pause=lambda _, delay_s: waited.append(delay_s),
    )
    service.sleep(2.0)
    assert waited == [2.0]


def test_no_wait_begins_once_the_program_stops() -> None:
    fake = FakeVisibilities({})
    service = Engine(fake, 1, clock=fake.time.now)
    service.stopping.set()
    with pytest.raises(StoppedError):
        service.sleep(60.0)
