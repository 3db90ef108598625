"""D2: the trust is shown on the item page of a demo, in three actions."""

import pytest

from item_visibility.desk.connection.fact_words import MERGES, NOT_SEEN
from item_visibility.desk.use_cases import Desk
from item_visibility.people.person import Role
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM
from tests.support.screens import CONNECTION_PAGE, Window

pytestmark = pytest.mark.screen

LAG = "A read just after a change shows"


def test_the_next_save_is_made_hard_with_one_click(demo: Desk) -> None:
    """Lists merge, someone else edited the item, nothing is staged, and the screen says what to do."""
    assert demo.demo is not None
    assert demo.showcase is not None
    before = demo.read(demo.showcase).recipients
    window = Window()
    window.click("hard_case")
    after = demo.read(demo.showcase).recipients
    assert demo.demo.read_switches().put_merges
    assert before is not None
    assert after is not None
    assert (len(after - before), len(before - after)) == (1, 1)
    assert window.staged == []
    assert window.says("someone else edited this item")


def test_what_the_service_does_is_there_to_show(demo: Desk) -> None:
    """From the calls of whoever edited: each fact but the lag, which a save shows."""
    Window().click("hard_case")
    facts = [fact for fact in demo.connection.examine(None).facts or () if "Statuses" not in fact.question]
    answers = {fact.question: fact.answer for fact in facts if fact.question != LAG}
    assert [question for question, answer in answers.items() if answer.startswith(NOT_SEEN)] == []
    assert answers["A whole list that is set"] == MERGES
    assert answers["Removing who cannot see the item"] == "204"


def test_only_an_admin_is_offered_the_switches_of_a_demo(demo: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where people sign in, a press of anybody else would be refused."""
    monkeypatch.setattr(demo, "allows", lambda role: role < Role.ADMIN)
    window = Window()
    assert "hard_case" not in window.keys
    window.go_to(CONNECTION_PAGE)
    assert "reset_demo" not in window.keys


def test_only_a_demo_offers_that(open_desk: OpenDesk) -> None:
    """What others rely on is never made hard."""
    open_desk({ITEM: "AB"})
    assert "hard_case" not in Window(ITEM).keys
