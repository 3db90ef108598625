"""Failed calls that are sent again. Note N12."""

from datetime import UTC, datetime

import pytest

from item_visibility import timeouts
from item_visibility.client.answers import Answer, Failure, read_answer
from item_visibility.client.operations import ADD_VISIBILITY
from item_visibility.client.retry import Attempts, RetryBudget, retry_after_s

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def failure(status: int, *, retry_after: str = "", date: str = "") -> Failure:
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
    assert retry_after_s(Answer(503, retry_after=value), now=NOW) == seconds


IN_AN_HOUR = {
    "retry_after": "Sat, 21 Nov 2026 13:00:03 GMT",
    "date": "Sat, 21 Nov 2026 13:00:00 GMT",  # the service's clock is an hour ahead of ours
}


@pytest.mark.parametrize(
    ("failed", "attempt", "chance", "seconds"),
    [
        *((failure(500), attempt, 1.0, longest) for attempt, longest in ((1, 0.2), (2, 0.4), (3, 0.8))),
        (failure(500), 3, 0.0, 0.0),
        (failure(503), 2, 1.0, 2.0),
        (failure(429, retry_after="5"), 1, 0.5, 5.5),
        (failure(503, **IN_AN_HOUR), 1, 0.0, 3.0),
        (failure(503, retry_after="60"), 1, 0.0, 60.0),
        (failure(503, retry_after="61"), 1, 0.0, None),
        *((failure(status), 1, 0.0, None) for status in (400, 401, 403, 404, 409, 302, 501)),
        (failure(500), 4, 0.0, None),
    ],
)
def test_a_wait_doubles_is_random_and_follows_the_service(
    failed: Failure, attempt: int, chance: float, seconds: float | None
) -> None:
    assert wait_s(failed, attempt=attempt, chance=chance) == pytest.approx(seconds)


def test_waits_have_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeouts, "CALL_ATTEMPTS", 100)
    assert wait_s(failure(500), attempt=60, chance=1.0) == 10.0


def test_the_budget_is_shared_and_runs_out() -> None:
    budget = RetryBudget(capacity=20)
    costs = [budget.spend(failure(status)) for status in (500, 408, 500, 500)]
    assert costs == [5, 10, 5, 0]


def test_a_success_pays_back_what_it_cost() -> None:
    budget = RetryBudget(capacity=5)
    first = budget.spend(failure(500))
    budget.succeed(first)
    budget.succeed(0)
    assert (budget.spend(failure(500)), budget.spend(failure(500))) == (5, 0)
