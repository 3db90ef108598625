"""End dates on the item page: with an addition, for chosen rows, and the notice once they have come."""

from datetime import date, timedelta

import pytest

from components.item.table.row_key import item_key
from item_visibility.people.person import Role
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit
from tests.support.screens import Window

pytestmark = pytest.mark.screen

DATES = "End dates of the recipients"
TODAY = date(2026, 11, 21)
NEXT_MONTH = date(2026, 12, 21)
OF_ADDITIONS, OF_ROWS = (item_key(what, "test", ITEM) for what in ("last_day", "end_date"))


def enter_day(window: Window, key: str, day: date) -> None:
    """Choose a day in a field."""
    window.app.date_input(key=key).set_value(day)
    window.app.run()


def choose(window: Window, *rows: int) -> None:
    """Choose rows of the box."""
    table = next(one for one in window.app.dataframe if one.proto.alt == DATES)
    selection = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    window.app.session_state[str(table.key)] = selection
    window.app.run()


def until(kit: DeskKit) -> dict[str, date]:
    """The item's end dates."""
    return {one.recipient_id: one.last_day for one in kit.desk.end_dates.of_item(ITEM)}


def test_an_addition_is_saved_with_its_end_date(open_desk: OpenDesk) -> None:
    """It holds for that one alone, and the field is empty for the next one."""
    kit = open_desk({ITEM: {"A", "B"}})
    window = Window(ITEM)
    window.add("9522000010007")
    enter_day(window, OF_ADDITIONS, NEXT_MONTH)
    window.click("save")
    assert until(kit) == {"9522000010007": NEXT_MONTH}
    window.add("9522000020006")
    assert window.value_of(OF_ADDITIONS) is None


def test_chosen_rows_get_one_day_and_the_notice_leads_to_a_preview(open_desk: OpenDesk) -> None:
    """Nothing is sent, then or when the day has come; one press shows what would be removed."""
    kit = open_desk({ITEM: {"A", "B", "C"}})
    window = Window(ITEM)
    window.app.session_state["end_dates_box"] = True
    window.app.run()
    choose(window, 0, 2)
    enter_day(window, OF_ROWS, TODAY)
    window.click("set_end_date")
    assert until(kit) == {"A": TODAY, "C": TODAY}
    assert window.rows(DATES) == [
        ("", "A", "2026-11-21", "ann"),
        ("", "B", "", ""),
        ("", "C", "2026-11-21", "ann"),
    ]
    choose(window, 2)
    window.click("remove_end_date")
    assert until(kit) == {"A": TODAY}
    kit.fake.time.now_at += timedelta(days=1)
    window.app.run()
    assert window.says("1 end date has come · not removed yet")
    window.click("preview_due")
    (job,) = kit.desk.bulk.store.jobs()
    assert (job.is_of_end_dates, window.address["job"]) == (True, job.key)
    assert kit.fake.writes == []


def test_a_viewer_sees_that_one_has_come_and_cannot_go_on(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page offers only what a viewer can do."""
    kit = open_desk({ITEM: {"A", "B", "C"}})
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    monkeypatch.setattr(kit.doorkeeper, "allows", lambda needed: needed is Role.VIEWER)
    kit.fake.time.now_at += timedelta(days=1)
    window = Window(ITEM)
    assert window.says("1 end date has come · not removed yet")
    assert "preview_due" not in window.keys


def test_a_preview_that_cannot_begin_says_so(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another window was quicker: nothing is due any more."""
    kit = open_desk({ITEM: {"A", "B", "C"}})
    kit.desk.end_dates.set(ITEM, {"A"}, TODAY)
    kit.fake.time.now_at += timedelta(days=1)
    window = Window(ITEM)
    monkeypatch.setattr(kit.desk.end_dates, "due", lambda: ())
    window.click("preview_due")
    assert "Nothing was removed." in window.alerts
    assert kit.desk.bulk.store.jobs() == ()
