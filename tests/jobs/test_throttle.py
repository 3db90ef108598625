"""The number of items that are worked on at once."""

import threading

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.jobs.engine import Throttle
from item_visibility.jobs.reading import PeopleFirst
from item_visibility.timeouts import FAILURES_IN_A_ROW, PROBE_DELAYS_S
from tests.support.waiting import START


def answered(status: int | None) -> CallRecord:
    return CallRecord("getVisibilities", status, sent_at=START)


class Asker:
    """A worker that asks for a slot until it is told to stop."""

    def __init__(self, throttle: Throttle) -> None:
        self.has_slot, self._is_stopped = threading.Event(), threading.Event()
        self.got: list[bool] = []
        self._throttle = throttle
        self.thread = threading.Thread(target=self._ask, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        self._throttle.wake()
        self.thread.join(60)

    def _ask(self) -> None:
        self.got.append(self._throttle.acquire(self._is_stopped.is_set))
        if self.got[0]:
            self.has_slot.set()


def never() -> bool:
    return False


def gives_out_just(slots: int, throttle: Throttle) -> bool:
    """True when `slots` workers get a slot, and the next one waits."""
    are_given = all(Asker(throttle).has_slot.wait(60) for _ in range(slots))
    next_one = Asker(throttle)
    is_next_waiting = not next_one.has_slot.wait(0.05)
    next_one.stop()
    return are_given and is_next_waiting


def asked_for_pauses(throttle: Throttle, status: int, pauses: int) -> Throttle:
    """The throttle after `pauses` pauses, each asked for by two answers at once; an item ended between."""
    for pause in range(pauses):
        if pause:
            throttle.succeed()
        throttle.observe(answered(status))
        throttle.observe(answered(status))
    return throttle


def test_a_slot_that_is_given_back_is_taken_by_the_next() -> None:
    throttle = Throttle(1)
    assert throttle.acquire(never)
    waiting = Asker(throttle)
    throttle.release()
    assert waiting.has_slot.wait(60)


def test_a_worker_that_waits_for_a_slot_sees_that_it_is_to_stop() -> None:
    throttle = Throttle(1)
    assert throttle.acquire(never)
    waiting = Asker(throttle)
    waiting.stop()
    assert waiting.got == [False]


@pytest.mark.parametrize(("pauses", "slots"), [(1, 4), (2, 2), (3, 1), (5, 1)])
@pytest.mark.parametrize("status", [429, 503])
def test_half_the_slots_are_left_when_the_service_asks_for_a_pause(
    status: int, pauses: int, slots: int
) -> None:
    assert gives_out_just(slots, asked_for_pauses(Throttle(8), status, pauses))


@pytest.mark.parametrize(("ended", "slots"), [(3, 1), (4, 2), (10, 2), (11, 3), (20, 3)])
def test_the_slots_come_back_slowly(ended: int, slots: int) -> None:
    throttle = Throttle(3)
    throttle.observe(answered(429))
    for _ in range(ended):
        throttle.succeed()
    assert gives_out_just(slots, throttle)


@pytest.mark.parametrize("status", [200, 204, 400, 404, 500, None])
def test_other_answers_change_nothing(status: int | None) -> None:
    throttle = Throttle(8)
    throttle.observe(answered(status))
    assert gives_out_just(8, throttle)


def test_a_service_that_is_down_is_tried_more_and_more_rarely() -> None:
    throttle = Throttle(8)
    delays = [throttle.fail() for _ in range(9)]
    assert delays == [None, None, *PROBE_DELAYS_S, 30.0, 30.0]
    throttle.succeed()
    assert throttle.fail() is None


def test_one_worker_tries_and_the_others_wait() -> None:
    throttle = Throttle(8)
    assert [throttle.fail() for _ in range(FAILURES_IN_A_ROW)][-1] == PROBE_DELAYS_S[0]
    others: list[object] = []
    thread = threading.Thread(target=lambda: others.extend([throttle.fail(), throttle.retire()]))
    thread.start()
    thread.join(60)
    waiting = Asker(throttle)
    assert (others, waiting.has_slot.wait(0.05)) == ([None, False], False)
    assert throttle.acquire(never)
    throttle.release()
    assert throttle.retire()
    assert waiting.has_slot.wait(60)


def test_scans_give_way_to_people_for_a_moment() -> None:
    people = PeopleFirst()
    people.give_way()
    with people.waiting():
        scan = threading.Thread(target=people.give_way)
        scan.start()
        scan.join(0.02)
        was_waiting = scan.is_alive()
    scan.join(60)
    assert (was_waiting, scan.is_alive()) == (True, False)
