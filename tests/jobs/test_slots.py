"""The slots of the workers: how many items are worked on at once."""

import threading

from item_visibility.jobs.engine import Slots
from item_visibility.jobs.reading import PeopleFirst
from item_visibility.timeouts import FAILURES_IN_A_ROW, PROBE_DELAYS_S


class Asker:
    """A worker that asks for a slot until it is told to stop."""

    def __init__(self, slots: Slots) -> None:
        self.has_slot, self._is_stopped = threading.Event(), threading.Event()
        self.got: list[bool] = []
        self._slots = slots
        self.thread = threading.Thread(target=self._ask, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self._is_stopped.set()
        self._slots.wake()
        self.thread.join(60)

    def _ask(self) -> None:
        self.got.append(self._slots.acquire(self._is_stopped.is_set))
        if self.got[0]:
            self.has_slot.set()


def never() -> bool:
    return False


def gives_out_just(count: int, slots: Slots) -> bool:
    """True when `count` workers get a slot, and the next one waits."""
    are_given = all(Asker(slots).has_slot.wait(60) for _ in range(count))
    next_one = Asker(slots)
    is_next_waiting = not next_one.has_slot.wait(0.05)
    next_one.stop()
    return are_given and is_next_waiting


def test_a_worker_that_waits_for_a_slot_sees_that_it_is_to_stop() -> None:
    slots = Slots(1)
    assert slots.acquire(never)
    waiting = Asker(slots)
    waiting.stop()
    assert waiting.got == [False]


def test_no_more_workers_than_slots_work_at_once() -> None:
    assert gives_out_just(3, Slots(3))


def test_a_service_that_is_down_is_tried_more_and_more_rarely() -> None:
    slots = Slots(8)
    delays = [slots.fail() for _ in range(9)]
    assert delays == [None, None, *PROBE_DELAYS_S, 30.0, 30.0]
    slots.succeed()
    assert slots.fail() is None


def test_one_worker_tries_and_the_others_wait() -> None:
    slots = Slots(8)
    assert [slots.fail() for _ in range(FAILURES_IN_A_ROW)][-1] == PROBE_DELAYS_S[0]
    others: list[object] = []
    thread = threading.Thread(target=lambda: others.extend([slots.fail(), slots.retire()]))
    thread.start()
    thread.join(60)
    waiting = Asker(slots)
    assert (others, waiting.has_slot.wait(0.05)) == ([None, False], False)
    assert slots.acquire(never)
    slots.release()
    assert slots.retire()
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
