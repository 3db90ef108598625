"""The last requests of this process, and the numbers of the last hour."""

from dataclasses import replace

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.use_cases.connection.call_watch import KEPT_CALLS, CallWatch, OperationHour
from tests.support.waiting import START, HandClock

OK = CallRecord("addVisibility", 204, took_s=0.02, sent_at=START)
FAILED = replace(OK, status=503)


@pytest.fixture
def clock() -> HandClock:
    """Time that stands still."""
    return HandClock()


@pytest.fixture
def watch(clock: HandClock) -> CallWatch:
    """A watch that has seen nothing."""
    return CallWatch(clock.now)


def test_the_last_calls_and_failures_are_kept_newest_first(watch: CallWatch) -> None:
    """Calls that went well push out no failure, and a failure among the last calls is there once."""
    calls = [replace(OK, request_id=str(number)) for number in range(KEPT_CALLS + 70)]
    for call in (FAILED, *calls, FAILED):
        watch.observe(call)
    assert watch.exchanges == (FAILED, *reversed(calls[1 - KEPT_CALLS :]), FAILED)


def test_the_last_hour_is_counted_by_operation(watch: CallWatch) -> None:
    """Failures too, and the times within which half, nearly all and all but a few ended."""
    for took_s in (0.01, 0.02, 0.03, 10.0):
        watch.observe(replace(OK, took_s=took_s))
    watch.observe(replace(FAILED, operation="getVisibilities", took_s=0))
    reads, additions = sorted(watch.last_hour, key=lambda hour: hour.count)
    assert reads == OperationHour("getVisibilities", 1, 1, pytest.approx((0.001,) * 3, rel=0.1))
    assert (additions.operation, additions.count, additions.failed) == ("addVisibility", 4, 0)
    assert additions.within_s == pytest.approx((0.021, 10.5, 10.5), rel=0.06)


def test_what_is_older_than_an_hour_is_not_counted(watch: CallWatch, clock: HandClock) -> None:
    """Neither in the numbers, nor in memory."""
    watch.observe(OK)
    clock.move(3_601.0)
    assert watch.last_hour == ()
    watch.observe(replace(OK, sent_at=clock.now()))
    assert [hour.count for hour in watch.last_hour] == [1]
