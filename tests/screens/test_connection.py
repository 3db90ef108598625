"""Is it us or them? And the switches of a demo."""

from dataclasses import replace

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.use_cases.demo import DemoControls, DemoSwitches
from item_visibility.use_cases.desk import Desk
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM
from tests.support.fake_visibilities import START, no_token
from tests.support.screens import CONNECTION_PAGE, Window

pytestmark = pytest.mark.screen

SWITCHED = {
    "put_merges": True,
    "empty_is_not_found": False,
    "read_lag_s": 1.0,
    "failing_share": 0.3,
}
WELL = "Their service answers. Our side is fine."
NO_TOKEN = "The test failed. There is no access token.\n\nTry again later."
EXCHANGES = "The last exchanges with the service and the token endpoint, the newest first"
LAST_HOUR = "Calls of the last hour by operation: how many, how many failed, and how long they took"
REPORT = "What was tried between this dashboard and the service, and how it ended"


def open_connection() -> Window:
    """A window on the connection page."""
    window = Window()
    window.go_to(CONNECTION_PAGE)
    return window


def test_a_connection_that_works_is_shown_step_by_step(open_desk: OpenDesk) -> None:
    """Every step with its result and its time; outside a demo there are no switches."""
    open_desk({ITEM: {"R1"}})
    window = Window(ITEM)
    window.go_to(CONNECTION_PAGE)
    assert window.alerts == [WELL]
    steps = {row[0]: row[1:] for row in window.rows(REPORT)}
    assert steps["Token"] == ("OK", "A token was given; it lives for 300 s.", "0 ms")
    assert steps["One read"][:2] == ("OK", "The service answered: 1 recipient can see the item.")
    assert window.says("Service https://api.example.com/v1, tokens from https://login.example.com.")
    assert "demo_put_merges" not in window.keys


def test_the_last_exchanges_and_the_last_hour_are_listed(open_desk: OpenDesk) -> None:
    """The newest exchange first, and each operation with the share that failed."""
    kit = open_desk({ITEM: {"R1"}})
    calls = (
        ("getVisibilities", 200),
        ("addVisibility", 503),
        ("addVisibility", 204),
        ("removeVisibility", 503),
    )
    for operation, status in calls:
        kit.watch.observe(CallRecord(operation, status, took_s=0.01, sent_at=START))
    window = open_connection()
    assert [row[1] for row in window.rows(EXCHANGES)] == ["503", "204", "503", "200"]
    assert [row[:3] for row in window.rows(LAST_HOUR)] == [
        ("addVisibility", "2", "1 (50%)"),
        ("getVisibilities", "1", "0"),
        ("removeVisibility", "1", "1 (100%)"),
    ]


def test_a_connection_that_fails_says_where(open_desk: OpenDesk) -> None:
    """And is tried again at the press of a button, not at every click elsewhere."""
    kit = open_desk({ITEM: {"R1"}})
    kit.fake.token_error = no_token()
    window = open_connection()
    assert window.alerts == [NO_TOKEN]
    kit.fake.token_error = None
    window.leave()
    assert window.alerts == [NO_TOKEN]
    window.click("test_again")
    assert window.alerts == [WELL]


def test_opening_the_page_again_tests_again(open_desk: OpenDesk) -> None:
    """An old report would mislead."""
    kit = open_desk({ITEM: {"R1"}})
    window = open_connection()
    kit.fake.token_error = no_token()
    window.go_to(CONNECTION_PAGE)
    assert window.alerts == [WELL]
    other = Window(ITEM)
    other.go_to(CONNECTION_PAGE)
    assert other.alerts == [NO_TOKEN]


def test_each_switch_holds_from_the_next_call_on(demo: Desk) -> None:
    """One click changes one thing, and the screen shows what holds."""
    assert demo.demo is not None
    window = open_connection()
    window.actions = 0
    held = [switched(window, demo.demo, switch, value) for switch, value in SWITCHED.items()]
    assert held == [
        (replace(DemoSwitches(), **dict([*SWITCHED.items()][: number + 1])), value)
        for number, value in enumerate(SWITCHED.values())
    ]
    assert window.actions == len(SWITCHED)


def switched(window: Window, demo: DemoControls, switch: str, value: object) -> tuple[DemoSwitches, object]:
    """Change a switch, and return what then holds, and what the screen shows of it."""
    window.switch(f"demo_{switch}", value)
    return demo.read_switches(), window.value_of(f"demo_{switch}")


def test_somebody_else_edits_the_item_that_is_open(demo: Desk) -> None:
    """One comes and one goes; the item page says so at the next save."""
    assert demo.showcase is not None
    before = demo.read(demo.showcase).recipients
    window = open_connection()
    window.click("someone_else_edits")
    after = demo.read(demo.showcase).recipients
    assert before is not None
    assert after is not None
    assert (len(after - before), len(before - after)) == (1, 1)
    assert window.says("Someone else added one recipient to the item and took one away.")


def test_the_sample_data_of_the_demo_can_be_restored(demo: Desk) -> None:
    """Switches and data are those of a new demo, and what is ours stays: both are said."""
    assert demo.demo is not None
    assert demo.showcase is not None
    before = demo.read(demo.showcase).recipients
    window = open_connection()
    window.switch("demo_put_merges", True)  # noqa: FBT003  (the value of a toggle)
    window.click("someone_else_edits")
    sets = demo.records.sets.names()
    window.click("reset_demo")
    assert demo.demo.read_switches() == DemoSwitches()
    assert demo.read(demo.showcase).recipients == before
    assert demo.records.sets.names() == sets
    assert window.says("Names, sets, history and jobs were not changed.")


def test_the_page_reads_the_item_that_is_open(demo: Desk) -> None:
    """It tries the item that fails for the person."""
    window = Window(ItemKey("nobody", "nothing"))
    window.go_to(CONNECTION_PAGE)
    steps = {row[0]: row[2] for row in window.rows(REPORT)}
    assert steps["One read"] == "The service answered: 0 recipients can see the item."
    assert demo.environment.is_demo
