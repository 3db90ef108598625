"""The item page: one form, one Save, and what it says afterwards."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest

from components.item import saving
from components.item.saving import save_form
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import Operation
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, TEST_ENVIRONMENT, DeskKit, a_request
from tests.support.fake_visibilities import (
    FakeCall,
    Fault,
    not_sent,
    refused,
    unknown_outcome,
)
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

FIVE = frozenset({"R1", "R2", "R3", "R4", "R5"})
STEPS = "How the change ended for each recipient"


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """An item with five recipients, and another one."""
    return open_desk({ITEM: FIVE, OTHER_ITEM: {"R9"}})


@pytest.fixture
def gate(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> Event:
    """Writes wait until this is set, and the screen waits for none of them."""
    opened = Event()

    def hold(call: FakeCall) -> None:
        assert call.operation == "getVisibilities" or opened.wait(60)

    kit.fake.before_call = hold
    monkeypatch.setattr("components.item.saving.WAIT_FOR_SAVE_S", 0.0)
    return opened


def release(kit: DeskKit, gate: Event) -> None:
    """Let the writes go, and return when the save of the item has ended."""
    gate.set()
    kit.worker.close()


def written(kit: DeskKit) -> set[tuple[str, str | None]]:
    """The changes that were sent."""
    return {(call.operation, call.recipient_id) for call in kit.fake.writes}


def test_ticks_and_chips_are_saved_together(kit: DeskKit) -> None:
    """Two actions after the edits, and the line names whom the save concerns."""
    window = Window(ITEM)
    window.add("R6")
    window.untick("R1")
    window.save()
    assert window.alerts == ["Added R6, removed R1 · verified TIME"]
    assert written(kit) == {("addVisibility", "R6"), ("removeVisibility", "R1")}
    assert set(window.ticks) == FIVE - {"R1"} | {"R6"}
    assert window.found()["chosen"] == []


def test_save_without_changes_sends_nothing(kit: DeskKit) -> None:
    """The page says so."""
    window = Window(ITEM)
    window.save()
    assert window.alerts == ["Nothing to save: no tick was changed, and no recipient was added."]
    assert kit.fake.writes == []


def test_save_pressed_twice_saves_once(kit: DeskKit, gate: Event) -> None:
    """The second press comes before the page is drawn disabled."""
    window = Window(ITEM)
    window.untick("R1")
    save = window.key_of("save")
    window.click(save)
    window.click_again_at_once(save)
    release(kit, gate)
    window.leave()
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert [call.recipient_id for call in kit.fake.writes] == ["R1"]


def test_a_long_save_is_followed_with_the_form_disabled(kit: DeskKit, gate: Event) -> None:
    """Progress is shown, then the result."""
    window = Window(ITEM)
    window.untick("R1")
    window.save()
    assert window.says("Saving, then reading the list back …")
    assert window.is_off(window.key_of("save"))
    assert window.is_off("reload")
    assert window.found()["isOff"] is True
    release(kit, gate)
    window.leave()
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert not window.is_off(window.key_of("save"))


def test_the_result_is_there_after_a_look_at_another_page(kit: DeskKit, gate: Event) -> None:
    """The save goes on in its worker."""
    window = Window(ITEM)
    window.untick("R1")
    window.save()
    window.go_to(CHECK_PAGE)
    release(kit, gate)
    window.go_to(ITEM_PAGE)
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1"}


def test_a_tick_that_arrives_after_save_is_never_written(kit: DeskKit, gate: Event) -> None:
    """Every save gets a new form; what the browser still sends for the old one is ignored."""
    window = Window(ITEM)
    old_table = window.editor.key
    window.untick("R1")
    window.save()
    window.app.session_state[old_table] = {"edited_rows": {0: {"visible": False}, 1: {"visible": False}}}
    release(kit, gate)
    window.leave()
    window.save()
    assert written(kit) == {("removeVisibility", "R1")}


@pytest.mark.parametrize(
    "message",
    [
        {"edited_rows": {99: {"visible": False}, -1: {"visible": False}, "0": {"visible": False}}},
        {"edited_rows": {0: {"visible": "no"}, 1: {"recipient": "R9"}, 2: "nothing", 3: {"visible": True}}},
        {"added_rows": [{"recipient": "R9", "visible": True}], "deleted_rows": [0, 1]},
        "no edits at all",
    ],
    ids=["other rows", "other cells", "rows added and deleted", "no mapping"],
)
def test_a_forged_table_changes_nothing(kit: DeskKit, message: object) -> None:
    """Only ticks of the rows that were drawn count."""
    window = Window(ITEM)
    window.forge_along(message)
    window.save()
    assert kit.fake.writes == []


def test_reload_drops_ticks_and_chips(kit: DeskKit) -> None:
    """B3: one action before saving. A new read has other rows: no tick moves to another recipient."""
    window = Window(ITEM)
    window.add("R6")
    window.untick("R1")
    kit.fake.put(ITEM, {"R0", *FIVE})
    window.click("reload")
    assert window.found()["chosen"] == []
    assert all(window.ticks.values())
    window.save()
    assert kit.fake.writes == []


def test_chips_of_one_item_are_never_saved_on_another(kit: DeskKit) -> None:
    """Chips belong to their item, whichever way the next one is opened."""
    window = Window(ITEM)
    window.add("R6")
    window.go_back_to(supplier=OTHER_ITEM.supplier, item=OTHER_ITEM.supplier_item_id)
    assert window.found()["chosen"] == []
    window.save()
    assert kit.fake.writes == []
    window.go_back_to(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.found()["chosen"] == []


def test_a_text_that_is_not_decided_holds_the_save(kit: DeskKit) -> None:
    """Nothing is sent while it may mean a recipient."""
    window = Window(ITEM)
    window.untick("R1")
    window.type_half("Zzyxx Handel")
    window.save()
    assert kit.fake.writes == []
    assert window.says("Zzyxx Handel")


def test_a_service_that_is_down_changes_nothing_and_drops_nothing(kit: DeskKit) -> None:
    """Why and what to do are said, and the same press works when the service is back."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window.save()
    assert window.alerts == ["Nothing was changed · TIME"]
    assert window.says("The service cannot be reached.")
    assert window.says("Try again later.")
    window.save()
    assert window.alerts == ["Removed R1 · verified TIME"]


def test_a_refusal_shows_the_services_own_words_and_what_is_missing_stays(kit: DeskKit) -> None:
    """What was made is kept; what was not is entered in the new form, to be saved again."""
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility", 400)))
    kit.fake.faults.append(Fault("removeVisibility", refused("removeVisibility", 400), recipient_id="R2"))
    window = Window(ITEM)
    window.add("R6")
    window.untick("R1")
    window.untick("R2")
    window.save()
    assert window.alerts == ["Removed R1 · 2 refused · TIME"]
    assert window.says("The service refused it (400).")
    assert window.says("A title")
    assert {row[1:4] for row in window.rows(STEPS)} == {
        ("R6", "Add", "Refused"),
        ("R1", "Remove", "Done"),
        ("R2", "Remove", "Refused"),
    }
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]
    assert [row for row, is_ticked in window.ticks.items() if not is_ticked] == ["R2"]


def test_what_was_not_read_back_is_not_called_saved(kit: DeskKit) -> None:
    """The change was sent; whether the list shows it is unknown."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.before_call = _fail_reads_after_a_write(kit)
    window.save()
    assert window.alerts
    assert not any("verified" in alert for alert in window.alerts)


def _fail_reads_after_a_write(kit: DeskKit) -> Callable[[FakeCall], None]:
    def fail(call: FakeCall) -> None:
        if call.operation == "getVisibilities" and kit.fake.writes:
            raise not_sent("getVisibilities")

    return fail


def test_more_than_half_is_confirmed_by_its_number(kit: DeskKit) -> None:
    """The dialog lists all names; a wrong number sends nothing."""
    window = Window(ITEM)
    for one in ("R1", "R2", "R3"):
        window.untick(one)
    window.save()
    assert window.plan == {"remove": ["R1", "R2", "R3"]}
    window.confirm("2")
    assert kit.fake.writes == []
    assert "Type 3 to confirm." in window.alerts
    window.confirm("3")
    assert window.alerts == ["Removed R1, R2 and R3 · verified TIME"]


def test_more_than_a_hundred_additions_are_shown_first(kit: DeskKit) -> None:
    """They need no number: nothing is taken away."""
    window = Window(ITEM)
    window.add("\n".join(f"R{number}" for number in range(100, 201)))
    window.save()
    assert kit.fake.writes == []
    assert len(window.plan["add"]) == 101
    window.confirm()
    assert len(kit.fake.recipients_of(ITEM)) == 106


def test_cancel_keeps_the_ticks(kit: DeskKit) -> None:
    """Nothing is sent, and the same form can be saved again."""
    window = Window(ITEM)
    for one in ("R1", "R2", "R3"):
        window.untick(one)
    window.save()
    window.click("plan_cancel")
    assert (window.plan, kit.fake.writes) == ({}, [])
    window.tick("R3")
    window.save()
    assert window.alerts == ["Removed R1 and R2 · verified TIME"]


def test_a_plan_belongs_to_its_item(kit: DeskKit) -> None:
    """On another item it is dropped, and does not come back."""
    window = Window(ITEM)
    for one in ("R1", "R2", "R3"):
        window.untick(one)
    window.save()
    window.go_back_to(supplier=OTHER_ITEM.supplier, item=OTHER_ITEM.supplier_item_id)
    assert window.plan == {}
    window.go_back_to(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.plan == {}
    assert kit.fake.writes == []


def test_chips_survive_an_undo(kit: DeskKit) -> None:
    """An undo is a save of its own."""
    window = Window(ITEM)
    window.untick("R1")
    window.save()
    window.add("R6")
    window.click("undo")
    window.confirm()
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]
    assert kit.fake.recipients_of(ITEM) == FIVE


def test_what_somebody_else_changed_meanwhile_is_kept_and_reported(kit: DeskKit) -> None:
    """B8: no further action."""
    window = Window(ITEM)
    kit.fake.put(ITEM, FIVE - {"R2"} | {"R7"})
    window.untick("R1")
    window.save()
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert window.says("Somebody else also added, and this was kept: `R7`")
    assert window.says("Somebody else also removed: `R2`")
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1", "R2"} | {"R7"}


def test_a_removal_that_became_large_is_asked_about_again(kit: DeskKit) -> None:
    """Two of five are few, two of three are not: nothing is sent before the new plan is confirmed."""
    window = Window(ITEM)
    window.untick("R1")
    window.untick("R2")
    kit.fake.put(ITEM, {"R1", "R2", "R3"})
    window.save()
    assert kit.fake.writes == []
    assert window.plan == {"remove": ["R1", "R2"]}
    window.confirm("2")
    assert kit.fake.recipients_of(ITEM) == {"R3"}


def test_remove_all_sends_one_call_after_its_dialog(kit: DeskKit) -> None:
    """B7: More, Remove all, and the number with Enter; the history brings everybody back in three."""
    window = Window(ITEM)
    window.open_more()
    window.click("remove_all")
    assert window.plan == {"remove": sorted(FIVE)}
    window.confirm("5")
    assert [call.operation for call in kit.fake.writes] == ["removeVisibilities"]
    window.click("undo")
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == FIVE


def test_remove_all_asks_again_when_the_list_has_changed(kit: DeskKit) -> None:
    """Nothing is sent for a list that nobody saw."""
    window = Window(ITEM)
    window.open_more()
    window.click("remove_all")
    kit.fake.put(ITEM, FIVE | {"R7"})
    window.confirm("5")
    assert kit.fake.writes == []
    assert window.plan == {"remove": [*sorted(FIVE), "R7"]}
    window.confirm("6")
    assert kit.fake.recipients_of(ITEM) == frozenset()


def test_set_exactly_makes_the_chips_the_whole_list(kit: DeskKit) -> None:
    """One setVisibilities, after a dialog with everybody who comes and goes."""
    window = Window(ITEM)
    window.add("R1\nR6")
    window.open_more()
    window.click("set_exactly")
    assert window.plan == {"remove": ["R2", "R3", "R4", "R5"], "add": ["R6"]}
    window.confirm("4")
    assert [call.operation for call in kit.fake.writes] == ["setVisibilities"]
    assert kit.fake.recipients_of(ITEM) == {"R1", "R6"}
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert entry.request.operation is Operation.SET


def test_set_exactly_needs_recipients(kit: DeskKit) -> None:
    """An empty field would remove everybody under another name."""
    window = Window(ITEM)
    window.open_more()
    window.click("set_exactly")
    assert window.alerts == ["Enter all recipients under Add recipients first, or a recipient set."]
    assert kit.fake.writes == []


def test_a_link_fills_in_the_form_and_a_removal_is_never_saved_unseen(kit: DeskKit) -> None:
    """Rows to remove come first, unticked; Save opens the plan; the address is used once."""
    window = Window(ITEM, add=["R6"], remove=["R4"])
    assert window.address == {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert [one["id"] for one in window.found()["chosen"]] == ["R6"]
    assert list(window.ticks.items())[:2] == [("R4", False), ("R1", True)]
    window.save()
    assert kit.fake.writes == []
    assert window.plan == {"remove": ["R4"], "add": ["R6"]}
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R4"} | {"R6"}
    window.click("reload")
    assert window.found()["chosen"] == []


def test_a_prefilled_removal_can_be_ticked_back(kit: DeskKit) -> None:
    """The link proposes, the person decides."""
    window = Window(ITEM, remove=["R4", "R5"])
    window.tick("R4")
    window.save()
    assert window.plan == {"remove": ["R5"]}
    window.confirm()
    assert written(kit) == {("removeVisibility", "R5")}


def test_a_link_that_asks_for_what_is_so_already_says_so(kit: DeskKit) -> None:
    """Nothing is filled in for them."""
    window = Window(ITEM, add=["R1", ".."], remove=["R8"])
    assert window.found()["chosen"] == []
    assert window.says("Parts of the link are left out")
    window.save()
    assert kit.fake.writes == []


def test_a_list_of_checkboxes_saves_as_the_table_does(kit: DeskKit) -> None:
    """For keyboards, screen readers and telephones."""
    window = Window(ITEM)
    window.switch("item_form.list_view", value=True)
    assert window.boxes == dict.fromkeys(sorted(FIVE), True)
    window.set_box("R2", is_ticked=False)
    window.save()
    assert window.alerts == ["Removed R2 · verified TIME"]
    assert written(kit) == {("removeVisibility", "R2")}


def test_switching_the_view_drops_ticks_and_keeps_chips(kit: DeskKit) -> None:
    """As its help says."""
    window = Window(ITEM)
    window.add("R6")
    window.untick("R1")
    window.switch("item_form.list_view", value=True)
    assert all(window.boxes.values())
    window.save()
    assert written(kit) == {("addVisibility", "R6")}


def test_another_view_is_another_form_also_when_its_callback_was_lost(kit: DeskKit) -> None:
    """Streamlit 1.67 can lose a callback when two presses come together; then old ticks came back."""
    window = Window(ITEM)
    keys = [window.key_of("reason")]
    for is_list in (True, False):
        window.app.session_state["item_form.list_view"] = is_list  # this calls no callback
        window.leave()
        keys.append(window.key_of("reason"))
    assert len(set(keys)) == len(keys)
    assert kit.fake.writes == []


def test_a_press_of_a_form_that_was_replaced_saves_nothing(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its Save was still on the screen when the list had been read again, and its ticks were dropped."""
    window = Window(ITEM, remove="R1")
    replaced = window.app.session_state["item_form.form"]
    monkeypatch.setattr(saving, "save_form", lambda desk, _form: save_form(desk, replaced))
    window.click("reload")
    window.save()
    assert window.alerts == [
        "Nothing was saved: the form was drawn again while you pressed Save. Save again."
    ]
    assert kit.fake.writes == []


def test_a_very_long_list_of_checkboxes_is_filtered_first(open_desk: OpenDesk) -> None:
    """Above 500 recipients only those found are drawn."""
    kit = open_desk({ITEM: {f"R{number:03}" for number in range(501)}})
    window = Window(ITEM)
    window.switch("item_form.list_view", value=True)
    assert window.boxes == {}
    window.enter("item_form.filter", "R49")
    assert len(window.boxes) == 10
    window.set_box("R490", is_ticked=False)
    window.save()
    assert written(kit) == {("removeVisibility", "R490")}


def test_a_read_only_environment_offers_no_change(open_desk: OpenDesk) -> None:
    """No Save, no additions, no Remove all."""
    kit = open_desk({ITEM: FIVE}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    window = Window(ITEM)
    window.open_more()
    assert not any(key.startswith(("save-", "reason-", "remove_all", "set_exactly")) for key in window.keys)
    assert window.editor.proto.disabled
    assert kit.fake.writes == []


def test_an_environment_that_became_read_only_refuses_a_save(kit: DeskKit) -> None:
    """A press that the screen still offered meets the core."""
    window = Window(ITEM)
    window.untick("R1")
    kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    window.save()
    assert kit.fake.writes == []
    assert window.alerts[0] == "Nothing was changed."
    assert window.says("test is read-only here: nothing was changed.")


def test_two_windows_are_told_of_their_own_saves(kit: DeskKit, gate: Event) -> None:
    """Each save is made, and neither is taken for the other."""
    ours, theirs = Window(ITEM), Window(ITEM)
    ours.untick("R1")
    theirs.untick("R2")
    ours.save()
    theirs.save()
    release(kit, gate)
    ours.leave()
    theirs.leave()
    assert ours.alerts[0] == "Removed R1 · verified TIME"
    assert theirs.alerts[0] == "Removed R2 · verified TIME"
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1", "R2"}


def test_a_read_that_fails_says_that_nothing_was_changed(kit: DeskKit) -> None:
    """And the page reads again on the next press."""
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 403)))
    window = Window(ITEM)
    assert window.alerts == ["The recipients could not be read. Nothing was changed."]
    window.click("try_again")
    assert set(window.ticks) == FIVE


@pytest.mark.usefixtures("kit")
def test_a_supplier_without_an_item_lists_its_known_items() -> None:
    """Name, market, number of recipients, and when it was read last."""
    Window(ITEM)
    window = Window(supplier=ITEM.supplier)
    rows = window.rows("The known items of this supplier")
    assert [(row[2], row[3]) for row in rows] == [(ITEM.supplier_item_id, 5)]


def test_the_services_words_about_a_read_can_be_opened(kit: DeskKit) -> None:
    """The problem detail is in an expander below."""
    kit.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
    window = Window(ITEM)
    assert window.says("The service did not answer.")
    assert window.says("A title")
    assert window.says("Request id f00d")


def test_a_key_that_saved_other_content_is_refused(kit: DeskKit) -> None:
    """A message of the browser that comes again with other ticks is not taken for the first save."""
    window = Window(ITEM)
    form = window.app.session_state["item_form.form"]
    kit.save(a_request(ITEM, key=form.save_key, base=FIVE, remove={"R1"}))
    window.untick("R2")
    window.save()
    assert written(kit) == {("removeVisibility", "R1")}
    assert window.alerts == ["Nothing was changed."]
    assert window.says("This form was already saved with different content. Nothing was sent.")


def test_an_interrupted_save_is_reported_when_the_item_is_opened(kit: DeskKit) -> None:
    """What was made is named and can be undone; what was not made is not filled in again."""
    request = a_request(ITEM, base=FIVE, add={"R6", "R7"})
    kit.records.history.begin(
        request,
        plan_changes(ITEM, current=FIVE, add=request.add, remove=frozenset()),
        started_at=kit.fake.time.now(),
    )
    kit.fake.put(ITEM, FIVE | {"R6"})
    window = Window(ITEM)
    assert any("R6" in alert for alert in window.alerts)
    assert window.found()["chosen"] == []
    window.click("undo")
    assert window.plan == {"remove": ["R6"]}
