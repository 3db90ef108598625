"""Saves in the save worker of a process."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from unittest.mock import Mock

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.model.change import ChangeRequest
from item_visibility.model.outcome import Outcome, SaveResult, Verdict
from item_visibility.saving import save_worker
from item_visibility.saving.save_worker import HoldItem, SaveWorker
from item_visibility.saving.send_and_verify import IsHeld
from tests.saving.saving import ITEM, OTHER_ITEM, ask, asked, bench, outcomes
from tests.support.desk import ended_save
from tests.support.fake_visibilities import START, Fault, unknown_outcome

PATIENCE_S = 60
SECRET = "s3cret"


class GatedSaver:
    """A saver that waits for the test.

    It records requests, and how many ran at once for an item.
    """

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.started = threading.Semaphore(0)
        self.asked: list[ChangeRequest] = []
        self.at_once: list[int] = []
        self._running = [request.item for request in self.asked]

    def save(
        self,
        request: ChangeRequest,
        *,
        on_progress: Callable[[int, int], None],
        is_held: IsHeld,
    ) -> SaveResult:
        self._running.append(request.item)
        self.at_once.append(self._running.count(request.item))
        self.asked.append(request)
        assert is_held()
        on_progress(1, 3)
        self.started.release()
        assert self.gate.wait(PATIENCE_S)
        self._running.remove(request.item)
        return bench().save(request)


def hold_nothing(_item: ItemKey) -> AbstractContextManager[IsHeld]:
    """Return a lock that always succeeds.

    The worker still runs the saves of an item in order.
    """
    return nullcontext(lambda: True)


def worker_on(saver: object) -> SaveWorker:
    return SaveWorker(saver, hold_nothing, clock=lambda: START)  # type: ignore[arg-type]  (a stand-in)


def run(worker: SaveWorker, request: ChangeRequest) -> SaveResult:
    worker.submit(request)
    worker.wait(request.key, PATIENCE_S)
    status = worker.status(request.key)
    worker.close()
    assert status is not None
    assert status.result is not None
    return status.result


def test_a_save_ends_with_its_result() -> None:
    desk = bench("A")
    worker = worker_on(desk.saver)
    first = worker.submit(ask(base="A", add="BC"))
    ended = ended_save(worker, "key-1")
    worker.close()
    assert first.progress == 0.0
    assert first.result is None
    assert ended.result is not None
    assert ended.result.verdict is Verdict.VERIFIED
    assert ended == worker.latest(ITEM) == worker.status("key-1")


def test_one_item_is_never_handled_by_two_workers_at_once() -> None:
    saver = GatedSaver()
    worker = worker_on(saver)
    for number in range(5):
        worker.submit(ask(key=f"key-{number}", add="A"))
    worker.submit(ask(key="other", item=OTHER_ITEM, add="A"))
    saver.started.acquire(timeout=PATIENCE_S)
    saver.started.acquire(timeout=PATIENCE_S)
    before_the_gate = {request.key for request in saver.asked}
    saver.gate.set()
    worker.close()
    assert before_the_gate == {"key-0", "other"}
    assert set(saver.at_once) == {1}
    assert [request.key for request in saver.asked if request.item == ITEM] == [
        f"key-{number}" for number in range(5)
    ]


def test_a_reused_key_belongs_only_to_its_new_item() -> None:
    desk = bench("A")
    desk.fake.faults = [Fault("getVisibilities", unknown_outcome())]
    worker = worker_on(desk.saver)
    worker.submit(ask(base="A", add="B"))
    ended_save(worker, "key-1")
    worker.submit(ask(item=OTHER_ITEM, add="B"))
    worker.close()
    assert worker.latest(ITEM) is None
    latest = worker.latest(OTHER_ITEM)
    assert latest is not None
    assert latest.request.item == OTHER_ITEM


def test_closing_waits_for_every_save() -> None:
    saver = GatedSaver()
    worker = worker_on(saver)
    worker.submit(ask(key="first", add="A"))
    worker.submit(ask(key="second", add="A"))
    threading.Timer(0.05, saver.gate.set).start()
    worker.close()
    assert [request.key for request in saver.asked] == ["first", "second"]
    with pytest.raises(RecordsError, match="was closed"):
        worker.submit(ask(key="third", add="A"))


def test_closing_interrupts_saves_that_do_not_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(save_worker, "SAVES_END_WITHIN_S", 0.02)
    saver = GatedSaver()
    worker = worker_on(saver)
    worker.submit(ask(key="first", add="A"))
    worker.submit(ask(key="second", add="A"))
    saver.started.acquire(timeout=PATIENCE_S)
    worker.close(cut=saver.gate.set)
    first = worker.status("first")
    assert [request.key for request in saver.asked] == ["first"]
    assert first is not None
    assert first.result is not None


def test_closing_abandons_saves_that_cannot_be_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(save_worker, "SAVES_END_WITHIN_S", 0.0)
    monkeypatch.setattr(save_worker, "CUT_SAVES_END_WITHIN_S", 0.0)
    saver = GatedSaver()
    worker = worker_on(saver)
    worker.submit(ask(add="A"))
    worker.close()
    status = worker.status("key-1")
    saver.gate.set()
    assert status is not None
    assert status.result is None


def test_only_the_latest_saves_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(save_worker, "REMEMBERED_SAVES", 2)
    desk = bench("Z")
    worker = worker_on(desk.saver)
    for number in range(4):
        worker.submit(ask(key=f"key-{number}", base="Z", add=f"{number}"))
        ended_save(worker, f"key-{number}")
    forgotten = worker.status("key-0")
    again = run(worker, ask(key="key-0", base="Z", add="0"))
    assert forgotten is None
    assert again.verdict is Verdict.VERIFIED
    assert len(asked(desk.fake)) == 4


@pytest.mark.parametrize(
    ("other", "is_refused"),
    [
        (ask(add="A"), False),
        (ask(add="B"), True),
        (ask(add="A", item=OTHER_ITEM), True),
    ],
)
def test_the_same_key_is_saved_once_and_refused_with_other_content(
    other: ChangeRequest, *, is_refused: bool
) -> None:
    saver = GatedSaver()
    worker = worker_on(saver)
    worker.submit(ask(add="A"))
    saver.started.acquire(timeout=PATIENCE_S)
    while_it_runs = worker.submit(other)
    saver.gate.set()
    ended_save(worker, "key-1")
    after_it_ended = worker.submit(other)
    worker.close()
    for status in (while_it_runs, after_it_ended):
        assert (
            status.result is not None and status.result.verdict is Verdict.NOTHING_SENT
        ) is is_refused
    assert [request.add for request in saver.asked] == [frozenset("A")]
    assert worker.status("key-1") == worker.submit(ask(add="A"))


class BrokenSaver:
    """A saver that raises an unexpected exception."""

    def save(self, request: ChangeRequest, **_: object) -> SaveResult:
        raise ZeroDivisionError(f"with {SECRET} {request.key}")


AWAY = RecordsError("The database is away.", advice="Ask.")


@pytest.mark.parametrize(
    ("hold", "after", "verdict"),
    [
        (Mock(side_effect=AWAY), [], Verdict.NOTHING_SENT),
        (Mock(side_effect=ZeroDivisionError(SECRET)), [], Verdict.NOT_CONFIRMED),
        (hold_nothing, [Mock(side_effect=AWAY)], Verdict.NOT_CONFIRMED),
    ],
    ids=[
        "our database is away",
        "an error of ours",
        "our database is away after the save",
    ],
)
def test_a_save_with_an_unexpected_error_claims_nothing(
    caplog: pytest.LogCaptureFixture,
    hold: HoldItem,
    after: list[Mock],
    verdict: Verdict,
) -> None:
    worker = SaveWorker(bench().saver, hold, clock=lambda: START, followers=after)
    assert run(worker, ask(add="A")).verdict is verdict
    assert SECRET not in caplog.text


def test_an_error_in_a_save_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    result = run(worker_on(BrokenSaver()), ask(base="B", add="A", remove="B"))
    assert result.verdict is Verdict.NOT_CONFIRMED
    assert outcomes(result) == {"A": Outcome.UNKNOWN, "B": Outcome.UNKNOWN}
    assert "it is not known which changes were saved" in result.message
    assert "ZeroDivisionError in save" in caplog.text
    assert SECRET not in caplog.text
