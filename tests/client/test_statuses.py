"""One table says what each status means, for a call, a save and a job. Spec: "Errors"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from item_visibility import errors
from item_visibility.client.answers import meaning_of


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


@pytest.mark.parametrize("status", [425, 429])
def test_who_is_asked_to_wait_is_not_sent_to_check_the_ids(status: int) -> None:
    """The ids are not what is wrong."""
    assert meaning_of(status).advice == "Try again in a minute."


def test_an_unexpected_answer_is_as_unknown_as_none() -> None:
    """Code for an unknown outcome handles it, too."""
    assert issubclass(errors.UnexpectedAnswerError, errors.UnknownOutcomeError)
