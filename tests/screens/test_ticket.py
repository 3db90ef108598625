"""One press shows a ticket, on the item, the save and the entry."""

from dataclasses import replace
from unittest.mock import patch

from item_visibility.client.token import ClientCredentials
from item_visibility.errors import RecordsError
from item_visibility.storage.history import HistoryFilter
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT
from tests.support.screens import HISTORY_PAGE, Window

SECRET = "p@ss:w%rd&=+y-never-shown"
OPAQUE = "tok3n-of-today-never-shown"
BEARER = "b3arer.of.somebody.else-never-shown"


def shown(window: Window) -> str:
    return "\n".join(one.value for one in window.app.code)


def copy_from_menu(window: Window) -> None:
    window.open_more()
    window.click("copy_ticket")


def test_the_menu_shows_a_ticket_of_the_item_and_then_of_its_save_or_the_commands_alone(
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


def test_a_ticket_that_cannot_be_made_is_refused_in_words(open_desk: OpenDesk) -> None:
    open_desk({ITEM: {"A"}})
    gone = RecordsError("It is not on record.", advice="Load the page again.")
    with patch("components.item.above_form.ticket_of_item", side_effect=gone):
        window = Window(ITEM)
        copy_from_menu(window)
    assert "The ticket could not be made." in window.alerts
    assert (window.says("It is not on record."), shown(window)) == (True, "")


def test_no_page_and_no_session_holds_a_planted_secret(open_desk: OpenDesk) -> None:
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", SECRET))
    environment.credentials.tokens.append(OPAQUE)
    kit = open_desk({ITEM: {"A", "B"}}, environment=environment)
    window = Window(ITEM)
    window.untick("B")
    window.type(window.key_of("reason"), f"{SECRET}, {OPAQUE} and Bearer {BEARER}")
    window.save()
    copy_from_menu(window)
    (line,) = kit.records.search.lines(HistoryFilter(), limit=9)
    seen = everything_in(window)
    window.go_to(HISTORY_PAGE, entry=line.key)
    seen += everything_in(window)
    assert "Reason    [hidden], [hidden] and [hidden]" in seen
    assert [one for one in (SECRET, OPAQUE, BEARER) if one in seen] == []


def everything_in(window: Window) -> str:
    tables = [table.value.to_csv() for table in window.app.dataframe]
    return "\n".join((*window.words, *tables, repr(window.app.session_state)))
