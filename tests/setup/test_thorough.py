"""How much of a campaign a run tries."""

import pytest

from tests.support import thorough


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
