"""What is said while the tests run, and how much of a campaign a run tries."""

import pytest

from tests.support import thorough
from tests.support.progress import folders, how_far, table


def test_the_time_that_is_left_is_reckoned_from_the_share_that_ended() -> None:
    """A third in half a minute leaves a minute."""
    line = how_far(done=1_000, total=3_000, elapsed_s=30)
    assert line == "-- 1,000 of 3,000 tests in 30 s, about 1 min 00 s left"


def test_the_folders_of_failed_tests_are_named_once() -> None:
    """In the form in which pytest takes them."""
    failed = ["tests/cli/test_a.py::test_b[x::y]", "tests/cli/test_b.py::test_a", "tests/api/test_a.py"]
    assert folders(failed) == ["tests/api", "tests/cli"]


def test_the_table_begins_with_what_takes_longest() -> None:
    """Each line has the number of tests and their seconds."""
    lines = table({"tests/api": 1_700, "tests/cli": 3}, {"tests/api": 2.0, "tests/cli": 30.25})
    assert [line.split() for line in lines[1:]] == [
        ["3", "tests", "30.2", "s", "tests/cli"],
        ["1,700", "tests", "2.0", "s", "tests/api"],
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
    """There is nothing to leave out."""
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
