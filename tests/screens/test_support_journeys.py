"""The journeys of support, each with the actions of the design, also where nothing can be changed."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from item_visibility.storage.scans import ScanState
from tests.screens.conftest import OpenDesk
from tests.storage import entries
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, wait_until
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, CONNECTION_PAGE, COVERAGE_PAGE, HISTORY_PAGE, Window
from tests.support.telling_service import TellingService

pytestmark = pytest.mark.screen

ASKED = f"{ITEM.supplier}\t{ITEM.supplier_item_id}\t"
ENTRIES = "History of changes, newest first"
KNOWN_ITEMS = "Known items, and which recipients can see each"


@pytest.fixture(params=[False, True], ids=["writing", "read-only"])
def kit(open_desk: OpenDesk, request: pytest.FixtureRequest) -> DeskKit:
    """An item that one recipient can see, and another no more: ann took it away."""
    environment = replace(TEST_ENVIRONMENT, is_read_only=request.param)
    kit = open_desk(fake=TellingService({ITEM: {"R1"}}), environment=environment)
    put_names(
        kit.records.directory,
        items=[(ITEM, "276", "Whole milk")],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "Kaufhaus 2")],
    )
    entries.save(kit.records.history, "k1", before={"R1", "R2"}, remove={"R2"})
    return kit


@pytest.fixture(autouse=True)
def nothing_is_written(kit: DeskKit) -> Iterator[None]:
    """Support looks, and writes nothing."""
    yield
    assert kit.fake.writes == []


def open_page(page: str, **address: str) -> Window:
    """A window on a page, with nothing done."""
    window = Window()
    window.go_to(page, **address)
    window.actions = 0
    return window


def test_s1_and_s2_a_question_its_answer_and_why_not_take_one_action() -> None:
    """Paste the line, Enter: no, the reason, and the words for the customer."""
    window = open_page(CHECK_PAGE)
    window.enter("question", f"{ASKED}R2")
    assert window.alerts == ["No, Kaufhaus 2 cannot see Whole milk · Germany; others can (read TIME)."]
    assert window.says("**ann removed Kaufhaus 2")
    assert window.says("To send to the customer")
    assert window.says("Asked at TIME")
    assert window.actions == 1


def test_s3_what_changed_is_one_press_below_the_answer() -> None:
    """Its link leads to the history of this item and recipient."""
    window = open_page(CHECK_PAGE, supplier=ITEM.supplier, item=ITEM.supplier_item_id, recipient="R2")
    link = next(one for one in window.app.page_link if one.label == "What changed, when and by whom")
    window.go_to(HISTORY_PAGE, **dict(parse_qsl(link.proto.query_string)))
    window.actions += 1
    table = next(one.value for one in window.app.dataframe if one.proto.alt == ENTRIES)
    assert list(table["Who"]) == ["ann"]
    assert window.actions == 1


def test_s4_a_ticket_takes_one_action() -> None:
    """Below the answer: what was asked and answered."""
    window = open_page(CHECK_PAGE, supplier=ITEM.supplier, item=ITEM.supplier_item_id, recipient="R2")
    window.open_ticket("answer_0")
    shown = "".join(window.texts)
    assert "No, Kaufhaus 2" in shown
    assert "| 200 in " in shown
    assert window.actions == 1


def test_s5_what_a_recipient_can_see_takes_two_actions(kit: DeskKit) -> None:
    """Choose the recipient, read all items."""
    window = open_page(COVERAGE_PAGE, supplier=ITEM.supplier)
    window.find("entered", "Kaufhaus 1", key="coverage_recipients")
    window.click("scan_start")
    wait_until(lambda: (scan := kit.desk.scans.progress(ITEM.supplier)) and scan.state is ScanState.ENDED)
    window.leave()
    assert window.says("Kaufhaus 1 `R1` can see **1 of 1 read item**.")
    assert KNOWN_ITEMS in window.tables
    assert window.actions == 2


def test_s6_us_or_them_is_told_by_opening_the_page() -> None:
    """The sentence is the first thing on it, from a read of this moment."""
    window = Window(ITEM)
    window.actions = 0
    window.go_to(CONNECTION_PAGE)
    window.actions += 1
    assert window.alerts == ["Their service answers. Our side is fine."]
    assert window.actions == 1
