"""The steps of the page Connection, and tickets."""

from dataclasses import replace
from typing import Any
from unittest.mock import patch

from item_visibility.client.call_records import CallRecord
from item_visibility.client.token import ClientCredentials
from item_visibility.errors import RecordsError
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility_service.switches import Switches
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT
from tests.support.fake_visibilities import START, no_token
from tests.support.screens import CONNECTION_PAGE, HISTORY_PAGE, Window

SECRET = "p@ss:w%rd&=+y-never-shown"
OPAQUE = "tok3n-of-today-never-shown"
BEARER = "b3arer.of.somebody.else-never-shown"


def shown(window: Window) -> str:
    return "\n".join(block.value for block in window.app.code)


def copy_from_menu(window: Window) -> None:
    window.open_more()
    window.click("copy_ticket")


def test_the_menu_offers_a_ticket_of_the_item_or_of_its_save_or_only_commands(
    open_desk: OpenDesk,
) -> None:
    open_desk({ITEM: {"A", "B"}})
    window = Window(ITEM)
    copy_from_menu(window)
    assert shown(window).startswith("2 recipients can see the item\n")
    window.untick("B")
    window.save()
    copy_from_menu(window)
    assert shown(window).startswith("Removed B\n")
    assert "# curl -sS -i --globoff --path-as-is -X DELETE" in shown(window)
    window.click("copy_curl")
    assert shown(window).startswith("curl -sS -i ")
    assert len(window.app.code) == 1
    assert {"download_xlsx", "download_csv"} <= set(window.keys)


def test_a_ticket_that_cannot_be_made_says_why(open_desk: OpenDesk) -> None:
    open_desk({ITEM: {"A"}})
    gone = RecordsError("It is not on record.", advice="Load the page again.")
    with patch("components.item.toolbar.ticket_of_item", side_effect=gone):
        window = Window(ITEM)
        copy_from_menu(window)
    assert "The ticket could not be made." in window.alerts
    assert window.says("It is not on record.")
    assert shown(window) == ""


def test_no_page_and_no_session_holds_a_planted_secret(open_desk: OpenDesk) -> None:
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", SECRET))
    environment.credentials.tokens.append(OPAQUE)
    kit = open_desk({ITEM: {"A", "B"}}, environment=environment)
    window = Window(ITEM)
    window.untick("B")
    window.type(window.key_of("reason"), f"{SECRET}, {OPAQUE} and Bearer {BEARER}")
    window.save()
    copy_from_menu(window)
    (line,) = kit.records.history.lines(HistoryFilter(), limit=9)
    seen = everything_in(window)
    window.go_to(HISTORY_PAGE, entry=line.key)
    seen += everything_in(window)
    assert "Reason    [hidden], [hidden] and [hidden]" in seen
    assert [secret for secret in (SECRET, OPAQUE, BEARER) if secret in seen] == []


def everything_in(window: Window) -> str:
    tables = [table.value.to_csv() for table in window.app.dataframe]
    return "\n".join((*window.words, *tables, repr(window.app.session_state)))


SWITCHED: dict[str, Any] = {
    "put_merges": True,
    "empty_is_not_found": False,
    "read_lag_s": 1.0,
    "failing_share": 0.3,
}
WELL = "Their service answers. Our side is fine."
NO_TOKEN = "The test failed. There is no access token.\n\nTry again later."
EXCHANGES = (
    "The last exchanges with the service and the token endpoint, the newest first"
)
LAST_HOUR = "Calls in the last hour, by operation: number, failures and durations"
REPORT = "The steps of the test and their results"


def test_a_connection_that_works_is_shown_step_by_step(open_desk: OpenDesk) -> None:
    open_desk({ITEM: {"R1"}})
    window = Window(ITEM)
    window.go_to(CONNECTION_PAGE)
    assert window.alerts == [WELL]
    steps = {row[0]: row[1:] for row in window.rows(REPORT)}
    assert steps["Token"][:2] == ("OK", "Received a token that is valid for 300 s.")
    assert steps["One read"][:2] == (
        "OK",
        "The service answered: 1 recipient can see the item.",
    )
    assert window.says(
        "Service https://api.example.com/v1, tokens from https://login.example.com."
    )
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


def test_a_failing_connection_says_at_which_step(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"R1"}})
    kit.fake.token_error = no_token()
    window = Window.on(CONNECTION_PAGE)
    assert window.alerts == [NO_TOKEN]
    kit.fake.token_error = None
    window.leave()
    assert window.alerts == [NO_TOKEN]
    window.click("test_again")
    assert window.alerts == [WELL]


def test_the_switches_of_a_demo_stay_set_until_its_data_is_restored(demo: Desk) -> None:
    assert demo.demo is not None
    assert demo.showcase is not None
    before = demo.read(demo.showcase).recipients
    sets = demo.records.sets.all()
    window = Window.on(CONNECTION_PAGE)
    for switch, value in SWITCHED.items():
        window.switch(f"demo_{switch}", value)
        assert window.value_of(f"demo_{switch}") == value
    assert demo.demo.read_switches() == Switches(refuses_once=True, **SWITCHED)
    window.switch("demo_failing_share", 0.0)
    window.click("someone_else_edits")
    assert window.says(
        "Someone else added one recipient to the item and removed another."
    )
    window.click("reset_demo")
    assert demo.demo.read_switches() == Switches()
    assert demo.read(demo.showcase).recipients == before
    assert demo.records.sets.all() == sets
    assert window.says("Names, sets, history and jobs were not changed.")
