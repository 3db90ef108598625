"""Failed calls that are sent again. Note N12."""

from datetime import UTC, datetime

import pytest

from item_visibility import timeouts
from item_visibility.client.answers import Answer, Failure, read_answer
from item_visibility.client.operations import ADD_VISIBILITY
from item_visibility.client.retry import Attempts, RetryBudget, retry_after_s

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def failure(status: int, *, retry_after: str = "", date: str = "") -> Failure:
    """The failure that an answer means."""
    outcome = read_answer(ADD_VISIBILITY, Answer(status, retry_after=retry_after, date=date))
    assert isinstance(outcome, Failure)
    return outcome


def wait_s(failed: Failure, *, attempt: int, chance: float) -> float | None:
    """The wait after this attempt to add a recipient."""
    return Attempts(ADD_VISIBILITY, attempt).wait_s(failed, chance=chance, now=NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("Sat, 21 Nov 2026 12:00:09 GMT", 9.0),
        ("Sat, 21 Nov 2026 12:00:09", 9.0),
        ("Sat, 21 Nov 2026 13:00:09 +0100", 9.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("", 0.0),
        ("-3", 0.0),
        ("1.5", 0.0),
        ("soon", 0.0),
        ("²", 0.0),
        ("9" * 20, 0.0),
        ("Sat, 99 Nov 2026 12:00:09 GMT", 0.0),
        ("Sat, 21 Nov 2026 12:00:09 +9999999999", 0.0),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(value: str, seconds: float) -> None:
    """Anything else is as if it were not there."""
    assert retry_after_s(Answer(503, retry_after=value), now=NOW) == seconds


@pytest.mark.parametrize(("attempt", "longest_s"), [(1, 0.2), (2, 0.4), (3, 0.8)])
def test_waits_double(attempt: int, longest_s: float) -> None:
    """The longest wait before each attempt."""
    assert wait_s(failure(500), attempt=attempt, chance=1.0) == pytest.approx(longest_s)


def test_waits_are_random_from_zero() -> None:
    """Full jitter spreads the calls of many clients."""
    assert wait_s(failure(500), attempt=3, chance=0.0) == 0.0


def test_a_busy_service_gets_longer_waits() -> None:
    """429 and 503 begin at one second."""
    assert wait_s(failure(503), attempt=2, chance=1.0) == 2.0


def test_waits_have_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait of our own is longer than ten seconds."""
    monkeypatch.setattr(timeouts, "CALL_ATTEMPTS", 100)
    assert wait_s(failure(500), attempt=60, chance=1.0) == 10.0


def test_retry_after_is_waited_out_and_a_little_more() -> None:
    """So that not all clients come back in the same moment."""
    assert wait_s(failure(429, retry_after="5"), attempt=1, chance=0.5) == 5.5


def test_a_date_is_measured_on_the_clock_of_the_service() -> None:
    """A clock of ours that is an hour behind does not make the wait an hour long."""
    said = failure(503, retry_after="Sat, 21 Nov 2026 13:00:03 GMT", date="Sat, 21 Nov 2026 13:00:00 GMT")
    assert wait_s(said, attempt=1, chance=0.0) == 3.0


@pytest.mark.parametrize(("seconds", "pause_s"), [("60", 60.0), ("61", None)])
def test_a_person_does_not_wait_longer_than_a_minute(seconds: str, pause_s: float | None) -> None:
    """A longer Retry-After ends the call."""
    assert wait_s(failure(503, retry_after=seconds), attempt=1, chance=0.0) == pause_s


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 302, 501])
def test_what_would_fail_again_is_not_repeated(status: int) -> None:
    """The answer would be the same."""
    assert wait_s(failure(status), attempt=1, chance=0.0) is None


def test_the_fourth_attempt_is_the_last() -> None:
    """A call ends."""
    assert wait_s(failure(500), attempt=4, chance=0.0) is None


def test_the_budget_is_shared_and_runs_out() -> None:
    """A service in trouble is not flooded; a time-out costs double."""
    budget = RetryBudget(capacity=20)
    costs = [budget.spend(failure(status)) for status in (500, 408, 500, 500)]
    assert costs == [5, 10, 5, 0]


def test_a_success_pays_back_what_it_cost() -> None:
    """Retries that help are free; other successes fill the budget slowly, and not beyond its capacity."""
    budget = RetryBudget(capacity=5)
    first = budget.spend(failure(500))
    budget.succeed(first)
    budget.succeed(0)
    assert (budget.spend(failure(500)), budget.spend(failure(500))) == (5, 0)
