"""How many items are worked on at once."""

import threading

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.jobs.pace import PROBE_DELAYS_S, TROUBLES_IN_A_ROW, Pace


def answered(status: int | None) -> CallRecord:
    """One request and its answer."""
    return CallRecord(
        operation="getVisibilities",
        item=ItemKey("s", "i"),
        recipient_id=None,
        attempt=1,
        status=status,
        failure="",
        duration_s=0.1,
        server_date=None,
    )


def places(pace: Pace) -> int:
    """How many workers get a place at once."""
    taken = [thread for thread in (Asker(pace) for _ in range(pace.most + 1)) if thread.has_place.wait(0.05)]
    pace.close()
    return len(taken)


class Asker:
    """A worker that asks for a place."""

    def __init__(self, pace: Pace) -> None:
        self.has_place = threading.Event()
        self.got: list[bool] = []
        self.thread = threading.Thread(target=self._ask, args=(pace,), daemon=True)
        self.thread.start()

    def _ask(self, pace: Pace) -> None:
        self.got.append(pace.take_place())
        if self.got[0]:
            self.has_place.set()


def test_so_many_get_a_place_and_no_more() -> None:
    """The next one waits."""
    assert places(Pace(3)) == 3


def test_a_place_that_is_given_back_is_taken_by_the_next() -> None:
    """Nobody polls for it."""
    pace = Pace(1)
    assert pace.take_place()
    waiting = Asker(pace)
    pace.give_back()
    assert waiting.has_place.wait(60)


def test_who_waits_for_a_place_hears_of_the_end() -> None:
    """There are no more places."""
    pace = Pace(1)
    assert pace.take_place()
    waiting = Asker(pace)
    pace.close()
    waiting.thread.join(60)
    assert waiting.got == [False]
    assert not pace.take_place()


@pytest.mark.parametrize("status", [429, 503])
def test_half_the_places_are_left_when_the_service_asks_for_a_pause(status: int) -> None:
    """Once for many answers that come together; never less than one."""
    pace = Pace(8)
    limits = []
    for _ in range(5):
        pace.observe(answered(status))
        pace.observe(answered(status))
        limits.append(pace.limit)
        pace.well()
    assert limits == [4, 2, 1, 1, 1]


def test_the_places_come_back_slowly() -> None:
    """One more after four items for each that there are, up to the most."""
    pace = Pace(3)
    pace.observe(answered(429))
    limits = []
    for _ in range(20):
        pace.well()
        limits.append(pace.limit)
    assert limits.index(2) == 3
    assert limits.index(3) == 10
    assert limits[-1] == 3


@pytest.mark.parametrize("status", [200, 204, 400, 404, 500, None])
def test_other_answers_change_nothing(status: int | None) -> None:
    """They say nothing about the pace."""
    pace = Pace(8)
    pace.observe(answered(status))
    assert pace.limit == 8


def test_a_service_that_is_down_is_tried_more_and_more_rarely() -> None:
    """By one worker; the last wait again and again, until it is well."""
    pace = Pace(8)
    delays = [pace.trouble(is_down=True) for _ in range(7)]
    assert delays == [*PROBE_DELAYS_S, 30.0, 30.0]
    assert pace.is_waiting
    assert pace.well()
    assert not pace.is_waiting
    assert not pace.well()
    assert pace.trouble(is_down=True) == PROBE_DELAYS_S[0]


def test_troubles_in_a_row_count_as_down() -> None:
    """One by one they may be the items' own."""
    pace = Pace(8)
    delays = [pace.trouble(is_down=False) for _ in range(TROUBLES_IN_A_ROW)]
    assert delays == [None, None, PROBE_DELAYS_S[0]]


def test_one_worker_tries_and_the_others_wait() -> None:
    """Also those that were in trouble at the same time; when it leaves, another one may."""
    pace = Pace(8)
    assert pace.trouble(is_down=True) == PROBE_DELAYS_S[0]
    others: list[float | None] = []
    thread = threading.Thread(target=lambda: others.append(pace.trouble(is_down=True)))
    thread.start()
    thread.join(60)
    waiting = Asker(pace)
    assert (others, waiting.has_place.wait(0.05)) == ([None], False)
    assert pace.take_place()
    pace.give_back()
    pace.leave()
    assert waiting.has_place.wait(60)
