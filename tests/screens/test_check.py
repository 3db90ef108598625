"""S1: one pasted line, one answer with its time and its link."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1.element_tree import Element

from components.support.answer_card import MOST_ANSWERS
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobState
from tests.screens.conftest import OpenDesk
from tests.storage.entries import begin, save
from tests.storage.jobs import a_job
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, break_records
from tests.support.fake_visibilities import START, Fault, unknown_outcome
from tests.support.known_names import put_names
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

LINE = f"{ITEM.supplier}\t{ITEM.supplier_item_id}\tR1"
ASKED = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id, "recipient": "R1"}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """One item that one recipient can see, all three with names."""
    kit = open_desk({ITEM: {"R1"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk")],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "Kaufhaus 2")],
    )
    return kit


def open_check(**address: str) -> Window:
    """A window on the check page."""
    window = Window()
    window.go_to(CHECK_PAGE, **address)
    return window


def follow(window: Window, link: Element) -> None:
    """Press a link to the item page."""
    address = parse_qs(link.proto.query_string)
    window.go_to(ITEM_PAGE, **{name: value for name, (value,) in address.items()})


def chips(window: Window) -> list[str]:
    """The chips that show how the question was read."""
    return [one.label for one in window.app.button if str(one.key).startswith("chip_read_")]


def fields(window: Window) -> list[str]:
    """The open fields that find by name."""
    return [one.proto.id.rpartition("-")[2] for one in window.app.get("bidi_component")]


def correct(window: Window, role: str, what: str, text: str) -> None:
    """Do something in the field of a part, which its chip opens."""
    window.click(f"chip_read_{role}_0")
    window.find(what, text, key=f"read_{role}_0")


@pytest.mark.usefixtures("kit")
def test_an_empty_page_says_what_to_do() -> None:
    """Nothing is asked before a person asks."""
    window = open_check()
    assert window.says("rows copied from a table will do")
    assert window.alerts == []


@pytest.mark.usefixtures("kit")
def test_the_example_is_asked_with_one_click() -> None:
    """About an item and a recipient that are known here."""
    window = open_check()
    window.click("example_question")
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    assert "example_question" not in window.keys


@pytest.mark.usefixtures("kit")
def test_yes_comes_with_names_time_and_link() -> None:
    """Everything that goes into a ticket, and what this service cannot know."""
    window = open_check()
    window.enter("question", LINE)
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    assert chips(window) == [
        "Recipient **Kaufhaus 1** `R1`",
        f"Item **Whole milk · Germany** `{ITEM.supplier_item_id}`",
        f"Supplier **Nordmilch** `{ITEM.supplier}`",
    ]
    assert window.says("Asked at TIME")
    assert window.says("this service cannot know")
    assert window.texts[-1].endswith("?supplier=4000001000005&item=04012345678901%3A276&recipient=R1")
    assert window.address == ASKED


@pytest.mark.usefixtures("kit")
def test_the_answer_leads_to_the_item() -> None:
    """One click opens the item that was asked about."""
    window = open_check(**ASKED)
    link = window.app.page_link[0]
    assert link.label == "Open this item"
    assert link.proto.query_string == "supplier=4000001000005&item=04012345678901%3A276"
    also = window.app.page_link[1]
    assert also.proto.query_string == "recipient=R1&supplier=4000001000005"


@pytest.mark.usefixtures("kit")
def test_pressing_check_is_as_good_as_enter() -> None:
    """For those who use the mouse."""
    window = open_check()
    window.paste("question", LINE)
    window.click("check")
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]


@pytest.mark.usefixtures("kit")
def test_a_link_asks_by_itself() -> None:
    """It shows the answer of that moment; Back asks the question before."""
    window = open_check(**ASKED)
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    window.go_back_to(**ASKED | {"recipient": "R2"})
    assert window.alerts == ["No, Kaufhaus 2 cannot see Whole milk · Germany; others can."]


def test_nothing_recorded_is_a_no(kit: DeskKit) -> None:
    """Of a known item and recipient; 404 and an empty list read the same. Note N4."""
    kit.fake.put(ITEM, ())
    window = open_check(**ASKED)
    assert window.alerts == ["No, Kaufhaus 1 cannot see Whole milk · Germany: nothing is recorded for it."]


@pytest.mark.usefixtures("kit")
def test_what_may_be_misread_is_not_a_no() -> None:
    """The item without its market: what is known of the same number is shown."""
    window = open_check(supplier=ITEM.supplier, item="04012345678901", recipient="R1")
    assert window.alerts == ["Not known: the market is missing."]
    assert window.says("No entry for `04012345678901` without a market: **yes for Germany (`:276`)**.")
    assert window.app.page_link.len == 0
    window.click("candidate_0_0")
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    assert window.address == ASKED


@pytest.mark.usefixtures("kit")
def test_other_markets_are_answered_beside_the_one_that_is_not_known() -> None:
    """For a recipient that is known and for one that is not."""
    window = open_check(supplier=ITEM.supplier, item="04012345678901:040", recipient="R2")
    known = "The item is known for Germany, not for Austria: Whole milk · Germany (04012345678901:276)"
    assert window.says(f"**{known}; Kaufhaus 2 cannot see that either**")
    window.go_back_to(supplier=ITEM.supplier, item="04012345678901:040", recipient="R7")
    assert window.says(f"**{known}; this recipient cannot see that either**")


@pytest.mark.usefixtures("kit")
def test_each_of_the_pasted_rows_is_answered() -> None:
    """As the browser pastes them, with spaces for the ends of lines; the address names none of them."""
    window = open_check(**ASKED)
    window.enter("question", f"{LINE} {ITEM.supplier}\t04012345678901\tR2 {ITEM.supplier}\tX1\tR1")
    assert window.alerts == [
        "Yes, Kaufhaus 1 can see Whole milk · Germany.",
        "Not known: the market is missing.",
        "Not known: the item may be misread.",
    ]
    assert window.address == {}


@pytest.mark.usefixtures("kit")
def test_each_line_of_the_larger_field_is_answered() -> None:
    """A line may hold names alone: its end separates it from the next."""
    window = open_check()
    window.paste("question_lines", "Kaufhaus 1, whole milk, Germany\nKaufhaus 2, whole milk, Germany")
    window.click("check_lines")
    assert window.alerts == [
        "Yes, Kaufhaus 1 can see Whole milk · Germany.",
        "No, Kaufhaus 2 cannot see Whole milk · Germany; others can.",
    ]


@pytest.mark.usefixtures("kit")
def test_the_market_beside_the_number_is_read() -> None:
    """And what was not needed is said."""
    window = open_check()
    asked = f"Can R2 see GTIN 04012345678901 for Germany of {ITEM.supplier}? Order 450012345678"
    window.enter("question", asked)
    assert window.alerts == ["No, Kaufhaus 2 cannot see Whole milk · Germany; others can."]
    assert window.says("Not used for this answer: `450012345678`")


@pytest.mark.usefixtures("kit")
def test_more_rows_than_are_answered_are_counted() -> None:
    """None is skipped without a word."""
    window = open_check()
    window.enter("question", " ".join([f"{ITEM.supplier};{ITEM.supplier_item_id};R1"] * (MOST_ANSWERS + 2)))
    assert len(window.alerts) == MOST_ANSWERS + 1
    assert window.alerts[-1] == "Not answered: 2 more rows. Ask about them separately."


@pytest.mark.usefixtures("kit")
def test_a_question_that_is_not_complete_says_what_is_missing() -> None:
    """It is not guessed, and there is no item to open."""
    window = open_check(supplier=ITEM.supplier)
    assert window.alerts == ["Not known: the question is not complete."]
    assert window.says("The question does not say the item and the recipient, or not clearly.")
    assert window.app.page_link.len == 0


@pytest.mark.usefixtures("kit")
def test_an_item_without_a_supplier_is_shown_without_a_name() -> None:
    """A name belongs to both together."""
    window = open_check(item=ITEM.supplier_item_id)
    assert chips(window) == [
        "Recipient ?",
        f"Item `{ITEM.supplier_item_id}`",
        "Supplier ?",
    ]
    assert window.says("The question does not say the supplier and the recipient, or not clearly.")
    assert window.says("The service was not asked.")


def test_a_service_that_does_not_answer_is_not_a_no(kit: DeskKit) -> None:
    """Not known, why, what to do, and the service's own words."""
    kit.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
    window = open_check(**ASKED)
    assert window.alerts == ["Not known: the list could not be read."]
    assert window.texts[:4] == ["The service did not answer.", "Ask support.", "HTTP status 500", "A title"]


@pytest.mark.usefixtures("kit")
def test_an_id_that_cannot_be_asked_for_is_not_a_no() -> None:
    """It was refused before anything was sent, so there are no words of the service."""
    window = open_check(supplier="..", item="x", recipient="y")
    assert window.alerts == ["Not known: the list could not be read."]
    assert not window.says("HTTP status")
    assert window.says("The service was not asked.")
    assert not window.says("sked at ")


@pytest.mark.usefixtures("kit")
def test_spaces_ask_nothing() -> None:
    """The answer before stays."""
    window = open_check(**ASKED)
    window.enter("question", "  ")
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]


@pytest.mark.usefixtures("kit")
def test_a_new_question_replaces_the_address() -> None:
    """Parts that it does not hold are not left over from the one before."""
    window = open_check(**ASKED)
    window.enter("question", "supplier: 4000001000005")
    assert window.address == {"supplier": "4000001000005"}


def test_the_answer_is_asked_anew_when_the_page_is_opened_again(kit: DeskKit) -> None:
    """An answer is as old as its time says."""
    window = open_check(**ASKED)
    window.go_to(ITEM_PAGE)
    kit.fake.put(ItemKey(ITEM.supplier, ITEM.supplier_item_id), {"R9"})
    window.go_to(CHECK_PAGE)
    assert window.alerts == ["No, Kaufhaus 1 cannot see Whole milk · Germany; others can."]


@pytest.mark.usefixtures("kit")
def test_a_question_by_name_is_answered() -> None:
    """As a person would ask a colleague."""
    window = open_check()
    window.enter("question", "Can Kaufhaus 1 see the whole milk in Germany?")
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    assert chips(window)[1] == f"Item **Whole milk · Germany** `{ITEM.supplier_item_id}`"


@pytest.mark.usefixtures("kit")
def test_a_name_that_several_have_is_asked_back_and_one_click_answers() -> None:
    """Also one that was never heard of is told."""
    window = open_check()
    window.enter("question", "Can Kaufhaus see the whole milk in Germany?")
    assert window.alerts == ["Not known yet: choose what is meant."]
    assert window.says("Which recipient is `Kaufhaus`?")
    window.click("mean_recipient_0_1")
    assert window.alerts == ["No, Kaufhaus 2 cannot see Whole milk · Germany; others can."]
    assert window.address == ASKED | {"recipient": "R2"}
    window.enter("question", "Can Waldhof see the whole milk in Germany?")
    assert window.says("The recipient `Waldhof` is not in the directory.")


@pytest.mark.usefixtures("kit")
def test_a_part_is_corrected_by_name_and_the_reading_is_swapped() -> None:
    """Each part opens to the field that finds by name."""
    window = open_check(**ASKED)
    correct(window, "recipient", "entered", "kaufhaus 2")
    assert window.alerts == ["No, Kaufhaus 2 cannot see Whole milk · Germany; others can."]
    window.click("swap_0")
    assert window.address == {"supplier": "R2", "item": ITEM.supplier_item_id, "recipient": ITEM.supplier}


@pytest.mark.usefixtures("kit")
def test_an_item_that_is_entered_brings_its_supplier() -> None:
    """A text that names none is asked about, and the question stays."""
    window = open_check(recipient="R1")
    correct(window, "item", "entered", "butter")
    assert window.alerts == ["Not known: the question is not complete."]
    window.click("chip_read_item_0")
    assert "read_item_0" not in fields(window)
    correct(window, "item", "picked", ITEM.supplier_item_id)
    assert window.alerts == ["Yes, Kaufhaus 1 can see Whole milk · Germany."]
    assert window.address == ASKED


def test_who_removed_it_is_said_below_a_no_and_one_press_fills_in_the_form(kit: DeskKit) -> None:
    """With the words for the customer; nothing is sent before the person saves."""
    save(kit.records.history, "r", at=-9, item=ITEM, before=["R1", "R2"], remove=["R2"], person="Anna")
    window = open_check(**ASKED | {"recipient": "R2"})
    assert window.says("**Anna removed Kaufhaus 2 · TIME · verified**")
    assert window.says("Kaufhaus 2 (R2) cannot see Whole milk · Germany")
    assert window.says("Last change: Removed by Anna · TIME · verified")
    assert [link.label for link in window.app.page_link][:-1] == [
        "Open the item to add Kaufhaus 2",
        "What changed, when and by whom",
        "Open this item",
    ]
    follow(window, window.app.page_link[0])
    assert [one["name"] for one in window.found()["chosen"]] == ["Kaufhaus 2"]
    assert kit.fake.writes == []
    window.save()
    assert window.alerts == ["Added Kaufhaus 2 · verified TIME"]


def test_one_press_fills_in_the_form_of_an_item_that_is_open(kit: DeskKit) -> None:
    """The link starts a new form."""
    window = Window(ITEM)
    window.untick("R1")
    window.go_to(CHECK_PAGE, **ASKED | {"recipient": "R2"})
    follow(window, window.app.page_link[0])
    assert [one["id"] for one in window.found()["chosen"]] == ["R2"]
    assert window.ticks == {"R1": True}
    assert kit.fake.writes == []


def test_an_addition_that_somebody_else_made_meanwhile_is_not_filled_in(kit: DeskKit) -> None:
    """The item page says so."""
    window = open_check(**ASKED | {"recipient": "R2"})
    kit.fake.put(ITEM, {"R1", "R2"})
    follow(window, window.app.page_link[0])
    assert window.found()["chosen"] == []
    assert "The link asks to add recipients that can see this item already:" in window.alerts


def test_a_near_number_is_asked_about_with_one_press(kit: DeskKit) -> None:
    """Each that may have been meant; also when what happened here cannot be read."""
    kit.fake.put(ITEM, {"4300000000014", "4300000000038"})
    kit.desk.read(ITEM)
    window = open_check(**ASKED | {"recipient": "4300000000015"})
    assert window.says("**Probably 4300000000014 was meant, who can see the item: the last digit differs,")
    window.click("why_not_step_0_first")
    assert window.alerts == ["Yes, this recipient can see Whole milk · Germany."]
    assert window.address == ASKED | {"recipient": "4300000000014"}


def test_where_nothing_can_be_changed_no_addition_is_offered(open_desk: OpenDesk) -> None:
    """The page says who can."""
    kit = open_desk({ITEM: {"R1"}}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    kit.records.directory.remember([ITEM], ["R2"])
    window = open_check(**ASKED | {"recipient": "R2"})
    assert window.says("To give it access, ask an editor.")
    assert not [link for link in window.app.page_link if link.label.startswith("Open the item to add")]


def test_what_is_planned_leads_to_where_it_is_planned(kit: DeskKit) -> None:
    """To the job, or to the same question once more."""
    job = a_job("j", created_at=START, state=JobState.QUEUED)
    kit.records.jobs.create(job, [BulkItem(item=ITEM, add=frozenset({"R2"}))])
    window = open_check(**ASKED | {"recipient": "R2"})
    labels = [link.label for link in window.app.page_link]
    assert labels[:-1] == ["Open the job", "Open this item"]
    begin(kit.records.history, "open", at=0, item=ITEM, before=["R1"], add=["R2"], person="Anna")
    window.go_back_to(**ASKED | {"recipient": "R2"})
    window.click("why_not_step_0_first")
    assert window.says("**Anna began to add Kaufhaus 2, and how that ends is not known yet · TIME**")


def test_what_cannot_be_read_of_the_past_is_said(kit: DeskKit, tmp_path: Path) -> None:
    """The service's list is compared all the same."""
    window = open_check(**ASKED | {"recipient": "R2"})
    break_records(tmp_path)
    window.go_back_to(**ASKED | {"recipient": "R7"})
    assert window.says("What was changed or planned here could not be read.")
    assert kit.fake.writes == []
