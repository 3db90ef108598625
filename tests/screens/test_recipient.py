"""S5: what a recipient can see, and what is missing, in two actions."""

import threading
from collections.abc import Iterable
from dataclasses import replace

import pytest

from components.scans import visible_items
from item_visibility.api.identifiers import ItemKey
from item_visibility.errors import RecordsError
from item_visibility.records.directory.recipient_sets import StoredSet
from item_visibility.records.scans.scan_state import ScanState
from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk
from tests.support.desk import TEST_ENVIRONMENT, DeskKit, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, refused
from tests.support.known_names import put_names
from tests.support.screens import RECIPIENT_PAGE, Window

pytestmark = pytest.mark.screen

SUPPLIER = "4000001000005"
TABLE = "Known items, and whether the recipient can see each"
MILK, OIL, TEA, HAY = (ItemKey(SUPPLIER, name) for name in ("milk", "oil", "tea", "hay"))


def known(kit: DeskKit, items: Iterable[ItemKey]) -> None:
    """Names for all of them, and a set."""
    put_names(
        kit.records.directory,
        suppliers=[(SUPPLIER, "Nordmilch")],
        items=[(one, "", one.supplier_item_id.title()) for one in items],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "Kaufhaus 2")],
    )
    kit.records.sets.make(StoredSet("Shops", frozenset({"R1", "R2"}), START, "ann"))


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Four items, of which two recipients can see different ones."""
    kit = open_desk({MILK: {"R1", "R2"}, OIL: {"R2"}, TEA: {"R1"}, HAY: set()})
    known(kit, (MILK, OIL, TEA, HAY))
    return kit


def open_page(**address: str) -> Window:
    """A window on the page."""
    window = Window()
    window.go_to(RECIPIENT_PAGE, **address)
    window.actions = 0
    return window


def shown(window: Window, *columns: str) -> list[tuple[str, ...]]:
    """These columns of the table."""
    table = next(one.value for one in window.app.dataframe if one.proto.alt == TABLE)
    return [tuple(map(str, row)) for row in table[list(columns)].itertuples(index=False)]


def tick(window: Window, *rows: int) -> None:
    """Tick rows of the table."""
    table = next(one for one in window.app.dataframe if one.proto.alt == TABLE)
    selection = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    window.app.session_state[str(table.key)] = selection
    window.leave()


def check_all(kit: DeskKit, window: Window, supplier: str | None = None) -> None:
    """Check all items, and look when that has ended."""
    window.click("scan_start")
    wait_until(lambda: has_ended(kit, supplier))
    window.leave()


def has_ended(kit: DeskKit, supplier: str | None = None) -> bool:
    """True when a scan is through; False while it is under way, and when there was none."""
    scan = kit.desk.scans.progress(supplier)
    return scan is not None and scan.state is ScanState.ENDED


def test_s5_takes_two_actions(kit: DeskKit) -> None:
    """Choose the recipient, check all items: what it can see, each with its age."""
    window = open_page()
    assert window.alerts == ["Choose a recipient: its items are listed here."]
    window.find("entered", "Kaufhaus 1", key="recipient_asked")
    assert window.says("can see **0** of 0 items, as last read.")
    assert window.says("4 items not known: not checked yet, or could not be read")
    check_all(kit, window)
    assert window.actions == 2
    assert window.says("Kaufhaus 1 `R1` can see **2** of 4 items, as last read.")
    assert shown(window, "Item", "Can see") == [("Milk", "Yes"), ("Tea", "Yes"), ("Hay", "No"), ("Oil", "No")]
    assert window.address == {"recipient": "R1"}
    assert kit.fake.writes == []


@pytest.mark.usefixtures("kit")
def test_a_comparison_is_sent_with_each_run() -> None:
    """A busy machine may drop the first, and the browser would send "Nothing" as the person's choice."""
    window = open_page(recipient="R1", compare="recipient:R2")
    window.leave()
    field = window.app.selectbox(key="recipient_compare").proto
    assert (field.set_value, field.raw_value) == (True, "Another recipient")


def test_what_differs_comes_first_and_becomes_a_preview(kit: DeskKit) -> None:
    """Compared with another recipient: the missing one is ticked, and previewed in bulk. Nothing is sent."""
    window = open_page(recipient="R1", supplier=SUPPLIER, compare="recipient:R2")
    check_all(kit, window, SUPPLIER)
    assert window.says("1 missing, 1 extra")
    assert shown(window, "Item", "Difference", "Other can see")[:2] == [
        ("Oil", "Missing", "Yes"),
        ("Tea", "Extra", "No"),
    ]
    assert (window.is_off("preview_adding"), window.is_off("preview_removing")) == (True, True)
    tick(window, 0, 1)
    assert window.label_of("preview_removing") == "Preview removing from 1 item"
    window.click("preview_adding")
    (job,) = kit.records.jobs.jobs()
    assert (job.title, job.item_count) == ("Add Kaufhaus 1", 1)
    (item,) = kit.records.jobs.items(job.key, limit=9)
    assert (item.intent.item, item.intent.add) == (OIL, {"R1"})
    assert window.address["job"] == job.key
    assert kit.fake.writes == []


def test_a_set_is_another_side(kit: DeskKit) -> None:
    """A link names it; of a set that is gone it is said, and nothing is compared."""
    kit.desk.scans.start(None)
    wait_until(lambda: (scan := kit.desk.scans.progress(None)) and not scan.is_under_way)
    window = open_page(recipient="R1", compare="set:Shops")
    assert shown(window, "Item", "Of the set")[0] == ("Oil", "1 of 1")
    kit.desk.sets.delete("Shops")
    window.go_back_to(recipient="R1", compare="set:Shops")
    assert window.alerts == ["The set could not be read. Nothing is compared."]
    assert window.says("This recipient set is no longer there")


def test_a_scan_shows_how_far_it_is_and_is_cancelled_at_once(kit: DeskKit) -> None:
    """Items read so far are shown meanwhile, and the scan can go on later."""
    is_free = threading.Event()

    def hold(_call: FakeCall) -> None:
        is_free.wait(60)

    kit.fake.before_call = hold
    window = open_page(recipient="R1")
    window.click("scan_start")
    assert window.says("0 of 4 items checked")
    assert "preview_adding" not in window.keys
    window.click("scan_cancel")
    assert window.says("The scan was cancelled: 0 of 4 items checked.")
    is_free.set()
    window.click("scan_resume")
    wait_until(lambda: has_ended(kit))
    window.leave()
    assert "scan_resume" not in window.keys
    assert window.says("of 4 items, as last read")


def test_whoever_cannot_change_anything_only_looks(open_desk: OpenDesk) -> None:
    """In a read-only environment items are checked, and no change is offered."""
    kit = open_desk({MILK: {"R1"}}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    known(kit, (MILK,))
    window = open_page(recipient="R1")
    check_all(kit, window)
    assert window.says("Read only")
    assert "preview_adding" not in window.keys


def test_what_could_not_be_read_says_why(open_desk: OpenDesk) -> None:
    """It is not called no, and is tried again with one press."""
    kit = open_desk({MILK: {"R1"}})
    known(kit, (MILK,))
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 400)))
    window = open_page(recipient="R1")
    check_all(kit, window)
    assert shown(window, "Can see", "Problem") == [("Not known", "The service refused it (400). A title")]
    assert window.says("1 item not known: not checked yet, or could not be read")
    window.click("scan_resume")
    wait_until(lambda: has_ended(kit))
    window.leave()
    assert shown(window, "Can see") == [("Yes",)]


def test_without_known_items_it_is_said_how_some_become_known(open_desk: OpenDesk) -> None:
    """There is nothing to check."""
    open_desk({})
    window = open_page(recipient="R1")
    assert [one.partition(". ")[0] for one in window.alerts] == ["No item is known here yet"]
    window.go_back_to(recipient="R1", supplier=SUPPLIER)
    assert [one.partition(". ")[0] for one in window.alerts] == ["This supplier has no known items here"]


@pytest.mark.usefixtures("kit")
def test_of_very_many_items_a_supplier_is_chosen_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them at once would take seconds."""
    monkeypatch.setattr(visible_items, "MOST", 3)
    window = open_page(recipient="R1")
    assert window.alerts == ["More than 3 items are known here: choose a supplier."]
    window.go_back_to(recipient="R1", supplier=SUPPLIER)
    assert window.says("4 items not known")


@pytest.mark.usefixtures("kit")
def test_of_a_mistyped_number_it_is_said_that_nobody_has_it() -> None:
    """To see no item is the same for both, and means something else."""
    unknown = "No recipient with this number is known here"
    assert open_page(recipient="R7").says(unknown)
    assert not open_page(recipient="R2").says(unknown)


def test_trouble_with_our_records_is_told(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown is not called no."""

    def fail(*_given: object, **_named: object) -> None:
        raise RecordsError("The disk is full.", advice="Free some.")

    monkeypatch.setattr(kit.desk.scans, "progress", fail)
    monkeypatch.setattr(kit.desk.scans, "seen_by", fail)
    monkeypatch.setattr(kit.desk.scans, "start", fail)
    window = open_page(recipient="R1")
    window.click("scan_start")
    assert "What was seen could not be read. Nothing was changed." in window.alerts


def test_the_page_keeps_its_choice_and_leads_to_its_preview(kit: DeskKit) -> None:
    """Back from another page, the person finds the recipient again."""
    window = open_page(recipient="R2", compare="recipient:R1")
    window.go_to(BULK_PAGE)
    window.go_to(RECIPIENT_PAGE)
    assert window.address["recipient"] == "R2"
    assert kit.fake.calls == []


def test_a_preview_that_cannot_begin_is_told(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page stays as it is, and no job is made."""

    def fail(*_given: object, **_named: object) -> None:
        raise RecordsError("The disk is full.", advice="Free some.")

    kit.desk.read(TEA)
    monkeypatch.setattr(kit.desk.bulk, "start_preview", fail)
    window = open_page(recipient="R1")
    tick(window, 0, 1)
    assert window.says("Not in a preview: 1 item of which it is not known. Check them first.")
    window.click("preview_removing")
    assert window.alerts == ["The preview could not be started. No item was changed."]
    assert kit.records.jobs.jobs() == ()
