"""The coverage page: items and recipients, one recipient's view, and comparisons."""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from components import coverage
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.job import JobState
from item_visibility.storage.recipient_sets import StoredSet
from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk
from tests.support.desk import (
    TEST_ENVIRONMENT,
    DeskKit,
    break_records,
    put_names,
    wait_until,
)
from tests.support.fake_visibilities import START, FakeCall, do_nothing, not_sent
from tests.support.screens import COVERAGE_PAGE, RECIPIENT_PAGE, Window

SUPPLIER = "4000001000005"
TABLE = "Known items, and which recipients can see each"
MAP = (
    "Map of the items and the recipients that can see them. The table below shows the "
    "same data"
)
open_page = partial(Window.on, COVERAGE_PAGE)
MILK = ItemKey(SUPPLIER, "milk")
OIL = ItemKey(SUPPLIER, "oil")
TEA = ItemKey(SUPPLIER, "tea")
HAY = ItemKey(SUPPLIER, "hay")


def know(kit: DeskKit, items: Iterable[ItemKey]) -> None:
    put_names(
        kit.records.directory,
        suppliers=[(SUPPLIER, "Nordmilch")],
        items=[(item, "276", item.supplier_item_id.title()) for item in items],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "<b>Kaufhaus</b>")],
    )
    kit.records.sets.make(StoredSet("Shops", frozenset({"R1", "R2"}), START, "ann"))


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    kit = open_desk({MILK: {"R1", "R2"}, OIL: {"R2"}, TEA: {"R1"}, HAY: set()})
    know(kit, (MILK, OIL, TEA, HAY))
    return kit


def links(window: Window) -> dict[str, str]:
    shown = [link.proto for link in window.app.get("page_link")]
    return {link.label: link.query_string for link in shown}


def maps(window: Window) -> list[Any]:
    elements = [getattr(element, "proto", None) for element in window.app]
    return [element for element in elements if getattr(element, "alt", "") == MAP]


def map_of(window: Window) -> pd.DataFrame:
    (chart,) = maps(window)
    spec = json.loads(chart.spec)
    del spec["$schema"]
    assert "http" not in json.dumps(spec)
    return convert_arrow_bytes_to_pandas_df(chart.datasets[0].data.data)


def read_all(kit: DeskKit, window: Window, supplier: str | None = SUPPLIER) -> None:
    window.click("scan_start")
    wait_until(lambda: has_ended(kit, supplier))
    window.leave()


def has_ended(kit: DeskKit, supplier: str | None = SUPPLIER) -> bool:
    """Return True if a scan has ended, and False if it is running or there was none."""
    scan = kit.desk.scans.progress(supplier)
    return scan is not None and scan.state is JobState.ENDED


def test_an_item_that_was_not_read_is_not_a_no(kit: DeskKit) -> None:
    window = open_page(supplier=SUPPLIER, recipient="R1")
    assert window.says("Kaufhaus 1 `R1` can see **0 of 0 read items**; 4 not read.")
    assert set(window.rows(TABLE, "Kaufhaus 1")) == {("Not read",)}

    read_all(kit, window)
    assert window.says("Kaufhaus 1 `R1` can see **2 of 4 read items**.")
    assert window.rows(TABLE, "Item", "Kaufhaus 1") == [
        ("Milk · Germany", "Yes"),
        ("Tea · Germany", "Yes"),
        ("Hay · Germany", "No"),
        ("Oil · Germany", "No"),
    ]
    assert maps(window) == []
    assert kit.fake.writes == []
    assert open_page(supplier=SUPPLIER, recipient="R7").says(
        "is not known and can see none of these items"
    )


def test_two_columns_are_compared_and_what_is_missing_is_first(kit: DeskKit) -> None:
    for item in (MILK, OIL, TEA):
        kit.desk.read(item)
    window = Window.on(RECIPIENT_PAGE, supplier=SUPPLIER, recipient=["R1", "R2"])
    assert window.says("**1 missing**, 1 extra.")
    assert window.says("; 1 not read.")
    columns = ("Item", "Difference", "Kaufhaus 1", "<b>Kaufhaus</b>")
    assert window.rows(TABLE, *columns)[:2] == [
        ("Oil · Germany", "Missing", "No", "Yes"),
        ("Tea · Germany", "Extra", "Yes", "No"),
    ]

    window.stay_on(COVERAGE_PAGE)
    window.switch("coverage_shown", "Missing")
    assert window.rows(TABLE, "Item") == [("Oil · Germany",)]

    window = open_page(supplier=SUPPLIER, set="Shops")
    assert window.says("Set `Shops`: all 2 recipients can see **1 of 3 read items**")
    assert window.rows(TABLE, "Shops")[:2] == [("2 of 2",), ("1 of 2",)]

    window.find("entered", "R1", key="coverage_recipients")
    assert ("Oil · Germany", "Missing") in window.rows(TABLE, "Item", "Difference")

    window.switch("coverage_sets", [])
    assert window.address == {"supplier": SUPPLIER, "recipient": "R1"}


def test_ticked_items_become_a_preview(kit: DeskKit) -> None:
    window = open_page(supplier=SUPPLIER, recipient=["R1", "R2"])
    read_all(kit, window)
    assert window.says("Tick items to preview changes to them.")

    window.select(TABLE, 0, 1)
    removing = window.label_of("preview_removing")
    assert removing == "Preview removing Kaufhaus 1 from 1 item"

    window.click("preview_adding")
    (job,) = kit.records.jobs.jobs()
    assert job.title == "Add Kaufhaus 1"
    assert job.item_count == 1
    (item,) = kit.records.jobs.items(job.key, limit=9)
    assert item.intent.item == OIL
    assert item.intent.add == {"R1"}
    assert window.address["job"] == job.key
    assert kit.fake.writes == []


def test_without_a_choice_the_most_frequent_recipients_are_shown(kit: DeskKit) -> None:
    for item in (MILK, OIL, TEA):
        kit.desk.read(item)
    window = open_page(supplier=SUPPLIER)
    assert window.says("**3 of 4 items read**; 1 not read.")

    cells = map_of(window)
    recipients = list(cells["Recipient"].unique())
    assert recipients == ["Kaufhaus 1", "<b>Kaufhaus</b>"]

    in_map = {item: list(of_item["Answer"]) for item, of_item in cells.groupby("Item")}
    rows = window.rows(TABLE, "Item", *recipients)
    assert in_map == {item: answers for item, *answers in rows}
    assert in_map["Hay · Germany"] == ["Not read", "Not read"]


@pytest.mark.parametrize("is_read_only", [False, True])
def test_one_ticked_item_leads_to_its_page(kit: DeskKit, *, is_read_only: bool) -> None:
    kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=is_read_only)
    kit.desk.read(MILK)
    window = open_page(supplier=SUPPLIER, recipient="R1")
    window.select(TABLE, 0)
    assert links(window) == {"Open the item": f"supplier={SUPPLIER}&item=milk"}
    assert ("preview_adding" in window.keys) is not is_read_only
    assert "coverage_xlsx" in window.keys

    window.go_back_to(supplier=SUPPLIER)
    window.select(TABLE, 0)
    assert "preview_adding" not in window.keys


def test_the_table_has_ten_columns_and_the_file_all(kit: DeskKit) -> None:
    put_names(kit.records.directory, recipients=[("X1", "Twin"), ("X2", "Twin")])
    kit.desk.read(MILK)
    others = [f"N{number}" for number in range(10)]
    window = open_page(supplier=SUPPLIER, recipient=["X1", "X2", *others])
    assert window.says(
        "The table shows the first 10 of 12 columns. The file has all columns."
    )
    assert window.rows(TABLE, "Twin (X1)", "Twin (X2)", "N7")[0] == ("No", "No", "No")

    window.select(TABLE, 0)
    assert window.label_of("preview_adding") == "Preview adding 12 columns to 1 item"


def test_a_scan_waits_for_the_service_and_can_be_cancelled_and_resumed(
    kit: DeskKit,
) -> None:
    def fail_to_read(_call: FakeCall) -> None:
        raise not_sent()

    kit.fake.before_call = fail_to_read
    window = open_page(supplier=SUPPLIER, recipient="R1")
    window.click("scan_start")
    wait_until(lambda: kit.desk.scans.progress(SUPPLIER).next_try_at)
    window.leave()
    assert window.says("The service does not answer.")
    assert set(window.rows(TABLE, "Kaufhaus 1")) == {("Not read",)}

    window.click("scan_cancel")
    assert window.says("The last scan read 0 of 4 items.")

    kit.fake.before_call = do_nothing
    window.click("scan_resume")
    wait_until(lambda: has_ended(kit))
    window.leave()
    assert window.says("of 4 read items")


@pytest.mark.usefixtures("kit")
def test_the_chosen_recipients_are_kept_and_follow_the_address() -> None:
    window = open_page(supplier=SUPPLIER, recipient="R2", set="Shops")
    address = window.address
    window.go_to(BULK_PAGE)
    window.go_to(COVERAGE_PAGE)
    assert window.address == address

    window.go_back_to(recipient="R1")
    assert window.says("Kaufhaus 1 `R1` can see")

    window.go_back_to()
    assert window.alerts == [
        "Choose a supplier or a recipient to list the known items."
    ]


def test_a_page_without_answers_says_why(
    kit: DeskKit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = open_page(supplier="other")
    assert unknown.alerts[0].startswith("No items of this supplier are known yet.")

    unread = open_page(supplier=SUPPLIER)
    assert unread.alerts[0].startswith("No recipients of these items are known yet.")

    deleted = open_page(supplier=SUPPLIER, set="gone")
    assert deleted.says("This recipient set is no longer there: somebody")

    monkeypatch.setattr(coverage, "MAX_ITEMS", 3)
    assert open_page(recipient="R1").alerts == [
        "There are more than 3 known items. Choose a supplier."
    ]

    kit.desk.read(MILK)
    break_records(tmp_path)
    assert open_page(supplier=SUPPLIER).says("The coverage could not be read.")
