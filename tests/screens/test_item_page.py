"""The item page: choosing an item, the form, Save, and the result."""

import pytest

from components.item import open_and_save
from components.item.open_and_save import save_form
from item_visibility.client.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, put_names
from tests.support.fake_visibilities import FakeCall, Fault, not_sent, refused
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window
from tests.support.waiting import HeldCalls

FIVE = frozenset({"R1", "R2", "R3", "R4", "R5"})
STEPS = "How the change ended for each recipient"
LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    return open_desk({ITEM: FIVE, OTHER_ITEM: {"R9"}})


@pytest.fixture
def held(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> HeldCalls:
    kit.fake.before_call = held = HeldCalls(
        lambda call: call.operation != "getVisibilities"
    )
    monkeypatch.setattr("components.item.open_and_save.WAIT_FOR_SAVE_S", 0.0)
    return held


def release(kit: DeskKit, held: HeldCalls) -> None:
    held.let_go()
    kit.worker.close()


def written(kit: DeskKit) -> set[tuple[str, str | None]]:
    return {(call.operation, call.recipient_id) for call in kit.fake.writes}


def test_a_tick_that_arrives_after_save_is_not_saved(
    kit: DeskKit, held: HeldCalls
) -> None:
    window = Window(ITEM)
    old_table = window.editor.key
    window.untick("R1")
    window.save()
    window.app.session_state[old_table] = {
        "edited_rows": {0: {"visible": False}, 1: {"visible": False}}
    }
    release(kit, held)
    window.leave()
    window.save()
    assert written(kit) == {("removeVisibility", "R1")}


@pytest.mark.parametrize(
    "message",
    [
        {
            "edited_rows": {
                99: {"visible": False},
                -1: {"visible": False},
                "0": {"visible": False},
            }
        },
        {
            "edited_rows": {
                0: {"visible": "no"},
                1: {"recipient": "R9"},
                2: "nothing",
                3: {"visible": True},
            }
        },
        {"added_rows": [{"recipient": "R9", "visible": True}], "deleted_rows": [0, 1]},
        "no edits at all",
    ],
    ids=["other rows", "other cells", "rows added and deleted", "no mapping"],
)
def test_a_forged_table_message_changes_nothing(kit: DeskKit, message: object) -> None:
    window = Window(ITEM)
    window.forge_along(message)
    window.save()
    assert kit.fake.writes == []


def test_a_service_that_is_down_keeps_the_form_as_it_was(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults.append(Fault("getVisibilities", not_sent()))
    window.save()
    assert window.alerts == ["Nothing was changed · TIME"]
    assert window.says("The service cannot be reached.")
    assert window.says("Try again later.")
    window.save()
    assert window.alerts == ["Removed R1 · verified TIME"]


def test_a_refusal_shows_the_service_s_message_and_keeps_the_missing_changes(
    kit: DeskKit,
) -> None:
    kit.fake.faults.append(Fault("addVisibility", refused(400)))
    kit.fake.faults.append(Fault("removeVisibility", refused(400), recipient_id="R2"))
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
    assert [chip["id"] for chip in window.found()["chosen"]] == ["R6"]
    assert [row for row, is_ticked in window.ticks.items() if not is_ticked] == ["R2"]


def test_another_view_is_a_new_form_even_if_its_callback_was_lost(kit: DeskKit) -> None:
    window = Window(ITEM)
    keys = [window.key_of("reason")]
    for is_list in (True, False):
        window.app.session_state["form.list_view"] = (
            is_list  # unlike a person, this calls no callback
        )
        window.leave()
        keys.append(window.key_of("reason"))
    assert len(set(keys)) == len(keys)
    assert kit.fake.writes == []


def test_save_of_a_replaced_form_does_nothing(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window(ITEM, remove="R1")
    replaced = window.app.session_state["form.form"]
    monkeypatch.setattr(
        open_and_save, "save_form", lambda desk, _form: save_form(desk, replaced)
    )
    window.click("reload")
    window.save()
    alert = (
        "Nothing was saved: the list was loaded again meanwhile. Check your changes, "
        "then save again."
    )
    assert window.alerts == [alert]
    assert kit.fake.writes == []


def test_a_very_long_list_of_checkboxes_is_filtered_first(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {f"R{number:03}" for number in range(501)}})
    window = Window(ITEM)
    window.switch("form.list_view", value=True)
    assert window.boxes == {}
    window.enter("form.filter", "R49")
    assert len(window.boxes) == 10
    next(box for box in window.app.checkbox if box.label == "R490").set_value(v=False)
    window.save()
    assert written(kit) == {("removeVisibility", "R490")}


@pytest.mark.usefixtures("kit")
def test_a_supplier_without_an_item_lists_its_known_items() -> None:
    Window(ITEM)
    window = Window(supplier=ITEM.supplier)
    rows = window.rows("The known items of this supplier")
    assert [(row[2], row[3]) for row in rows] == [(ITEM.supplier_item_id, 5)]


def test_a_save_continues_while_another_page_is_open(
    kit: DeskKit, held: HeldCalls
) -> None:
    window = Window(ITEM)
    window.untick("R1")
    window.save()
    assert window.says("Saving, then checking the new list …")
    assert [
        window.is_off(window.key_of("save")),
        window.is_off("reload"),
        window.found()["isOff"],
    ] == [True] * 3
    window.go_to(CHECK_PAGE)
    release(kit, held)
    window.go_to(ITEM_PAGE)
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert not window.is_off(window.key_of("save"))
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1"}


def test_chips_and_a_plan_stay_with_their_item(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.add("R6")
    for recipient in ("R1", "R2", "R3"):
        window.untick(recipient)
    window.save()
    assert window.plan == {"remove": ["R1", "R2", "R3"], "add": ["R6"]}
    for item in (OTHER_ITEM, ITEM):
        window.go_back_to(supplier=item.supplier, item=item.supplier_item_id)
        assert window.plan == {}
        assert window.found()["chosen"] == []
        window.save()
    assert kit.fake.writes == []


def test_more_than_half_is_confirmed_by_its_number(kit: DeskKit) -> None:
    window = Window(ITEM)
    for recipient in ("R1", "R2", "R3"):
        window.untick(recipient)
    window.save()
    window.confirm("2")
    assert "Type 3 to confirm." in window.alerts
    window.click("plan_cancel")
    assert window.plan == {}
    assert kit.fake.writes == []
    window.save()
    assert window.plan == {"remove": ["R1", "R2", "R3"]}
    window.confirm("3")
    assert window.alerts == ["Removed R1, R2 and R3 · verified TIME"]


def test_a_change_that_was_not_read_back_is_not_called_saved(kit: DeskKit) -> None:
    def fail_reads_after_a_write(call: FakeCall) -> None:
        if call.operation == "getVisibilities" and kit.fake.writes:
            raise not_sent()

    window = Window(ITEM)
    window.untick("R1")
    kit.fake.before_call = fail_reads_after_a_write
    window.save()
    assert window.says("Not confirmed")
    assert not window.says("verified")


def test_an_item_is_not_called_unknown_after_a_save_that_was_not_read_back(
    kit: DeskKit,
) -> None:
    kit.fake.lag_s = 1_000
    window = Window(ItemKey("4000001000005", "new"))
    assert window.says("Nothing is recorded for this item")
    window.add("4000001000005")
    window.save()
    assert window.says("Not confirmed: sent, but the service still shows the old list")
    assert not window.says("Nothing is recorded for this item")


def test_an_undo_shows_its_plan_and_keeps_the_chips(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.untick("R1")
    window.save()
    window.add("R6")
    window.click("undo")
    assert window.plan == {"add": ["R1"]}
    window.confirm()
    assert [chip["id"] for chip in window.found()["chosen"]] == ["R6"]
    assert kit.fake.recipients_of(ITEM) == FIVE


@pytest.mark.parametrize(
    ("press", "operation", "left"),
    [
        ("remove_all", "removeVisibilities", set()),
        ("set_exactly", "setVisibilities", {"R1", "R6"}),
    ],
)
def test_a_whole_list_is_planned_again_when_it_has_changed(
    kit: DeskKit, press: str, operation: str, left: set[str]
) -> None:
    window = Window(ITEM)
    window.add("R1\nR6")
    window.open_more()
    window.click(press)
    planned = window.plan["remove"]
    assert set(planned) == FIVE - left
    kit.fake.put(ITEM, FIVE | {"R7"})
    window.confirm(str(len(planned)))
    assert kit.fake.writes == []
    assert window.plan["remove"] == [*planned, "R7"]
    window.confirm(str(len(planned) + 1))
    assert [call.operation for call in kit.fake.writes] == [operation]
    assert kit.fake.recipients_of(ITEM) == left


def test_nothing_is_set_exactly_before_recipients_are_entered(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.open_more()
    window.click("set_exactly")
    assert window.alerts == [
        'First enter all recipients, or a recipient set, under "Add recipients".'
    ]
    assert kit.fake.writes == []


@pytest.mark.usefixtures("kit")
def test_a_link_to_the_open_item_starts_a_new_form() -> None:
    window = Window(ITEM)
    window.add("R6")
    window.untick("R1")
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE, **LINK, add="R7", remove="R2")
    assert [chip["id"] for chip in window.found()["chosen"]] == ["R7"]
    assert window.ticks == dict.fromkeys(FIVE, True) | {"R2": False}


def test_a_link_fills_in_the_form_and_its_removal_needs_a_confirmation(
    kit: DeskKit,
) -> None:
    window = Window(ITEM, add=["R6", "R1", ".."], remove=["R3", "R2", "R8"])
    assert window.address == LINK
    assert window.says("Some changes in the link were ignored")
    assert [chip["id"] for chip in window.found()["chosen"]] == ["R6"]
    assert list(window.ticks.items())[:3] == [
        ("R2", False),
        ("R3", False),
        ("R1", True),
    ]
    window.tick("R3")
    window.save()
    assert kit.fake.writes == []
    assert window.plan == {"remove": ["R2"], "add": ["R6"]}
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == {*FIVE, "R6"} - {"R2"}
    window.click("reload")
    assert window.found()["chosen"] == []


def test_a_read_that_failed_does_not_use_up_the_link(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent()))
    window = Window(ITEM, add="R6")
    window.click("try_again")
    assert [chip["id"] for chip in window.found()["chosen"]] == ["R6"]


@pytest.mark.parametrize(
    "is_read", [True, False], ids=["link without an item", "item not read"]
)
def test_a_link_never_fills_in_the_form_of_another_item(
    kit: DeskKit, *, is_read: bool
) -> None:
    kit.fake.faults.extend([Fault("getVisibilities", not_sent())][int(is_read) :])
    window = Window(add="R6", remove="R9", **({} if is_read else LINK))
    window.find("entered", OTHER_ITEM.supplier, key="supplier")
    window.find("entered", OTHER_ITEM.supplier_item_id, key="item")
    assert window.address == OTHER_LINK
    assert window.found()["chosen"] == []
    assert window.ticks == {"R9": True}
    window.go_back_to(**LINK)
    assert window.found()["chosen"] == []


@pytest.mark.usefixtures("kit")
def test_copy_link_carries_the_item_and_the_chips() -> None:
    window = Window(ITEM)
    window.add("R6\nR7")
    window.open_more()
    window.click("copy_link")
    assert any(text.endswith("&add=R6&add=R7") for text in window.texts)


@pytest.fixture
def named(open_desk: OpenDesk) -> DeskKit:
    named = open_desk({ITEM: {"R1", "R2"}, OTHER_ITEM: {"R3"}})
    put_names(
        named.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk"), (OTHER_ITEM, "040", "Butter")],
    )
    return named


def test_the_first_screen_offers_known_items(named: DeskKit) -> None:
    window = Window()
    assert window.alerts == [
        "Choose a supplier and an item to see the item's recipients."
    ]
    (offered,) = window.found("supplier")["options"]
    assert offered["name"] == "Nordmilch"
    assert offered["number"] == ITEM.supplier
    assert window.found("item")["isOff"]
    window.find("picked", ITEM.supplier, key="supplier")
    assert [option["note"] for option in window.found("item")["options"]] == [
        "Germany",
        "Austria",
    ]
    window.find("picked", ITEM.supplier_item_id, key="item")
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}
    assert [chip["name"] for chip in window.found("item")["chosen"]] == ["Whole milk"]
    assert named.fake.writes == []


def test_an_unknown_name_is_asked_about(named: DeskKit) -> None:
    window = Window(ITEM)
    read = len(named.fake.calls)
    window.find("entered", "butter bread", key="item")
    (asked,) = window.found("item")["questions"]
    assert asked["before"] == "No item called"
    assert asked["shown"] == "butter bread"
    assert asked["use"] == "Use 'butter bread' as an item number"
    assert [choice["name"] for choice in asked["alike"]] == ["Butter"]
    assert window.editors == 0
    assert window.address == {"supplier": ITEM.supplier}
    assert len(named.fake.calls) == read
    window.find("named", "butter bread", OTHER_ITEM.supplier_item_id, key="item")
    assert window.ticks == {"R3": True}
    assert window.found("item")["questions"] == []


@pytest.mark.usefixtures("named")
def test_a_text_can_be_used_as_the_number_itself() -> None:
    window = Window(ItemKey("4000001000006", "1"))
    assert window.says("check digit does not fit: 4000001000005 would")
    window.find("removed", "4000001000006", key="supplier")
    window.find("entered", "milch", key="supplier")
    window.find("dropped", "milch", key="supplier")
    assert window.found("supplier")["questions"] == []
    window.find("entered", "milch", key="supplier")
    window.find("named", "milch", "milch", key="supplier")
    window.find("entered", "any", key="item")
    window.find("named", "any", "any", key="item")
    assert window.says("Nothing is recorded for this item")
    assert window.address == {"supplier": "milch", "item": "any"}


@pytest.mark.usefixtures("named")
def test_back_and_forward_change_the_item() -> None:
    window = Window(ITEM)
    window.go_back_to(**OTHER_LINK, recipient="R9")
    assert window.ticks == {"R3": True}
    assert window.address == OTHER_LINK | {"recipient": "R9"}
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": True}
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert window.address == LINK
    assert window.ticks == {"R1": True, "R2": True}
    window.go_back_to()
    assert window.editors == 0


def test_recent_items_are_one_click_away(named: DeskKit) -> None:
    named.desk.remember_use(OTHER_ITEM)
    named.fake.time.sleep(1)
    window = Window(ITEM)
    window.find("removed", ITEM.supplier, key="supplier")
    assert [heading.value for heading in window.app.header] == ["Recent items"]
    assert window.app.button(key="recent_0").label.startswith("Whole milk")
    window.click("recent_1")
    assert window.address == OTHER_LINK
    assert window.ticks == {"R3": True}


@pytest.mark.usefixtures("named")
def test_a_late_message_with_an_older_address_does_not_change_the_item() -> None:
    window = Window(ITEM)
    window.find("entered", OTHER_ITEM.supplier_item_id, key="item")
    window.send_address(**LINK)
    window.type_half("m", key="item")
    window.leave()
    assert window.address == OTHER_LINK
    window.leave()
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": True}
