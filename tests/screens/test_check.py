"""S1: a pasted line is answered, with the reason and a text for the customer."""

from dataclasses import replace

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeOperation
from item_visibility.model.job import BulkItem, JobState
from item_visibility.use_cases.check.question import MOST_QUESTIONS
from tests.screens.conftest import OpenDesk
from tests.storage.entries import a_job, begin, save
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, a_request, put_names
from tests.support.fake_visibilities import Fault, unknown_outcome
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

AUSTRIAN = ItemKey(ITEM.supplier, "04012345678901:040")
ADDRESS = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id, "recipient": "R1"}
YES = "Yes, Kaufhaus 1 can see Whole milk · Germany (read TIME)."
NO = "No, Kaufhaus 2 cannot see Whole milk · Germany; others can (read TIME)."
ANSWERS = "Answers, one row for each question"


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    kit = open_desk({ITEM: {"R1"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk")],
        recipients=[("R1", "Kaufhaus 1"), ("R2", "Kaufhaus 2")],
    )
    return kit


def fields(window: Window) -> list[str]:
    ids = []
    for kind in ("supplier", "item", "recipient"):
        chosen = window.found(f"check_{kind}_0")["chosen"]
        ids.append(chosen[0]["id"] if chosen else "")
    return ids


def links(window: Window) -> list[str]:
    return [link.label for link in window.app.page_link]


def offers_to_add(window: Window) -> bool:
    return any(label.startswith("Open the item to add") for label in links(window))


@pytest.mark.usefixtures("kit")
def test_a_yes_has_its_time_fields_links_and_words_for_the_customer() -> None:
    window = Window.on(CHECK_PAGE)
    window.enter(
        "question", "Can Kaufhaus 1 see the whole milk in Germany? Order 450012345678"
    )
    assert window.says("Not understood: `450012345678`")
    assert window.alerts == [YES]
    assert fields(window) == [ITEM.supplier, ITEM.supplier_item_id, "R1"]
    assert window.says(
        "1 recipient listed · The dashboard cannot see whether the recipients "
        "received the item."
    )
    in_english, in_german = (text for text in window.texts if "Kaufhaus 1 (R1)" in text)
    assert "Kaufhaus 1 (R1) can see" in in_english
    assert "Kaufhaus 1 (R1) sieht" in in_german
    assert window.texts[-1].endswith(
        "?supplier=4000001000005&item=04012345678901%3A276&recipient=R1"
    )
    assert window.address == ADDRESS
    assert links(window)[:3] == [
        "What changed, when and by whom",
        "Open this item",
        "See what else this recipient can see",
    ]


def test_an_answer_stays_until_check_is_pressed_or_the_page_is_opened_again(
    kit: DeskKit,
) -> None:
    window = Window.on(CHECK_PAGE)
    window.click("example_question")
    assert window.alerts == [YES]

    kit.fake.put(ITEM, {"R2"})
    window.leave()
    assert window.alerts == [YES]

    window.click("check")
    assert window.alerts[0].startswith("No, Kaufhaus 1 ")

    window.go_back_to(**ADDRESS | {"recipient": "R2"})
    assert window.alerts[0].startswith("Yes, Kaufhaus 2 ")

    kit.fake.put(ITEM, {"R1"})
    window.go_to(ITEM_PAGE)
    window.go_to(CHECK_PAGE)
    assert window.alerts == [NO]


@pytest.mark.usefixtures("kit")
def test_several_questions_are_one_table_and_a_chosen_row_is_a_card() -> None:
    window = Window.on(CHECK_PAGE, **ADDRESS)
    window.click("paste_lines")
    lines = "Kaufhaus 1, whole milk, Germany\nKaufhaus 2, whole milk, Germany"
    window.type("question_lines", "\n".join([lines] * (MOST_QUESTIONS // 2 + 1)))
    window.click("check_lines")
    assert window.alerts == [f"Only the first {MOST_QUESTIONS} questions are answered."]
    assert len(window.rows(ANSWERS)) == MOST_QUESTIONS
    assert window.rows(ANSWERS, "Recipient", "Answer")[:2] == [
        ("Kaufhaus 1 (R1)", "Yes"),
        ("Kaufhaus 2 (R2)", "No"),
    ]
    assert window.address == {}

    window.select(ANSWERS, 1)
    assert NO in window.alerts


def test_a_service_that_does_not_answer_is_not_a_no(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", unknown_outcome()))
    window = Window.on(CHECK_PAGE, **ADDRESS)
    assert window.alerts == ["Not known: the list could not be read."]
    assert window.says("**The service did not answer.**")
    assert window.texts[:3] == ["Ask support.", "HTTP status 500", "A title"]
    assert links(window)[0] == "Is it us or them?"


@pytest.mark.usefixtures("kit")
def test_an_ambiguous_name_is_asked_about_and_one_click_answers() -> None:
    window = Window.on(CHECK_PAGE)
    window.enter("question", "Can Kaufhaus see the whole milk in Germany?")
    assert window.alerts == ["Not known: choose which recipient is meant."]
    assert window.address == ADDRESS | {"recipient": "Kaufhaus"}

    window.go_back_to(**window.address)
    assert window.says("Which recipient is `Kaufhaus`?")

    window.click("choose_recipient_0_1")
    assert window.alerts == [NO]
    assert window.address == ADDRESS | {"recipient": "R2"}

    window.find("entered", "kaufhaus 1", key="check_recipient_0")
    assert window.alerts == [YES]
    assert window.address == ADDRESS

    window.find("entered", "butter", key="check_item_0")
    assert window.alerts == [YES]


def test_a_no_says_who_removed_it_and_its_link_fills_in_the_form(kit: DeskKit) -> None:
    save(
        kit.records.history,
        "r",
        at=-9,
        item=ITEM,
        before=["R1", "R2"],
        remove=["R2"],
        person="Anna",
    )
    window = Window.on(CHECK_PAGE, **ADDRESS | {"recipient": "R2"})
    assert window.says("**Anna removed Kaufhaus 2 (TIME).**")
    assert window.says("Kaufhaus 2 (R2) cannot see Whole milk")
    assert links(window)[0] == "Open the item to add Kaufhaus 2"
    assert window.app.page_link[0].proto.query_string.endswith("&add=R2")


def test_after_a_recall_the_link_leads_to_the_history(kit: DeskKit) -> None:
    request = a_request(ITEM, key="recall", base={"R1"}, remove={"R1"})
    recall = replace(
        request,
        reason="Recall 7",
        operation=ChangeOperation.REMOVE_ALL,
        confirmed_count=1,
    )
    kit.save(recall)
    window = Window.on(CHECK_PAGE, **ADDRESS | {"recipient": "R2"})
    assert window.says("removed all recipients (TIME). Reason: Recall 7**")
    link = window.app.page_link[0]
    assert link.label == "See what was removed, and why"
    assert "entry=recall" in link.proto.query_string
    assert not offers_to_add(window)


def test_a_similar_number_is_suggested_for_one_click(kit: DeskKit) -> None:
    kit.fake.put(ITEM, {"4300000000014", "4300000000038"})
    kit.desk.read(ITEM)
    window = Window.on(CHECK_PAGE, **ADDRESS | {"recipient": "4300000000015"})
    assert window.says("**The list has a similar number: 4300000000014.**")

    window.click("choose_recipient_0_0")
    assert window.address == ADDRESS | {"recipient": "4300000000014"}

    window.go_back_to(
        **ADDRESS | {"item": AUSTRIAN.supplier_item_id, "recipient": "4300000000014"}
    )
    assert window.says(
        "can see a similar item: Whole milk · Germany (04012345678901:276).**"
    )

    window.click("choose_item_0_0")
    assert window.alerts[0].startswith(
        "Yes, 4300000000014 can see Whole milk · Germany"
    )


def test_an_answer_links_to_a_running_change(kit: DeskKit) -> None:
    job = a_job("j", state=JobState.QUEUED)
    kit.records.jobs.create(job, [BulkItem(item=ITEM, add=frozenset({"R2"}))])
    window = Window.on(CHECK_PAGE, **ADDRESS | {"recipient": "R2"})
    assert links(window)[0] == "Open the job"

    begin(
        kit.records.history,
        "open",
        at=0,
        item=ITEM,
        before=["R1"],
        remove=["R1"],
        person="Anna",
    )
    window.go_back_to(**ADDRESS)
    assert window.alerts == [
        (
            "Kaufhaus 1 was removed from Whole milk · Germany here (TIME); the service "
            "still shows the old list."
        )
    ]

    kit.fake.put(ITEM, set())
    window.click("again_0")
    assert window.alerts[0].startswith("No, Kaufhaus 1 ")

    kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    window.go_back_to(**ADDRESS | {"recipient": "R3"})
    assert not offers_to_add(window)
