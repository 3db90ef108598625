"""The meaning of an answer, for each status. Spec: "Endpoints", "Errors"; Note N7."""

import pytest

from item_visibility import errors
from item_visibility.client.answers import Answer, Failure, Meaning, Success, read_answer
from item_visibility.client.operations import ADD_VISIBILITY, GET_VISIBILITIES, REMOVE_VISIBILITY

JSON = "application/json"


def meaning(outcome: Success | Failure) -> Meaning:
    """The meaning of the outcome, which must be a failure."""
    assert isinstance(outcome, Failure)
    return outcome.meaning


@pytest.mark.parametrize("content_type", [JSON, "application/json;charset=utf-8", "application/x+json", ""])
def test_a_list_is_read_as_a_set(content_type: str) -> None:
    """Order and repetition mean nothing. Note N10."""
    answer = Answer(200, content_type, body=b'["b", "a", "b", "\\ud800", ""]')
    assert read_answer(GET_VISIBILITIES, answer) == Success(frozenset({"a", "b", "\ud800", ""}))


def test_an_empty_list_is_an_empty_set() -> None:
    """Known, and seen by nobody."""
    assert read_answer(GET_VISIBILITIES, Answer(200, JSON, body=b"[]")) == Success(frozenset())


@pytest.mark.parametrize("content_type", ["", "text/html", "application/problem+json"])
def test_an_empty_404_to_a_read_means_nothing_recorded(content_type: str) -> None:
    """Its media type does not matter: the specification shows any. Note N4."""
    assert read_answer(GET_VISIBILITIES, Answer(404, content_type)) == Success(None)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(404, "text/html", body=b"<html>404 page not found</html>"),
        Answer(404, "application/problem+json", body=b'{"status": 404, "title": "No route"}'),
        Answer(404, JSON, body=b"[]"),
        Answer(404, "text/plain", body=b"\n"),
        Answer(404, JSON, is_cut=True),
    ],
)
def test_a_404_with_content_to_a_read_is_never_nothing_recorded(answer: Answer) -> None:
    """The service's has none: a gateway answered, or another program. It is not asked again. Note N4."""
    failure = meaning(read_answer(GET_VISIBILITIES, answer))
    assert (failure.error, failure.is_temporary) == (errors.NotTheServiceError, False)


def test_a_204_to_a_write_is_a_success_with_junk_too() -> None:
    """No content is promised, and none is looked at."""
    assert read_answer(ADD_VISIBILITY, Answer(204, "text/plain", body=b"junk")) == Success()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(200, JSON, body=b""),
        Answer(200, JSON, body=b"null"),
        Answer(200, JSON, body=b'{"a": 1}'),
        Answer(200, JSON, body=b'["a", 1]'),
        Answer(200, JSON, body=b'["a", null]'),
        Answer(200, JSON, body=b'["a"'),
        Answer(200, JSON, body=b'["\xff"]'),
        Answer(200, JSON, body=b"[" * 100_000),
        Answer(200, "text/html", body=b"[]"),
        Answer(200, "text/plain", body=b"[]"),
        Answer(204, JSON, body=b"[]"),
        Answer(206, JSON, body=b"[]"),
    ],
)
def test_what_is_no_list_is_never_an_empty_list(answer: Answer) -> None:
    """It is an error, and worth another try."""
    failure = meaning(read_answer(GET_VISIBILITIES, answer))
    assert (failure.error, failure.is_temporary) == (errors.UnexpectedAnswerError, True)


def test_a_list_that_was_cut_is_not_asked_for_again() -> None:
    """It would be as long, or as compressed, the next time."""
    failure = meaning(read_answer(GET_VISIBILITIES, Answer(200, JSON, body=b"[]", is_cut=True)))
    assert (failure.error, failure.is_temporary) == (errors.UnexpectedAnswerError, False)


UNEXPECTED, REFUSED = errors.UnexpectedAnswerError, errors.RefusedError
UNKNOWN = errors.UnknownOutcomeError


@pytest.mark.parametrize(
    ("status", "error", "may_be_applied", "is_temporary"),
    [
        (101, UNEXPECTED, True, False),
        (200, UNEXPECTED, True, True),
        (201, UNEXPECTED, True, True),
        (202, UNEXPECTED, True, True),
        (299, UNEXPECTED, True, True),
        (301, UNEXPECTED, True, False),
        (302, UNEXPECTED, True, False),
        (304, UNEXPECTED, True, False),
        (307, UNEXPECTED, True, False),
        (400, REFUSED, False, False),
        (401, errors.NotAllowedError, False, False),
        (403, errors.NotAllowedError, False, False),
        (404, errors.NotFoundError, False, False),
        (408, UNKNOWN, True, True),
        (409, REFUSED, False, False),
        (413, REFUSED, False, False),
        (418, REFUSED, False, False),
        (425, REFUSED, False, True),
        (429, REFUSED, False, True),
        (499, REFUSED, False, False),
        (500, UNKNOWN, True, True),
        (501, UNKNOWN, True, False),
        (502, UNKNOWN, True, True),
        (503, UNKNOWN, True, True),
        (504, UNKNOWN, True, True),
        (505, UNKNOWN, True, False),
        (520, UNKNOWN, True, True),
        (799, UNKNOWN, True, True),
    ],
)
def test_each_status_says_whether_the_write_may_be_applied(
    status: int, error: type[errors.CallError], *, may_be_applied: bool, is_temporary: bool
) -> None:
    """Only a 4xx other than 408 proves that nothing was changed. Note N7."""
    failure = meaning(read_answer(REMOVE_VISIBILITY, Answer(status)))
    assert (failure.error, failure.may_be_applied, failure.is_temporary) == (
        error,
        may_be_applied,
        is_temporary,
    )


@pytest.mark.parametrize(("status", "is_busy"), [(429, True), (503, True), (500, False), (400, False)])
def test_a_busy_service_asks_for_more_time(status: int, *, is_busy: bool) -> None:
    """It is given longer waits."""
    assert meaning(read_answer(ADD_VISIBILITY, Answer(status))).is_busy is is_busy


def test_a_refusal_carries_the_words_of_the_service() -> None:
    """The problem is read with the status of the answer."""
    answer = Answer(400, "application/problem+json", body=b'{"status": 200, "title": "No"}')
    outcome = read_answer(ADD_VISIBILITY, answer)
    assert isinstance(outcome, Failure)
    assert outcome.problem == errors.ProblemDetail(400, "No")
