"""Processes that are alive, as beats show it."""

from item_visibility.jobs.liveness import Liveness
from tests.support.waiting import HandClock


def test_who_beats_is_alive() -> None:
    """Judged by our own clock: no other clock is asked."""
    clock = HandClock()
    liveness = Liveness(clock=clock, dead_after_s=30)
    dead = []
    for beat in (5, 6, 6, 6, 7):
        dead.append("job" in liveness.dead({"job": beat}))
        clock.move(20)
    assert dead == [False, False, False, True, False]


def test_who_is_gone_is_forgotten() -> None:
    """When it comes back with the same beat, its time begins anew."""
    clock = HandClock()
    liveness = Liveness(clock=clock, dead_after_s=30)
    liveness.dead({"job": 1})
    clock.move(40)
    liveness.dead({})
    assert liveness.dead({"job": 1}) == frozenset()


def test_each_is_judged_by_itself() -> None:
    """One stands still, and the other does not."""
    clock = HandClock()
    liveness = Liveness(clock=clock, dead_after_s=30)
    liveness.dead({"still": 1, "moving": 1})
    clock.move(30)
    assert liveness.dead({"still": 1, "moving": 2}) == {"still"}
