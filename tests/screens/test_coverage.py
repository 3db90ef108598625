"""Coverage: items against chosen recipients, one recipient's view, and the comparison of two."""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from components.coverage import results
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import JobState
from item_visibility.storage.directory import StoredSet
from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk
from tests.support.desk import TEST_ENVIRONMENT, DeskKit, break_records, wait_until
from tests.support.fake_visibilities import START, FakeCall, Fault, let_it_be, not_sent, refused
from tests.support.known_names import put_names
from tests.support.screens import COVERAGE_PAGE, RECIPIENT_PAGE, Window

pytestmark = pytest.mark.screen

SUPPLIER = "4000001000005"
TABLE = "Known items, and which recipients can see each"
MAP = "Map of the items and the recipients that can see them. The table says the same"
MILK, OIL, TEA, HAY = (ItemKey(SUPPLIER, name) for name in ("milk", "oil", "tea", "hay"))


def know(kit: DeskKit, items: Iterable[ItemKey]) -> None:
    """Names for all of them, and a set."""
    put_names(
        kit.records.directory,
        suppliers=[(SUPPLIER, "Nordmilch")],
        items=[(one, "276", one.supplier_item_id.title()) for one in items],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "<b>Kaufhaus</b>")],
    )
    kit.records.sets.make(StoredSet("Shops", frozenset({"R1", "R2"}), START, "ann"))


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Four items, of which two recipients can see different ones."""
    kit = open_desk({MILK: {"R1", "R2"}, OIL: {"R2"}, TEA: {"R1"}, HAY: set()})
    know(kit, (MILK, OIL, TEA, HAY))
    return kit


def open_page(page: str = COVERAGE_PAGE, **address: object) -> Window:
    """A window on the page."""
    window = Window()
    window.app.switch_page(page)
    window.app.query_params.clear()
    window.app.query_params.update(address)
    window.app.run()
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


def links(window: Window) -> dict[str, str]:
    """The links of the page, by their words."""
    return {one.proto.label: one.proto.query_string for one in window.app.get("page_link")}


def map_of(window: Window) -> pd.DataFrame:
    """The cells of the map."""
    charts = (one.proto for one in window.app if getattr(getattr(one, "proto", None), "alt", "") == MAP)
    chart = next(charts)
    spec = json.loads(chart.spec)
    assert "http" not in json.dumps({name: part for name, part in spec.items() if name != "$schema"})
    return convert_arrow_bytes_to_pandas_df(chart.datasets[0].data.data)


def has_map(window: Window) -> bool:
    """True when the map is drawn."""
    return any(getattr(getattr(one, "proto", None), "alt", "") == MAP for one in window.app)


def read_all(kit: DeskKit, window: Window, supplier: str | None = SUPPLIER) -> None:
    """Read all items, and look when that has ended."""
    window.click("scan_start")
    wait_until(lambda: has_ended(kit, supplier))
    window.leave()


def has_ended(kit: DeskKit, supplier: str | None = SUPPLIER) -> bool:
    """True when a scan is through; False while it is under way, and when there was none."""
    scan = kit.desk.scans.progress(supplier)
    return scan is not None and scan.job.state is JobState.ENDED


def test_s5_a_recipients_view_takes_two_actions(kit: DeskKit) -> None:
    """Choose the recipient, read all items: what it can see, and what was not read is no "no"."""
    window = open_page(supplier=SUPPLIER)
    window.find("entered", "Kaufhaus 1", key="coverage_recipients")
    assert window.says("Kaufhaus 1 `R1` can see **0 of 0 read items**; 4 not read.")
    assert set(shown(window, "Kaufhaus 1")) == {("Not read",)}
    read_all(kit, window)
    assert window.actions == 2
    assert window.says("Kaufhaus 1 `R1` can see **2 of 4 read items**.")
    assert shown(window, "Item", "Kaufhaus 1") == [
        ("Milk · Germany", "Yes"),
        ("Tea · Germany", "Yes"),
        ("Hay · Germany", "No"),
        ("Oil · Germany", "No"),
    ]
    assert not has_map(window)
    assert window.address == {"supplier": SUPPLIER, "recipient": "R1"}
    assert kit.fake.writes == []


def test_s5_what_is_missing_compared_with_another_takes_two_actions(kit: DeskKit) -> None:
    """Choose both: the missing item is first."""
    for item in (MILK, OIL, TEA):
        kit.desk.read(item)
    window = open_page(supplier=SUPPLIER)
    window.find("entered", "R1", key="coverage_recipients")
    window.find("entered", "R2", key="coverage_recipients")
    assert window.actions == 2
    assert window.says("**1 missing**, 1 extra.")
    assert window.says("; 1 not read.")
    assert shown(window, "Item", "Difference", "Kaufhaus 1", "<b>Kaufhaus</b>")[:2] == [
        ("Oil · Germany", "Missing", "No", "Yes"),
        ("Tea · Germany", "Extra", "Yes", "No"),
    ]
    window.switch("coverage_shown", "Missing")
    assert shown(window, "Item") == [("Oil · Germany",)]


@pytest.mark.usefixtures("kit")
def test_the_second_address_leads_to_the_page_with_its_choice() -> None:
    """A link to a recipient opens the same page; nothing of the link is lost."""
    window = open_page(RECIPIENT_PAGE, supplier=SUPPLIER, recipient=["R1", "R2"])
    assert window.says("Kaufhaus 1 `R1` can see")
    assert window.says("`R2` can see")


def test_ticked_items_become_a_preview(kit: DeskKit) -> None:
    """Of the first of two recipients; nothing is sent."""
    window = open_page(supplier=SUPPLIER, recipient=["R1", "R2"])
    read_all(kit, window)
    assert window.says("Tick items to preview changes to them.")
    tick(window, 0, 1)
    assert window.label_of("preview_removing") == "Preview removing Kaufhaus 1 from 1 item"
    window.click("preview_adding")
    (job,) = kit.records.jobs.jobs()
    assert (job.title, job.item_count) == ("Add Kaufhaus 1", 1)
    (item,) = kit.records.jobs.items(job.key, limit=9)
    assert (item.intent.item, item.intent.add) == (OIL, {"R1"})
    assert window.address["job"] == job.key
    assert kit.fake.writes == []


def test_one_ticked_item_leads_to_its_page(kit: DeskKit) -> None:
    """Also without a chosen recipient; then no change is offered."""
    kit.desk.read(MILK)
    window = open_page(supplier=SUPPLIER, recipient="R1")
    tick(window, 0)
    assert links(window) == {"Open the item": f"supplier={SUPPLIER}&item=milk"}
    window.go_back_to(supplier=SUPPLIER)
    tick(window, 0)
    assert links(window) == {"Open the item": f"supplier={SUPPLIER}&item=milk"}
    assert "preview_adding" not in window.keys


def test_without_a_recipient_those_seen_most_are_shown(kit: DeskKit) -> None:
    """As a map and as a table, which say the same; unread items are last."""
    for item in (MILK, OIL, TEA):
        kit.desk.read(item)
    window = open_page(supplier=SUPPLIER)
    assert window.says("**3 of 4 items read**; 1 not read.")
    cells = map_of(window)
    recipients = list(cells["Recipient"].unique())
    assert recipients == ["<b>Kaufhaus</b>", "Kaufhaus 1"]
    in_map = {item: tuple(of_item["Answer"]) for item, of_item in cells.groupby("Item")}
    in_table = {item: answers for item, *answers in shown(window, "Item", *recipients)}
    assert in_map == {item: tuple(answers) for item, answers in in_table.items()}
    assert in_map["Hay · Germany"] == ("Not read", "Not read")


def test_a_set_is_a_column(kit: DeskKit) -> None:
    """It says how many of its recipients can see an item, and is compared with a recipient."""
    for item in (MILK, OIL):
        kit.desk.read(item)
    window = open_page(supplier=SUPPLIER, set="Shops")
    assert window.says("Set `Shops`: all 2 recipients can see **1 of 2 read items**")
    assert window.says("1 visible to some of them")
    assert shown(window, "Shops")[:2] == [("2 of 2",), ("1 of 2",)]
    window.find("entered", "R1", key="coverage_recipients")
    assert shown(window, "Item", "Difference")[0] == ("Oil · Germany", "Missing")
    assert window.address["set"] == "Shops"
    window.switch("coverage_sets", [])
    assert "set" not in window.address


def test_the_table_has_ten_columns_and_the_file_all(kit: DeskKit) -> None:
    """It says so; two columns of the same name are told apart by their numbers."""
    put_names(kit.records.directory, recipients=[("X1", "Twin"), ("X2", "Twin")])
    kit.desk.read(MILK)
    window = open_page(supplier=SUPPLIER, recipient=["X1", "X2", *(f"N{one}" for one in range(10))])
    assert window.says("The table shows the first 10 of 12 columns; the file has all.")
    assert shown(window, "Twin (X1)", "Twin (X2)", "N7")[0] == ("No", "No", "No")
    tick(window, 0)
    assert window.label_of("preview_adding") == "Preview adding 12 columns to 1 item"


def test_all_suppliers_are_shown_for_a_recipient(open_desk: OpenDesk) -> None:
    """Each item with its supplier."""
    other = ItemKey("4000001000012", "rye")
    kit = open_desk({MILK: {"R1"}, other: {"R1"}})
    know(kit, (MILK,))
    kit.desk.read(MILK)
    kit.desk.read(other)
    window = open_page(recipient="R1")
    assert window.address == {"recipient": "R1"}
    assert shown(window, "Supplier", "Supplier number") == [
        ("Nordmilch", SUPPLIER),
        ("", other.supplier),
    ]


def test_a_scan_shows_its_progress_and_can_be_cancelled_and_resumed(kit: DeskKit) -> None:
    """What was not read stays not read."""
    is_free = threading.Event()

    def hold(_call: FakeCall) -> None:
        is_free.wait(60)

    kit.fake.before_call = hold
    window = open_page(supplier=SUPPLIER, recipient="R1")
    window.click("scan_start")
    assert window.says("0 of 4 items checked")
    assert set(shown(window, "Kaufhaus 1")) == {("Not read",)}
    window.click("scan_cancel")
    assert window.says("The scan was cancelled: 0 of 4 items checked.")
    is_free.set()
    window.click("scan_resume")
    wait_until(lambda: has_ended(kit))
    window.leave()
    assert "scan_resume" not in window.keys
    assert window.says("of 4 read items")


def test_a_scan_waits_for_the_service(kit: DeskKit) -> None:
    """It says so, and tries again by itself."""

    def fail_to_read(_call: FakeCall) -> None:
        raise not_sent("get_visibilities")

    kit.fake.before_call = fail_to_read
    window = open_page(supplier=SUPPLIER)
    window.click("scan_start")
    wait_until(lambda: kit.desk.scans.progress(SUPPLIER).job.next_try_at)
    window.leave()
    assert window.says("The service does not answer.")
    window.click("scan_cancel")
    kit.fake.before_call = let_it_be


def test_in_a_read_only_environment_items_are_read_and_opened(open_desk: OpenDesk) -> None:
    """No change is offered; the file and the links are there."""
    kit = open_desk({MILK: {"R1"}}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    know(kit, (MILK,))
    window = open_page(supplier=SUPPLIER, recipient="R1")
    read_all(kit, window)
    assert window.says("Tick an item to open it.")
    tick(window, 0)
    assert set(links(window)) == {"Open the item"}
    assert "preview_adding" not in window.keys
    assert "coverage_xlsx" in window.keys
    assert kit.fake.writes == []


def test_a_failed_read_says_why(open_desk: OpenDesk) -> None:
    """It is no "no", is left out of a preview, and is tried again with one press."""
    kit = open_desk({MILK: {"R1"}})
    know(kit, (MILK,))
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 400)))
    window = open_page(supplier=SUPPLIER, recipient="R1")
    read_all(kit, window)
    assert shown(window, "Kaufhaus 1", "Problem") == [
        ("Could not be read", "The service refused it (400). A title")
    ]
    assert window.says("**0 of 0 read items**; 1 not read.")
    tick(window, 0)
    assert (window.is_off("preview_adding"), window.is_off("preview_removing")) == (True, True)
    assert window.says("Not in a preview: 1 item not read yet.")
    window.click("scan_resume")
    wait_until(lambda: has_ended(kit))
    window.leave()
    assert shown(window, "Kaufhaus 1") == [("Yes",)]


@pytest.mark.usefixtures("kit")
def test_the_choice_is_kept_and_follows_the_address() -> None:
    """It is kept on the way to another page and back; an address without a choice empties the fields."""
    window = open_page(supplier=SUPPLIER, recipient="R2", set="Shops")
    address = window.address
    window.go_to(BULK_PAGE)
    window.go_to(COVERAGE_PAGE)
    assert window.address == address
    window.go_back_to(recipient="R1")
    assert window.says("Kaufhaus 1 `R1` can see")
    assert window.address == {"recipient": "R1"}
    window.go_back_to()
    assert window.alerts == ["Choose a supplier or a recipient: the known items are listed here."]


@pytest.mark.usefixtures("kit")
def test_an_unknown_number_that_sees_nothing_is_pointed_out() -> None:
    """A mistyped number sees no item either, and means something else."""
    words = "is not known here and can see nothing"
    assert open_page(supplier=SUPPLIER, recipient="R7").says(words)
    assert not open_page(supplier=SUPPLIER, recipient="R2").says(words)


def test_an_empty_page_says_what_to_do(kit: DeskKit, tmp_path: Path) -> None:
    """No items, nobody seen, a set that is gone, and records that cannot be used."""
    other = open_page(supplier="other")
    assert other.alerts[0].startswith("This supplier has no known items here.")
    assert open_page(supplier=SUPPLIER).says("**0 of 4 items read**; 4 not read.")
    assert open_page(supplier=SUPPLIER).alerts[0].startswith("No recipient was seen on these items yet.")
    gone = open_page(supplier=SUPPLIER, set="gone")
    assert gone.says("This recipient set is no longer there.")
    kit.desk.read(MILK)
    break_records(tmp_path)
    assert open_page(supplier=SUPPLIER).says("The coverage could not be read.")


@pytest.mark.usefixtures("kit")
def test_of_very_many_items_a_supplier_is_chosen_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them at once would take seconds."""
    monkeypatch.setattr(results, "MAX_ITEMS", 3)
    window = open_page(recipient="R1")
    assert window.alerts == ["More than 3 items are known here: choose a supplier."]
    window.go_back_to(recipient="R1", supplier=SUPPLIER)
    assert window.says("4 not read")
