"""The review page: one item at a time, keep or remove, what is due, and a preview at the end."""

from datetime import date, timedelta

import pytest

from components.item.table.row_key import item_key
from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.reviews.review_sheet import KeepOrRemove
from item_visibility.errors import BulkError, RecordsError
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.fake_visibilities import Fault, not_sent
from tests.support.known_names import put_names
from tests.support.screens import ITEM_PAGE, ROOT, Window

pytestmark = pytest.mark.screen

REVIEW_PAGE = str(ROOT / "pages/items/review.py")
ROWS = "Recipients of the item, to keep or to remove"
DUE = "Items that are due for review"
TODAY = date(2026, 11, 21)


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Two known items of one supplier."""
    kit = open_desk({ITEM: {"A", "B", "C"}, OTHER_ITEM: {"A", "B", "C", "D"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Dairy")],
        items=[(ITEM, "", "Butter"), (OTHER_ITEM, "", "Oil")],
    )
    return kit


def look(**address: str) -> Window:
    """A window on the page."""
    window = Window()
    window.go_to(REVIEW_PAGE, **address)
    return window


def choose(window: Window, *rows: int, alt: str = ROWS) -> None:
    """Choose rows of a table."""
    table = next(one for one in window.app.dataframe if one.proto.alt == alt)
    selection = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    window.app.session_state[str(table.key)] = selection
    window.app.run()


def own_key(what: str, item: ItemKey) -> str:
    """The key of the item's own field."""
    return item_key(what, "test", item)


def choices(window: Window) -> list[tuple[str, str]]:
    """The recipients on the sheet, and their decisions."""
    return [(row[1], row[2]) for row in window.rows(ROWS)]


def reasons(kit: DeskKit) -> dict[str, str]:
    """The reasons of the decisions, by recipient."""
    return {one: decision.reason for one, decision in kit.desk.reviews.decisions(ITEM).items()}


def test_a_supplier_is_reviewed_item_by_item_and_ends_in_a_preview(kit: DeskKit) -> None:
    """One is marked, the others are kept with one press, and the next item opens; nothing is sent.

    A reason belongs to its decision alone.
    """
    window = look(supplier=ITEM.supplier)
    assert window.says("Item 1 of 2")
    choose(window, 1)
    window.type(own_key("review_reason", ITEM), "contract ended")
    window.click("review_remove")
    window.click("review_keep")
    assert choices(window) == [("A", "Keep"), ("B", "Remove"), ("C", "Keep")]
    assert reasons(kit) == {"A": "", "B": "contract ended", "C": ""}
    window.click("review_n")
    assert (window.says("Item 2 of 2"), window.address["item"]) == (True, OTHER_ITEM.supplier_item_id)
    window.click("review_p")
    assert window.says("To remove: 1 recipient of 1 item · not removed yet")
    window.click("preview_review")
    (job,) = kit.desk.bulk.store.jobs()
    assert (job.title, job.reason, window.address["job"]) == ("Review of Dairy", "contract ended", job.key)
    assert kit.fake.writes == []


def test_somebody_elses_decision_is_told_and_stays(kit: DeskKit) -> None:
    """It was made while this screen was open."""
    window = look(supplier=ITEM.supplier)
    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, seen={})
    kit.fake.time.now_at += timedelta(minutes=1)
    window.click("review_keep")
    assert "Somebody else decided meanwhile. Their decision stays: decide again." in window.alerts
    assert "A: remove, by ann" in window.texts
    assert choices(window) == [("A", "Remove"), ("B", "Keep"), ("C", "Keep")]


def test_what_is_due_is_listed_and_opens_with_one_choice(kit: DeskKit) -> None:
    """A later day takes it off the list."""
    kit.desk.reviews.plan_next(OTHER_ITEM, TODAY + timedelta(days=1))
    kit.fake.time.now_at += timedelta(days=2)
    window = look()
    assert window.rows(DUE) == [
        ("Oil · Austria", "2026-11-22", "ann", "Dairy", OTHER_ITEM.supplier_item_id),
    ]
    choose(window, 0, alt=DUE)
    assert window.says("Item 2 of 2")
    window.app.date_input(key=own_key("next_review", OTHER_ITEM)).set_value(TODAY + timedelta(days=30))
    window.app.run()
    assert kit.desk.reviews.due() == ()


def test_an_end_date_is_set_from_the_review(kit: DeskKit) -> None:
    """For the chosen rows, as on the item page."""
    window = look(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    choose(window, 0)
    window.app.date_input(key=own_key("end_date", ITEM)).set_value(TODAY)
    window.app.run()
    window.click("set_end_date")
    assert [one.recipient_id for one in kit.desk.end_dates.of_item(ITEM)] == ["A"]


def test_the_recipients_are_read_anew_when_the_page_is_opened_again(kit: DeskKit) -> None:
    """A preview may have been applied in between; an item that nobody can see has nobody to decide about."""
    window = look(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    kit.fake.put(ITEM, set())
    window.go_to(ITEM_PAGE)
    window.go_to(REVIEW_PAGE, supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.says("Nothing is recorded for this item: nobody can see it, read TIME")
    assert (ROWS in window.tables, "review_keep" in window.keys) == (False, False)


def test_what_cannot_be_read_is_said(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the service, or in our own records."""
    kit.fake.faults += [Fault("getVisibilities", not_sent("getVisibilities"))] * 9
    window = look(supplier=ITEM.supplier)
    assert "The recipients could not be read. Nothing was changed." in window.alerts
    kit.fake.faults.clear()
    window.click("try_again")
    assert choices(window) == [("A", ""), ("B", ""), ("C", "")]

    def fail(*_: object, **__: object) -> None:
        raise RecordsError("The disk is full.", advice="Free some space.")

    monkeypatch.setattr(kit.desk.reviews, "sheet", fail)
    monkeypatch.setattr(kit.desk.reviews, "due", fail)
    window.app.run()
    assert {"The sheet could not be read.", "What is due could not be read."} <= set(window.alerts)


def test_a_supplier_without_known_items_says_what_to_do(kit: DeskKit) -> None:
    """An item becomes known when it is opened."""
    assert kit.fake.calls == []
    assert look(supplier="9521000010000").says("Items of this supplier are not known here yet")


def test_a_preview_without_a_removal_says_so(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another window took the decision back."""

    def gone(*_: object, **__: object) -> None:
        raise BulkError("No recipient was chosen to be removed.", advice="Nothing was sent.")

    kit.desk.reviews.decide(ITEM, {"A"}, KeepOrRemove.REMOVE, seen={})
    window = look(supplier=ITEM.supplier)
    monkeypatch.setattr(kit.desk.reviews, "preview_removals", gone)
    window.click("preview_review")
    assert "Nothing was removed." in window.alerts
    assert kit.desk.bulk.store.jobs() == ()
