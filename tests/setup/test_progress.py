"""Lines printed while the tests run, and how much of a campaign a run tries."""

import pytest

from tests.support import thorough
from tests.support.progress import folder, how_far, table


def test_the_time_that_is_left_is_that_of_others_of_the_folder() -> None:
    """Three slow ones are left, and five of a folder of which nothing is known yet."""
    expected = {"tests/client": 10, "tests/browser": 6, "tests/cli": 5}
    seconds = {"tests/client": 10.0, "tests/browser": 90.0}
    line = how_far(expected, {"tests/client": 10, "tests/browser": 3}, seconds, elapsed_s=50)
    left_s = 50 * (3 * 30 + 5 * 100 / 13) / 100
    assert line == f"-- 13 of 21 tests in 50 s, about 1 min {left_s - 60:02.0f} s left"


def test_before_the_first_test_has_ended_nothing_is_left_to_reckon_with() -> None:
    """The line does not divide by nothing."""
    assert how_far({"tests/client": 2}, {}, {}, elapsed_s=5) == "-- 0 of 2 tests in 5 s, about 0 s left"


def test_a_test_stands_in_its_folder() -> None:
    """In the form in which pytest takes it."""
    assert folder("tests/cli/test_a.py::test_b[x::y]") == "tests/cli"


def test_the_table_begins_with_what_takes_longest() -> None:
    """Each line has the number of tests and their seconds."""
    lines = table({"tests/client": 1_700, "tests/cli": 3}, {"tests/client": 2.0, "tests/cli": 30.25})
    assert [line.split() for line in lines[1:]] == [
        ["3", "tests", "30.2", "s", "tests/cli"],
        ["1,700", "tests", "2.0", "s", "tests/client"],
    ]


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without `--thorough`."""
    monkeypatch.delenv(thorough.VARIABLE, raising=False)


@pytest.mark.usefixtures("usual")
def test_a_sample_is_spread_over_all_cases() -> None:
    """The first and the last are in it."""
    assert thorough.sample(range(101), 5) == [0, 25, 50, 75, 100]


@pytest.mark.usefixtures("usual")
def test_few_cases_are_all_tried() -> None:
    """There is nothing to skip."""
    assert thorough.sample("abc", 5) == "abc"


def test_a_thorough_run_tries_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """And campaigns of full length."""
    monkeypatch.setenv(thorough.VARIABLE, "1")
    assert thorough.sample("abcdef", 2) == "abcdef"
    assert thorough.how_many(usual=2, thorough=100) == 100


@pytest.mark.usefixtures("usual")
def test_a_variable_says_how_long_a_campaign_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """It wins over both."""
    monkeypatch.setenv("KILLS", "7")
    assert thorough.how_many(usual=2, thorough=100, variable="KILLS") == 7
    assert thorough.how_many(usual=2, thorough=100, variable="ROWS") == 2
