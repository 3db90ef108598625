"""Is it us or them? And the switches of a demo."""

from typing import Any

from item_visibility.client.call_records import CallRecord
from item_visibility.use_cases.demo import DemoSwitches
from item_visibility.use_cases.desk import Desk
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM
from tests.support.fake_visibilities import START, no_token
from tests.support.screens import CONNECTION_PAGE, Window

SWITCHED: dict[str, Any] = {
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


def test_a_connection_that_works_is_shown_step_by_step(open_desk: OpenDesk) -> None:
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
    kit = open_desk({ITEM: {"R1"}})
    calls = (
        ("getVisibilities", 200),
        ("addVisibility", 503),
        ("addVisibility", 204),
        ("removeVisibility", 503),
    )
    for operation, status in calls:
        kit.watch.observe(CallRecord(operation, status, took_s=0.01, sent_at=START))
    window = Window.on(CONNECTION_PAGE)
    assert [row[1] for row in window.rows(EXCHANGES)] == ["503", "204", "503", "200"]
    assert [row[:3] for row in window.rows(LAST_HOUR)] == [
        ("addVisibility", "2", "1 (50%)"),
        ("getVisibilities", "1", "0"),
        ("removeVisibility", "1", "1 (100%)"),
    ]


def test_a_connection_that_fails_says_where(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"R1"}})
    kit.fake.token_error = no_token()
    window = Window.on(CONNECTION_PAGE)
    assert window.alerts == [NO_TOKEN]
    kit.fake.token_error = None
    window.leave()
    assert window.alerts == [NO_TOKEN]
    window.click("test_again")
    assert window.alerts == [WELL]


def test_the_switches_of_a_demo_hold_until_its_data_is_restored(demo: Desk) -> None:
    assert demo.demo is not None
    assert demo.showcase is not None
    before, sets = demo.read(demo.showcase).recipients, demo.records.sets.names()
    window = Window.on(CONNECTION_PAGE)
    for switch, value in SWITCHED.items():
        window.switch(f"demo_{switch}", value)
        assert window.value_of(f"demo_{switch}") == value
    assert demo.demo.read_switches() == DemoSwitches(**SWITCHED)
    window.switch("demo_failing_share", 0.0)
    window.click("someone_else_edits")
    assert window.says("Someone else added one recipient to the item and took one away.")
    window.click("reset_demo")
    assert demo.demo.read_switches() == DemoSwitches()
    assert demo.read(demo.showcase).recipients == before
    assert demo.records.sets.names() == sets
    assert window.says("Names, sets, history and jobs were not changed.")
