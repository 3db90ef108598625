"""D2: the trust is shown on the item page of a demo, in three actions."""

import pytest

from components import wiring
from item_visibility.desk.connection.fact_words import MERGES, NOT_SEEN
from item_visibility.desk.use_cases import Desk
from item_visibility.people.person import Role
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM
from tests.support.screens import CONNECTION_PAGE, Window

pytestmark = pytest.mark.screen

FACTS = "What this service was seen to do where the specification leaves it open"


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


def test_d2_three_actions_make_a_verified_change_and_show_what_the_service_does(demo: Desk) -> None:
    """Untick, make it hard, Save; then each fact stands on the connection page: from this one save."""
    assert demo.showcase is not None
    window = Window()
    leaving = [*window.ticks][1]
    window.untick(leaving)
    window.click("hard_case")
    window.click("save")
    assert window.actions == 3
    assert [one for one in window.alerts if "verified TIME" in one] != []
    assert leaving not in (demo.read(demo.showcase).recipients or ())
    window.go_to(CONNECTION_PAGE)
    answers = {row[0]: row[1] for row in window.rows(FACTS)}
    assert [question for question, answer in answers.items() if answer.startswith(NOT_SEEN)] == []
    assert answers["A whole list that is set"] == MERGES
    assert answers["Removing who cannot see the item"] == "204"


@pytest.mark.usefixtures("demo")
def test_d2_where_nothing_can_be_changed_nothing_can_be_made_hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service's behaviour is shown; its switches, which edit items, are not."""
    monkeypatch.setenv("ITEM_VISIBILITY_READ_ONLY", "true")
    wiring.close_desk()
    window = Window()
    assert "hard_case" not in window.keys
    window.go_to(CONNECTION_PAGE)
    assert window.alerts[0].startswith("Their service answers")
    assert FACTS in window.tables
    assert not [key for key in window.keys if key.startswith("demo_") or key == "someone_else_edits"]


def test_only_an_admin_is_offered_the_switches_of_a_demo(demo: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sign-in, a press of anybody else would be refused."""
    monkeypatch.setattr(demo.doorkeeper, "allows", lambda role: role < Role.ADMIN)
    window = Window()
    assert "hard_case" not in window.keys
    window.go_to(CONNECTION_PAGE)
    assert "reset_demo" not in window.keys


def test_only_a_demo_offers_that(open_desk: OpenDesk) -> None:
    """A service that others rely on is never made hard."""
    open_desk({ITEM: "AB"})
    assert "hard_case" not in Window(ITEM).keys
