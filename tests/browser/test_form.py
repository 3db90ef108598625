"""The form of the item page: ticks, chips, Save and its dialog, in a browser."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import FloatRect, Locator, ViewportSize, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from item_visibility_service.sample_data import with_check_digit
from tests.browser.windows import KEYBOARD_ON_A_TELEPHONE
from tests.support.bundled_service import OperationLog
from tests.support.dashboard import Place
from tests.support.mouse_and_keyboard import box_of
from tests.support.pages import Person
from tests.support.screen_states import (
    ANNA,
    BERTA,
    CLARA,
    DORA,
    NARROW,
    WIDE,
    choose_first_row,
)

THIRTY = tuple(with_check_digit(f"9523009910{number:02}") for number in range(30))
ROW_PX = 35
NOTHING_TO_SAVE = re.compile("^Nothing to save")


@contextmanager
def requested_runs(person: Person) -> Iterator[list[str]]:
    """Collect the script runs that the browser requests, except those of a timer.

    Enter this before the page is opened, because it sees only connections that are
    opened later.
    """
    runs: list[str] = []

    def note(payload: str | bytes) -> None:
        if not isinstance(payload, bytes):
            return
        message = BackMsg.FromString(payload)
        is_run = message.WhichOneof("type") == "rerun_script"
        if is_run and not message.rerun_script.is_auto_rerun:
            runs.append(str(message.rerun_script))

    def listen(connection: WebSocket) -> None:
        connection.on("framesent", note)

    person.page.on("websocket", listen)
    yield runs
    person.page.remove_listener("websocket", listen)


def positions(person: Person) -> list[FloatRect]:
    parts: list[Locator] = [
        person.page.get_by_role("heading", level=1),
        person.field("Supplier"),
        person.field("Item"),
        person.button("Reload"),
        person.button("More"),
        person.page.locator(".st-key-add_recipients"),
        person.table,
        person.field("Reason (optional)"),
        person.button("Save"),
    ]
    person.waits_until_idle()
    person.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 0)")
    return [box_of(part) for part in parts]


def tick_twenty(person: Person) -> None:
    """Click the ticks of the first twenty rows. After ten rows, scroll the table."""
    for _ in range(2):
        x, y = person.place_of_tick(0)
        for row in range(10):
            person.page.mouse.click(x, y + row * ROW_PX)
        person.page.wait_for_timeout(400)
        person.page.mouse.wheel(0, 10 * ROW_PX)
        person.page.wait_for_timeout(400)


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_twenty_ticks_cause_no_rerun_and_move_nothing(
    demo: Place, person: Person, viewport: ViewportSize
) -> None:
    item = demo.new_item(*THIRTY)
    person.page.set_viewport_size(viewport)
    with requested_runs(person) as runs:
        person.open(demo.address(item)).reads("30 recipients can see this item")

        before = positions(person)
        assert runs != []  # the run of opening the page was recorded

        runs.clear()
        tick_twenty(person)
        assert runs == []
        assert positions(person) == before
    person.press("Save")
    person.reads("Remove 20 of 30 recipients?")

    person.confirm("20")
    person.reads("10 recipients can see this item")
    assert demo.recipients(item) == set(THIRTY[20:])


def test_chips_matches_questions_and_a_result_move_nothing(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(*THIRTY)
    person.open(demo.address(item)).reads("30 recipients can see this item")

    before = positions(person)
    person.tick(1)
    for count, recipient in enumerate((ANNA, BERTA, CLARA), start=1):
        person.add(recipient)
        person.reads_chips(count)
    person.tick(3)
    assert positions(person) == before

    person.finder.fill("sonnenhof")
    matches = person.page.get_by_role("listbox", name="Matches")
    expect(matches.get_by_role("option")).to_have_count(8)
    assert positions(person) == before

    person.finder.fill("Zzyxx Handel")
    person.press("Add")
    expect(person.button("Drop Zzyxx Handel")).to_be_visible()
    assert positions(person) == before

    person.button("Drop Zzyxx Handel").click()
    person.press("Save")
    removed = {THIRTY[1], THIRTY[3]}
    person.reads_saved(
        f"Added {ANNA}, {BERTA} and {CLARA}, removed {THIRTY[1]} and {THIRTY[3]}"
    )
    assert demo.recipients(item) == {*THIRTY, ANNA, BERTA, CLARA} - removed

    person.tick(0)
    person.press("Save")
    person.reads_saved(f"Removed {ANNA}")
    assert positions(person) == before


def test_a_double_click_and_a_double_shortcut_save_once(
    configured: Place, person: Person, service_log: OperationLog
) -> None:
    item = configured.new_item(ANNA, BERTA, CLARA)
    person.open(configured.address(item)).reads("3 recipients can see this item")

    person.tick(0)
    service_log.hold(item)
    person.button("Save").dblclick()
    service_log.wait_for_change()
    person.reads(re.compile("^Saving, then checking"))
    expect(person.button("Save")).to_be_disabled()

    service_log.release()
    person.reads_saved(f"Removed {ANNA}")

    person.tick(0)
    person.page.keyboard.press("ControlOrMeta+s")
    person.page.keyboard.press("ControlOrMeta+s")
    person.reads("1 recipient can see this item")

    person.waits_until_idle()
    assert service_log.changes(item) == [
        ("removeVisibility", ANNA),
        ("removeVisibility", BERTA),
    ]


def test_ticks_survive_reruns_of_the_page(demo: Place, person: Person) -> None:
    item = demo.new_item(*THIRTY)
    person.open(demo.address(item)).reads("30 recipients can see this item")

    person.add(ANNA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {ANNA}")

    person.tick(0)
    person.unfold("History of this item")
    history = person.page.get_by_role("region", name="History of changes, newest first")
    expect(history.locator("canvas tbody tr")).to_have_count(1)

    person.waits_until_idle()
    choose_first_row(history)
    person.reads(re.compile("recipients: "))

    person.press("More")
    expect(person.button("Copy link")).to_be_visible()

    person.page.keyboard.press("Escape")
    person.add(BERTA)
    person.reads_chips(1)
    person.tick(2)
    person.press("Save")
    person.reads_saved(f"Added {BERTA}, removed {ANNA} and {THIRTY[1]}")
    assert demo.recipients(item) == {*THIRTY, BERTA} - {THIRTY[1]}


def test_a_tick_at_the_moment_of_save_is_saved_at_once_or_never(
    configured: Place, person: Person, service_log: OperationLog
) -> None:
    item = configured.new_item(*THIRTY)
    person.open(configured.address(item)).reads("30 recipients can see this item")

    person.tick(0)
    save = box_of(person.button("Save"))
    x = save["x"] + save["width"] / 2
    y = save["y"] + save["height"] / 2
    person.page.mouse.click(*person.place_of_tick(1))
    person.page.mouse.click(x, y)
    person.reads(re.compile("^Removed .* verified"))

    person.waits_until_idle()
    first = service_log.changes(item)
    assert ("removeVisibility", THIRTY[0]) in first

    person.page.wait_for_timeout(500)
    person.press("Save")
    person.reads(NOTHING_TO_SAVE)
    assert service_log.changes(item) == first
    removed = {recipient for _, recipient in first}
    assert configured.recipients(item) == set(THIRTY) - removed


@pytest.mark.parametrize("way", [KEYBOARD_ON_A_TELEPHONE], ids=str)
def test_escape_cancels_the_plan_and_keeps_the_ticks(
    configured: Place, person: Person, service_log: OperationLog
) -> None:
    item = configured.new_item(ANNA)
    person.open(configured.address(item)).reads("1 recipient can see this item")

    person.tick(0)
    person.press("Save")
    person.reads("Remove 1 of 1 recipient?")

    person.hand.reach(person.field("Type 1 to confirm"))
    person.page.keyboard.press("Escape")
    expect(person.page.get_by_role("dialog")).to_have_count(0)

    person.waits_until_idle()
    person.press("Save")
    person.reads("Remove 1 of 1 recipient?")

    person.enter("Type 1 to confirm", "3")
    alert = person.page.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_have_text(re.compile("Type 1 to confirm"))
    assert service_log.changes(item) == []

    person.enter("Type 1 to confirm", "1")
    person.reads_saved(f"Removed {ANNA}")
    assert configured.recipients(item) == set()


@pytest.mark.parametrize("way", [KEYBOARD_ON_A_TELEPHONE], ids=str)
def test_the_list_view_is_used_with_the_keyboard_alone(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")

    person.tick(0)
    person.add(DORA)
    person.reads_chips(1)
    person.hand.press(person.page.get_by_role("switch", name="List view"))
    person.reads_chips(1)
    expect(person.page.get_by_role("checkbox", name=ANNA)).to_be_checked()

    box = person.page.get_by_role("checkbox", name=BERTA)
    person.hand.press(box)
    expect(box).not_to_be_checked()

    person.press("Save")
    person.reads_saved(f"Added {DORA}, removed {BERTA}")
    assert demo.recipients(item) == {ANNA, CLARA, DORA}


def test_opening_another_page_drops_ticks_and_keeps_chips(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")

    person.tick(0)
    person.add(DORA)
    person.reads_chips(1)
    person.go("Connection")
    person.reads("Our side is fine.")

    person.go("Item")
    person.reads_chips(1)
    assert [row[0] for row in person.rows()] == ["true", "true", "true"]

    person.press("Save")
    person.reads_saved(f"Added {DORA}")
    assert demo.recipients(item) == {ANNA, BERTA, CLARA, DORA}
