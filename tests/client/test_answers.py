"""The meaning of an answer, for each status. Spec: "Endpoints", "Errors"; Note N7."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility import errors
from item_visibility.client.answers import (
    Answer,
    Failure,
    Meaning,
    Result,
    Success,
    meaning_of,
    read_answer,
    read_problem,
)
from item_visibility.client.operations import ADD_VISIBILITY, GET_VISIBILITIES, REMOVE_VISIBILITY
from item_visibility.errors import ProblemDetail

JSON = "application/json"


def meaning(outcome: Result) -> Meaning:
    """The meaning of the outcome, which must be a failure."""
    assert isinstance(outcome, Failure)
    return outcome.meaning


@pytest.mark.parametrize("content_type", [JSON, "application/json;charset=utf-8", "application/x+json", ""])
def test_a_list_is_read_as_a_set(content_type: str) -> None:
    """Order and repetition mean nothing. Note N10."""
    answer = Answer(200, content_type, body=b'["b", "a", "b", "\\ud800", ""]')
    assert read_answer(GET_VISIBILITIES, answer) == Success(answer, frozenset({"a", "b", "\ud800", ""}))


@pytest.mark.parametrize("content_type", ["", "text/html", "application/problem+json"])
def test_an_empty_404_to_a_read_means_nothing_recorded(content_type: str) -> None:
    """Its media type does not matter: the specification shows any. Note N4."""
    answer = Answer(404, content_type)
    assert read_answer(GET_VISIBILITIES, answer) == Success(answer)


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
    answer = Answer(204, "text/plain", body=b"junk")
    assert read_answer(ADD_VISIBILITY, answer) == Success(answer)


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


@pytest.mark.parametrize(
    ("status", "marks"),
    [
        (400, set()),
        (401, {"is_passing", "stops_others"}),
        (403, set()),
        (408, {"is_temporary", "is_timeout"}),
        (425, {"is_temporary", "is_passing"}),
        (429, {"is_temporary", "is_passing", "is_busy"}),
        (500, {"is_temporary"}),
        (501, set()),
        (503, {"is_temporary", "is_busy"}),
        (505, set()),
    ],
)
def test_each_status_has_the_marks_of_its_row(status: int, marks: set[str]) -> None:
    """And no other."""
    meaning = meaning_of(status)
    all_marks = ("is_temporary", "is_passing", "is_busy", "is_timeout", "stops_others")
    assert {mark for mark in all_marks if getattr(meaning, mark)} == marks


@given(st.integers())
def test_whatever_is_no_4xx_may_be_applied(status: int) -> None:
    """And of the 4xx only a time-out. Note N7."""
    is_refusal = 400 <= status < 500 and status != 408
    assert meaning_of(status).may_be_applied is not is_refusal


PROBLEM = "application/problem+json"


def problem_of(
    status: int, body: bytes, content_type: str = PROBLEM, *, is_cut: bool = False
) -> ProblemDetail:
    """The problem in an answer."""
    return read_problem(Answer(status, content_type, body=body, is_cut=is_cut))


def body_of(members: object) -> bytes:
    """The members as a JSON body."""
    return json.dumps(members).encode()


def test_all_members_are_read() -> None:
    """A conforming problem is passed on in its own words."""
    members = {"status": 400, "title": "Bad", "detail": "Too bad", "instance": "/problems/7", "more": 1}
    assert problem_of(400, body_of(members)) == ProblemDetail(400, "Bad", "Too bad", "/problems/7")


@pytest.mark.parametrize("said", [200, "200", None, True, 1e400])
def test_the_status_of_the_answer_wins(said: object) -> None:
    """The body's own word on the status is not believed."""
    assert problem_of(404, body_of({"status": said})) == ProblemDetail(404)


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
def test_what_is_no_problem_detail_gives_its_status_alone(
    content_type: str, body: bytes, *, is_cut: bool
) -> None:
    """HTML, broken, cut and strange bodies are not shown."""
    assert problem_of(502, body, content_type, is_cut=is_cut) == ProblemDetail(502)


def test_long_texts_are_cut() -> None:
    """A text has room on a screen."""
    problem = problem_of(400, body_of({"title": "t" * 999, "detail": "d" * 9_999, "instance": "i" * 999}))
    assert (len(problem.title), len(problem.detail), len(problem.instance)) == (200, 2_000, 500)


def test_half_characters_are_replaced() -> None:
    """A text can always be shown, and written as UTF-8."""
    problem = problem_of(400, rb'{"title": "a\ud800b", "detail": "\ud83d\ude00"}')
    assert (problem.title, problem.detail) == ("a\ufffdb", "😀")


def test_a_byte_order_mark_is_skipped() -> None:
    """Some servers write one."""
    assert problem_of(400, b"\xef\xbb\xbf" + body_of({"title": "x"})).title == "x"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["status", "title", "detail", "instance"]) | st.text(), inner)
    ),
)


@given(ANY_JSON.map(body_of) | st.binary())
def test_any_body_gives_a_problem_that_can_be_shown(body: bytes) -> None:
    """With the status of the answer, and texts that can be written."""
    problem = problem_of(400, body)
    text = problem.title + problem.detail + problem.instance
    assert (problem.status, len(text) <= 2_700, text.encode("utf-8", "strict") is None) == (400, True, False)
