"""Staging: ticks, the box of additions, the search, and what survives."""

import pytest

from components.finder.combobox import Act, acts_key
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.fake_visibilities import Fault, not_sent
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

MANY = frozenset(f"R{number:02}" for number in range(1, 16))
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}
ADDITIONS = "The recipients that you entered, and what happened to each"
LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """Four recipients on one item, one on another."""
    return open_desk({ITEM: {"R1", "R2", "R3", "R4"}, OTHER_ITEM: {"R9"}})


def test_a_tick_is_staged_and_nothing_is_sent(kit: DeskKit) -> None:
    """The table, the list of changes and Save agree."""
    window = Window(ITEM)
    window.untick("R2")
    assert window.ticks["R2"] is False
    assert window.staged == ["Remove `R2`"]
    assert window.label_of("save") == "Save: remove 1"
    window.tick("R2")
    assert window.ticks["R2"] is True
    assert window.staged == []
    assert kit.fake.writes == []


def test_who_can_see_it_already_is_marked_on_the_list(kit: DeskKit) -> None:
    """And what is staged; the person need not look it up in the table."""
    put_names(kit.records.directory, recipients=[(one, f"Shop {one}") for one in ("R1", "R2", "N1", "N2")])
    window = Window(ITEM)
    window.untick("R2")
    window.find("picked", "N1")
    window.type_half("shop")
    window.leave()
    assert {one["number"]: one["mark"] for one in window.found()["options"]} == {
        "R1": "can see it already",
        "R2": "staged to remove",
        "N1": "staged to add",
        "N2": "",
    }


@pytest.mark.usefixtures("kit")
def test_a_page_switch_keeps_what_is_staged() -> None:
    """Ticks, additions and the list of changes are as they were."""
    window = Window(ITEM)
    window.untick("R2")
    window.add("N1")
    window.untick("R3")
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert window.ticks == {"R1": True, "R2": False, "R3": False, "R4": True}
    assert window.staged == ["Add `N1`", "Remove `R2`", "Remove `R3`"]


@pytest.mark.usefixtures("kit")
def test_a_look_at_another_item_keeps_what_is_staged() -> None:
    """Each item has a draft of its own, and the table shows it when it comes back."""
    window = Window(ITEM)
    window.untick("R2")
    window.go_back_to(**OTHER_LINK)
    assert window.staged == []
    window.go_back_to(**LINK)
    assert window.ticks == {"R1": True, "R2": False, "R3": True, "R4": True}
    window.tick("R2")
    assert window.staged == []


def test_a_search_keeps_what_is_staged(open_desk: OpenDesk) -> None:
    """Rows out of sight stay staged, and come back as they were."""
    open_desk({ITEM: MANY})
    window = Window(ITEM)
    window.untick("R02")
    window.enter("find_recipient", "R1")
    assert set(window.ticks) == {"R10", "R11", "R12", "R13", "R14", "R15"}
    window.untick("R11")
    window.enter("find_recipient", "")
    assert [row for row, is_ticked in window.ticks.items() if not is_ticked] == ["R02", "R11"]
    assert window.staged == ["Remove `R02`", "Remove `R11`"]


def test_a_search_leaves_alone_what_was_staged_out_of_its_sight(open_desk: OpenDesk) -> None:
    """Only rows in sight are compared with their ticks."""
    open_desk({ITEM: MANY})
    window = Window(ITEM)
    window.untick("R02")
    window.untick("R11")
    window.enter("find_recipient", "R1")
    assert window.ticks["R11"] is False
    window.tick("R11")
    assert window.staged == ["Remove `R02`"]


def test_a_search_finds_names_in_any_case(open_desk: OpenDesk) -> None:
    """Ids as they are typed, names without regard to case; and it says when nothing fits."""
    kit = open_desk({ITEM: MANY})
    name_all(kit)
    window = Window(ITEM)
    window.enter("find_recipient", "KAUFHAUS 7")
    assert list(window.ticks) == ["R07"]
    window.enter("find_recipient", "nobody")
    assert window.editors == 0
    assert window.says("No recipient of this item matches your search.")


FORGED = [
    {"edited_rows": {0: {"recipient": "X", "name": "X"}}},
    {"edited_rows": {99: {"visible": False}}},
    {"edited_rows": {-1: {"visible": False}}},
    {"edited_rows": {0: {"visible": None}, 1: {"visible": "false"}, 2: {"visible": 0}}},
    {"added_rows": [{"recipient": "X", "visible": True}]},
    {"deleted_rows": [0, 1]},
    {"edited_rows": {0: ["visible", False]}},
    {"edited_rows": [{"visible": False}]},
    {"edited_rows": {"0": {"visible": False}}},
    [],
]


def test_forged_messages_of_the_table_change_nothing(kit: DeskKit) -> None:
    """Only ticks of rows that are on the screen are read."""
    staged = [staged_by(message) for message in FORGED]
    assert staged == [[]] * len(FORGED)
    assert Window(ITEM).staged == []
    assert kit.fake.recipients_of(ITEM) == {"R1", "R2", "R3", "R4"}


def staged_by(message: object) -> list[str]:
    """Forge a message in a window of its own, and return what is staged then."""
    window = Window(ITEM)
    window.forge(message)
    return window.staged


@pytest.mark.usefixtures("kit")
def test_additions_say_what_became_of_each() -> None:
    """New, already there, repeated, not taken, to check; what is staged stands in the field as chips."""
    window = Window(ITEM)
    window.add("N1\tN2, R1; N1, .., .; 4000001000006")
    assert window.says("3 new, staged to add · 1 already there · 1 repeated · 2 not taken · 1 to check")
    remarks = {row[0]: row[1] for row in window.rows(ADDITIONS)}
    assert remarks["R1"] == "already there"
    assert remarks["N1"] == "repeated: taken once"
    assert remarks[".."].startswith("not taken: The recipient")
    assert remarks["4000001000006"] == "please check: check digit does not fit: 4000001000005 would"
    assert [chip["id"] for chip in window.found()["chosen"]] == ["N1", "N2", "4000001000006"]
    assert window.staged == ["Add `4000001000006`", "Add `N1`", "Add `N2`"]


@pytest.mark.usefixtures("kit")
def test_a_tick_that_is_set_back_stages_nothing() -> None:
    """Streamlit 1.67 forgets it then; a tick of a row that was mounted without one is not forgotten."""
    window = Window(ITEM)
    window.untick("R2")
    window.forge({"edited_rows": {}})
    assert window.staged == []
    window.untick("R3")
    window.untick("R4")
    window.take_back("R4")
    window.tick("R3")
    assert window.staged == []
    window.forge({"edited_rows": {}})
    assert window.staged == ["Remove `R3`"]


def test_an_edit_sends_the_same_table_again(kit: DeskKit) -> None:
    """The same bytes under the same key: Streamlit does not send them twice, however many rows there are."""
    put_names(kit.records.directory, recipients=[("R1", "Kaufhaus")])
    window = Window(ITEM)
    before = window.editor.proto.SerializeToString()
    window.untick("R2")
    window.add("N1")
    window.tick("R2")
    window.untick("R1")
    assert window.staged == ["Add `N1`", "Remove Kaufhaus `R1`"]
    assert window.editor.proto.SerializeToString() == before


def test_a_name_that_changed_shows_when_the_table_comes_back(kit: DeskKit) -> None:
    """While none did, it is not made anew."""
    window = Window(ITEM)
    before = window.editor.proto.SerializeToString()
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert window.editor.proto.SerializeToString() == before
    put_names(kit.records.directory, recipients=[("R4", "Kaufhaus")])
    window.go_to(CHECK_PAGE)
    window.go_to(ITEM_PAGE)
    assert list(window.ticks) == ["R4", "R1", "R2", "R3"]


@pytest.mark.usefixtures("kit")
def test_each_staged_change_has_a_way_back() -> None:
    """One click, named after its recipient; the table shows the tick as it was, and the rest stays staged."""
    window = Window(ITEM)
    window.add("N1")
    window.untick("R2")
    window.untick("R3")
    window.take_back("R2")
    assert window.staged == ["Add `N1`", "Remove `R3`"]
    assert window.ticks == {"R1": True, "R2": True, "R3": False, "R4": True}
    window.take_back("N1")
    assert window.staged == ["Remove `R3`"]
    window.untick("R2")
    assert window.staged == ["Remove `R2`", "Remove `R3`"]


@pytest.mark.usefixtures("kit")
def test_a_recipient_that_is_staged_to_go_can_be_added_again() -> None:
    """It is then as it was."""
    window = Window(ITEM)
    window.untick("R1")
    window.add("R1")
    assert window.staged == []
    assert window.ticks["R1"] is True


@pytest.mark.usefixtures("kit")
def test_leaving_the_field_stages_nothing() -> None:
    """The text may be half a number or a name; it stays there."""
    window = Window(ITEM)
    window.type_half("43000")
    window.leave()
    assert window.staged == []
    assert window.found()["query"] == "43000"


@pytest.mark.parametrize("text", ["43000", "7up", "Filiale3", "SHOP", "please add R1", "R1.R2"])
@pytest.mark.usefixtures("kit")
def test_what_has_not_the_form_of_a_number_is_staged_only_when_the_person_says_so(text: str) -> None:
    """The list has R1 and its like: an amber chip asks about all else, and stages nothing until then."""
    window = Window(ITEM)
    window.add(text)
    window.click_again_at_once("save")
    assert window.staged == []
    assert [one["text"] for one in window.found()["asked"]] == [text]
    window.find("used", text)
    assert len(window.staged) == 1
    assert window.found()["asked"] == []


def test_a_name_stands_for_the_one_recipient_that_has_it(kit: DeskKit) -> None:
    """Typed or pasted in full; it is shown with its number, and sent by Save alone."""
    put_names(kit.records.directory, recipients=[("430", "Sonnenhof Supermarkets")])
    window = Window(ITEM)
    window.add("sonnenhof supermarkets")
    assert window.staged == ["Add Sonnenhof Supermarkets `430`"]
    assert kit.fake.writes == []


def test_words_are_staged_only_when_the_person_says_so(kit: DeskKit) -> None:
    """The recipients that a text may mean are offered, the text itself is a choice, and it can be dropped."""
    names = {"430": "Sonnenhof", "431": "Sonnenhof", "432": "Online Shop"}
    put_names(kit.records.directory, recipients=names.items())
    window = Window(ITEM)
    window.add("Sonnenhof, SHOP, other")
    asked = {one["text"]: [like["id"] for like in one["alike"]] for one in window.found()["asked"]}
    assert asked == {"Sonnenhof": ["430", "431"], "SHOP": ["432"], "other": []}
    window.find("named", "Sonnenhof", "431")
    window.find("dropped", "other")
    window.find("used", "SHOP")
    window.find("used", "other")
    assert window.staged == ["Add Sonnenhof `431`", "Add `SHOP`"]
    assert kit.fake.writes == []


@pytest.mark.usefixtures("kit")
def test_a_press_of_save_shows_what_is_to_be_decided_first() -> None:
    """Entered with the same gesture, nobody has seen the question yet."""
    window = Window(ITEM)
    window.app.session_state[acts_key("add_recipients")] = [Act("entered", "N1, SHOP")]
    window.click_again_at_once("save")
    window.click("save")
    assert window.alerts[0] == "Added N1 · verified TIME"
    assert [one["text"] for one in window.found()["asked"]] == ["SHOP"]


@pytest.mark.usefixtures("kit")
def test_many_texts_are_answered_at_once() -> None:
    """A column of numbers of another form is one answer."""
    window = Window(ITEM)
    window.add("\n".join(f"4711-{number}" for number in range(30)))
    found = window.found()
    assert (len(found["asked"]), found["askedInAll"], window.staged) == (10, 30, [])
    window.find("used all")
    assert window.says("30 new, staged to add")
    assert (len(window.found()["chosen"]), window.found()["more"]) == (20, 10)


@pytest.mark.usefixtures("kit")
def test_a_chip_is_a_staged_addition_and_goes_with_it() -> None:
    """Removed it is staged no more; a chip that is not there any more changes nothing."""
    window = Window(ITEM)
    window.add("N1, N2")
    window.find("removed", "N1")
    window.find("removed", "N1")
    window.find("removed", "R1")
    assert window.staged == ["Add `N2`"]
    window.click("discard")
    assert window.found()["chosen"] == []


def test_a_recipient_is_found_by_its_name(kit: DeskKit) -> None:
    """Words in any order, with a typing error; picked it is staged."""
    put_names(kit.records.directory, recipients=[("430", "Sonnenhof Supermarkets")])
    window = Window(ITEM)
    window.type_half("supermarkts sonn")
    window.leave()
    assert [(one["name"], one["number"]) for one in window.found()["options"]] == [
        ("Sonnenhof Supermarkets", "430")
    ]
    window.find("picked", "430")
    assert window.staged == ["Add Sonnenhof Supermarkets `430`"]


@pytest.mark.usefixtures("kit")
def test_what_no_field_would_tell_changes_nothing() -> None:
    """An act that is not known, and an answer about a text that nobody asked about."""
    window = Window(ITEM)
    window.find("anything", "N1")
    window.find("used", "SHOP")
    window.find("named", "SHOP", "N1")
    window.find("used all")
    assert window.staged == []


@pytest.mark.usefixtures("kit")
def test_an_empty_box_adds_nothing() -> None:
    """Spaces are no recipients."""
    window = Window(ITEM)
    window.add(" \n ")
    assert window.staged == []
    assert ADDITIONS not in window.tables


@pytest.mark.usefixtures("kit")
def test_separators_alone_are_nothing_to_add() -> None:
    """And it says so."""
    window = Window(ITEM)
    window.add(",;,")
    assert window.says("Nothing to add.")


@pytest.mark.usefixtures("kit")
def test_the_report_of_additions_belongs_to_its_item() -> None:
    """On another item it would mislead."""
    window = Window(ITEM)
    window.add("R1")
    assert window.says("1 already there")
    window.go_back_to(**OTHER_LINK)
    assert not window.says("1 already there")


@pytest.mark.usefixtures("kit")
def test_an_item_that_nobody_can_see_says_what_to_do() -> None:
    """An empty state says what to do next; a single recipient is counted in words that fit."""
    window = Window(supplier=ITEM.supplier, item="new")
    assert window.says("Nobody yet: enter the first names or numbers under Add recipients.")
    window.go_back_to(**OTHER_LINK)
    assert window.says("**1 recipient can see this item** · read TIME")


def test_of_many_changes_the_first_are_listed_and_the_others_counted(open_desk: OpenDesk) -> None:
    """Of both kinds; Discard takes all of them back."""
    kit = open_desk({ITEM: MANY})
    name_all(kit)
    window = Window(ITEM)
    window.add("\n".join(f"N{number:05}" for number in range(4_330)))
    window.untick("R07")
    assert len(window.staged) == 10
    assert window.staged[-2:] == ["Add `N00008`", "Remove Kaufhaus 7 `R07`"]
    assert window.says("and 4,321 more. Discard takes back all of them.")
    window.click("discard")
    assert window.staged == []


def test_load_again_says_what_somebody_else_changed(kit: DeskKit) -> None:
    """By name; what is staged is kept, and what is already in place is staged no more."""
    put_names(kit.records.directory, recipients=[("X1", "Kaufhaus")])
    window = Window(ITEM)
    window.untick("R1")
    window.untick("R2")
    kit.fake.put(ITEM, {"R1", "R3", "R4", "X1"})
    window.click("load_again")
    assert window.alerts == ["The list has changed since it was read here. What you staged is kept."]
    assert window.texts == ["added: Kaufhaus X1", "removed: R2"]
    assert window.staged == ["Remove `R1`"]
    window.click("load_again")
    assert window.alerts == ["The list is as it was."]
    window.leave()
    assert window.alerts == []


def test_load_again_names_the_first_of_many_changes(kit: DeskKit) -> None:
    """And counts the others."""
    window = Window(ITEM)
    kit.fake.put(ITEM, {f"X{number:04}" for number in range(1_500)})
    window.click("load_again")
    assert (len(window.texts), window.texts[0], window.texts[-1]) == (11, "added: X0000", "and 1,494 more")
    assert window.says("**1,500 recipients can see this item**")


def test_load_again_that_fails_keeps_the_list_and_what_is_staged(kit: DeskKit) -> None:
    """The list as read before stays in sight, and the words say that it is old."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window.click("load_again")
    assert window.alerts == ["The list could not be loaded again. What you see is the list as read before."]
    assert window.texts == ["The service cannot be reached.", "Try again later."]
    assert window.staged == ["Remove `R1`"]


def test_a_list_that_cannot_be_read_can_be_tried_again(kit: DeskKit) -> None:
    """It says what happened, that nothing was changed, and what to do next."""
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window = Window(ITEM)
    assert window.alerts == ["The recipients could not be read. Nothing was changed."]
    assert window.texts == ["The service cannot be reached.", "Try again later."]
    assert window.editors == 0
    window.click("try_again")
    assert window.ticks == dict.fromkeys(("R1", "R2", "R3", "R4"), True)


@pytest.mark.usefixtures("kit")
def test_an_item_that_cannot_be_addressed_is_refused_in_words() -> None:
    """Nothing is sent for `..`."""
    window = Window(supplier="..", item="x")
    assert window.alerts == ["The recipients could not be read. Nothing was changed."]
    assert window.says("The supplier “..” cannot be addressed: the web gives it a meaning of its own.")


def name_all(kit: DeskKit) -> None:
    """Give every recipient of the long list a name."""
    put_names(
        kit.records.directory, recipients=[(f"R{number:02}", f"Kaufhaus {number}") for number in range(1, 16)]
    )
