"""The meaning of an answer, and when a call is sent again.

Spec: "Endpoints", "Errors"; Notes N7, N12.
"""

import json
from datetime import UTC, datetime

import pytest

from item_visibility import errors
from item_visibility.client import retry
from item_visibility.client.answers import (
    Failure,
    HttpAnswer,
    Meaning,
    Result,
    Success,
    read_answer,
    read_problem,
)
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITY,
)
from item_visibility.client.retry import Attempts, RetryBudget, retry_after_s
from item_visibility.errors import ProblemDetail

JSON = "application/json"


def meaning(outcome: Result) -> Meaning:
    assert isinstance(outcome, Failure)
    return outcome.meaning


@pytest.mark.parametrize(
    "content_type", [JSON, "application/json;charset=utf-8", "application/x+json", ""]
)
def test_a_list_is_read_as_a_set(content_type: str) -> None:
    """Order and repetition have no meaning. Note N10."""
    answer = HttpAnswer(200, content_type, body=b'["b", "a", "b", "\\ud800", ""]')
    assert read_answer(GET_VISIBILITIES, answer) == Success(
        answer, frozenset({"a", "b", "\ud800", ""})
    )


@pytest.mark.parametrize("content_type", ["", "text/html", "application/problem+json"])
def test_an_empty_404_to_a_read_means_no_recipients(content_type: str) -> None:
    """Its media type does not matter: the specification allows any. Note N4."""
    answer = HttpAnswer(404, content_type)
    assert read_answer(GET_VISIBILITIES, answer) == Success(answer)


@pytest.mark.parametrize(
    "answer",
    [
        HttpAnswer(404, "text/html", body=b"<html>404 page not found</html>"),
        HttpAnswer(
            404,
            "application/problem+json",
            body=b'{"status": 404, "title": "No route"}',
        ),
        HttpAnswer(404, JSON, body=b"[]"),
        HttpAnswer(404, "text/plain", body=b"\n"),
        HttpAnswer(404, JSON, is_cut=True),
    ],
)
def test_a_404_with_content_to_a_read_is_an_error(answer: HttpAnswer) -> None:
    """The service's own 404 is empty, so a gateway or another program answered.

    No retry. Note N4.
    """
    failure = meaning(read_answer(GET_VISIBILITIES, answer))
    assert failure.error == errors.NotTheServiceError
    assert not failure.is_temporary


def test_a_204_to_a_write_is_a_success_even_with_content() -> None:
    answer = HttpAnswer(204, "text/plain", body=b"junk")
    assert read_answer(ADD_VISIBILITY, answer) == Success(answer)


@pytest.mark.parametrize(
    "answer",
    [
        HttpAnswer(200, JSON, body=b"[]", is_cut=True),
        HttpAnswer(200, JSON, body=b""),
        HttpAnswer(200, JSON, body=b"null"),
        HttpAnswer(200, JSON, body=b'{"a": 1}'),
        HttpAnswer(200, JSON, body=b'["a", 1]'),
        HttpAnswer(200, JSON, body=b'["a", null]'),
        HttpAnswer(200, JSON, body=b'["a"'),
        HttpAnswer(200, JSON, body=b'["\xff"]'),
        HttpAnswer(200, JSON, body=b"[" * 100_000),
        HttpAnswer(200, "text/html", body=b"[]"),
        HttpAnswer(200, "text/plain", body=b"[]"),
        HttpAnswer(204, JSON, body=b"[]"),
        HttpAnswer(206, JSON, body=b"[]"),
    ],
)
def test_an_answer_that_is_no_list_is_an_error(answer: HttpAnswer) -> None:
    failure = meaning(read_answer(GET_VISIBILITIES, answer))
    assert failure.error == errors.UnexpectedAnswerError
    assert failure.is_temporary is (not answer.is_cut)


UNEXPECTED = errors.UnexpectedAnswerError
REFUSED = errors.RefusedError
UNKNOWN = errors.UnknownOutcomeError
NOT_ALLOWED = errors.NotAllowedError
FLAGS = ("is_temporary", "is_passing")


@pytest.mark.parametrize(
    ("status", "error", "flags"),
    [
        *((status, UNEXPECTED, "") for status in (101, 301, 302, 304, 307)),
        *((status, UNEXPECTED, "is_temporary") for status in (200, 201, 202, 299)),
        *((status, REFUSED, "") for status in (400, 409, 413, 418, 499)),
        (401, NOT_ALLOWED, "is_passing"),
        (403, NOT_ALLOWED, ""),
        (404, errors.NotFoundError, ""),
        (408, UNKNOWN, "is_temporary"),
        (425, REFUSED, "is_temporary is_passing"),
        (429, REFUSED, "is_temporary is_passing"),
        *(
            (status, UNKNOWN, "is_temporary")
            for status in (500, 502, 503, 504, 520, 799)
        ),
        *((status, UNKNOWN, "") for status in (501, 505)),
    ],
)
def test_each_status_has_its_meaning_for_a_write(
    status: int, error: type[errors.CallError], flags: str
) -> None:
    """`flags` are the true ones of `is_temporary` and `is_passing`. Note N7."""
    failure = meaning(read_answer(REMOVE_VISIBILITY, HttpAnswer(status)))
    assert failure.error is error
    assert " ".join(flag for flag in FLAGS if getattr(failure, flag)) == flags
    assert failure.is_outcome_unknown is not (400 <= status < 500 and status != 408)


PROBLEM = "application/problem+json"


def problem_of(
    status: int, body: bytes, content_type: str = PROBLEM, *, is_cut: bool = False
) -> ProblemDetail:
    return read_problem(HttpAnswer(status, content_type, body=body, is_cut=is_cut))


def body_of(members: object) -> bytes:
    return json.dumps(members).encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            body_of(
                {
                    "status": 200,
                    "title": "Bad",
                    "detail": "Too bad",
                    "instance": "/p/7",
                    "more": 1,
                }
            ),
            ProblemDetail(400, "Bad", "Too bad", "/p/7"),
        ),
        (
            body_of({"title": "t" * 999, "detail": "d" * 9_999, "instance": "i" * 999}),
            ProblemDetail(400, "t" * 200, "d" * 2_000, "i" * 500),
        ),
        (
            rb'{"title": "a\ud800b", "detail": "\ud83d\ude00"}',
            ProblemDetail(400, "a\ufffdb", "😀"),
        ),
        (
            b"\xef\xbb\xbf" + body_of({"title": "after a byte order mark"}),
            ProblemDetail(400, "after a byte order mark"),
        ),
        *(
            (body_of({"status": said}), ProblemDetail(400))
            for said in ("200", None, True, 1e400)
        ),
    ],
)
def test_a_problem_is_read_with_the_status_of_the_answer(
    body: bytes, expected: ProblemDetail
) -> None:
    assert problem_of(400, body) == expected


@pytest.mark.parametrize(
    ("content_type", "body", "is_cut"),
    [
        ("text/html", b'{"title": "shown?"}', False),
        ("", b'{"title": "shown?"}', False),
        (PROBLEM, b'{"title": "shown?"}', True),
        (PROBLEM, b'{"title": "shown?"', False),
        (PROBLEM, b'\xff\xfe{"title": "shown?"}', False),
        (PROBLEM, b'["shown?"]', False),
        (PROBLEM, b"", False),
        (PROBLEM, b"[" * 60_000, False),
        (PROBLEM, b"1" * 60_000, False),
        (PROBLEM, b'{"title": 7, "detail": ["x"], "instance": {}}', False),
    ],
)
def test_an_error_without_problem_detail_has_only_its_status(
    content_type: str, body: bytes, *, is_cut: bool
) -> None:
    assert problem_of(502, body, content_type, is_cut=is_cut) == ProblemDetail(502)


NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def failure(status: int, *, retry_after: str = "", date: str = "") -> Failure:
    outcome = read_answer(
        ADD_VISIBILITY, HttpAnswer(status, retry_after=retry_after, date=date)
    )
    assert isinstance(outcome, Failure)
    return outcome


def wait_s(failed: Failure, *, attempt: int, chance: float) -> float | None:
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
def test_retry_after_is_read_as_seconds_or_as_a_date(
    value: str, seconds: float
) -> None:
    assert retry_after_s(HttpAnswer(503, retry_after=value), now=NOW) == seconds


IN_AN_HOUR = {
    "retry_after": "Sat, 21 Nov 2026 13:00:03 GMT",
    # The service's clock is an hour ahead of ours.
    "date": "Sat, 21 Nov 2026 13:00:00 GMT",
}


@pytest.mark.parametrize(
    ("failed", "attempt", "chance", "seconds"),
    [
        *(
            (failure(500), attempt, 1.0, longest)
            for attempt, longest in ((1, 0.2), (2, 0.4), (3, 0.8))
        ),
        (failure(500), 3, 0.0, 0.0),
        (failure(503), 2, 1.0, 2.0),
        (failure(429, retry_after="5"), 1, 0.5, 5.5),
        (failure(503, **IN_AN_HOUR), 1, 0.0, 3.0),
        (failure(503, retry_after="60"), 1, 0.0, 60.0),
        (failure(503, retry_after="61"), 1, 0.0, None),
        *(
            (failure(status), 1, 0.0, None)
            for status in (400, 401, 403, 404, 409, 302, 501)
        ),
        (failure(500), 4, 0.0, None),
    ],
)
def test_waits_double_randomly_and_respect_retry_after(
    failed: Failure, attempt: int, chance: float, seconds: float | None
) -> None:
    assert wait_s(failed, attempt=attempt, chance=chance) == pytest.approx(seconds)


def test_waits_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "CALL_ATTEMPTS", 100)
    assert wait_s(failure(500), attempt=60, chance=1.0) == 10.0


def test_all_calls_share_one_budget_of_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "RETRY_CAPACITY", 14)
    budget = RetryBudget()
    assert [budget.spend() for _ in range(3)] == [True, True, False]


def test_a_success_refunds_part_of_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "RETRY_CAPACITY", 5)
    budget = RetryBudget()
    assert budget.spend()
    budget.succeed(1)
    budget.succeed(0)
    assert budget.spend()
    assert not budget.spend()
