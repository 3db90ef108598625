"""Journeys of support need the promised number of actions.

`--thorough` repeats each in every way.
"""

import re

from playwright.sync_api import expect

from item_visibility_service.sample_data import invented_names
from item_visibility_service.store import Item
from tests.browser.windows import (
    KEYBOARD_ON_A_TELEPHONE,
    MOUSE_ON_A_TELEPHONE,
    in_every_way,
)
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import ANNA, BERTA, choose_first_row

CHEESE = next(
    Item(supplier, item)
    for supplier, item, name, market in invented_names().items
    if name == "Goat cheese 500 g" and market == "250"
)
"""An item with a history.

Villa Verde Supermarkets was added by mistake and removed again.
"""

SCANNED_WITHIN_S = 180
YES = re.compile(
    r"^Yes, Marktplatz Supermarkets can see Oat biscuits 250 g · Germany \(read today "
)
ANSWERS = "Answers, one row for each question"


@in_every_way()
def test_answering_a_customer_takes_one_action(demo: Place, person: Person) -> None:
    item = demo.new_item(ANNA)
    person.open(f"{demo.dashboard.url}/check")
    person.enter("Question", f"{item.supplier} {item.supplier_item_id} {ANNA}")
    person.reads(re.compile(r"^Yes"))
    person.reads(re.compile(r"^Asked at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"))
    assert person.actions == 1

    person.enter("Question", f"{item.supplier} {item.supplier_item_id} {BERTA}")
    person.reads(re.compile(r"^No,"))
    assert person.actions == 2


def test_pasted_lines_are_one_table_that_can_be_copied_and_downloaded(
    demo: Place, person: Person
) -> None:
    person.open(f"{demo.dashboard.url}/check")
    person.press("Paste several lines")
    person.paste(
        "Questions, one per line",
        "Marktplatz Supermarkets, Oat biscuits 250 g, Germany\n"
        "Le Panier Wholesale, Oat biscuits 250 g, Germany",
    )
    person.press("Check lines")
    answers = person.cells(ANSWERS).filter(has_text=re.compile("^(Yes|No)$"))
    expect(answers).to_have_text(["Yes", "No"])

    with person.page.expect_download() as download:
        person.press("Download XLSX")
    assert download.value.suggested_filename == "answers.xlsx"

    person.press("Copy")
    person.reads(
        re.compile("Marktplatz Supermarkets .*09521000010017:276.*Germany.*Yes")
    )

    person.page.keyboard.press("Escape")
    choose_first_row(person.page)
    person.reads(YES)


@in_every_way(usual=MOUSE_ON_A_TELEPHONE)
def test_the_reason_of_a_no_is_shown_at_once(demo: Place, person: Person) -> None:
    before = demo.recipients(CHEESE)
    person.open(f"{demo.dashboard.url}/check")
    person.enter(
        "Question", "Can Villa Verde Supermarkets see Goat cheese 500 g in France?"
    )
    person.reads(re.compile("^Marie Blanc removed Villa Verde Supermarkets .*Wrong"))
    person.reads("Open the item to add Villa Verde Supermarkets")
    person.reads(re.compile("Villa Verde Supermarkets .* cannot see Goat cheese 500 g"))
    person.reads(
        re.compile("The dashboard cannot see whether the recipients received the item")
    )
    assert person.actions == 1
    assert demo.recipients(CHEESE) == before


@in_every_way()
def test_what_changed_when_and_by_whom_is_one_action_away(
    demo: Place, person: Person
) -> None:
    person.open(demo.address(CHEESE)).reads(re.compile("recipients can see this item"))

    person.waits_until_idle()
    person.unfold("History of this item")
    entries = person.page.get_by_role("region", name="History of changes, newest first")
    expect(entries.locator("canvas tbody tr")).to_have_count(3)
    expect(entries.locator("canvas td", has_text="Marie Blanc")).to_have_count(3)
    assert person.actions == 1


@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_a_ticket_takes_one_click_below_an_answer_and_two_on_the_item(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA)
    person.open(demo.address(item, "/check", recipient=BERTA)).reads("Asked at")

    person.waits_until_idle()
    person.press("Copy for ticket")
    person.reads(re.compile(r"GET /v1/itemvisibilities/.* \| 200 in"))
    person.reads(re.compile(r"^curl -sS"))
    assert person.actions == 1
    person.open(demo.address(item)).reads("1 recipient can see this item")

    person.press("More")
    person.press("Copy for ticket")
    person.reads("The requests as cURL")
    assert person.actions == 2


@in_every_way()
def test_what_a_recipient_can_see_takes_two_actions(
    demo: Place, person: Person
) -> None:
    person.open(f"{demo.dashboard.url}/recipient?supplier=9521000010000")
    person.reads(re.compile("of 40 items read"))

    person.enter("Recipients", "Marktplatz Supermarkets")
    person.press("Read all items now")
    all_are_read = re.compile(r"Marktplatz Supermarkets .*can see \d+ of 40 read items")
    person.reads(all_are_read, timeout_s=SCANNED_WITHIN_S)
    assert person.actions == 2


@in_every_way()
def test_what_is_missing_takes_two_actions_and_is_previewed(
    demo: Place, person: Person
) -> None:
    person.open(f"{demo.dashboard.url}/coverage?supplier=9521000010000")
    person.reads(re.compile("of 40 items read"))

    person.enter("Recipients", "Marktplatz Supermarkets")
    person.reads(re.compile("Marktplatz Supermarkets .*can see"))

    person.enter("Recipients", "Blue Door Supermarkets")
    person.reads(re.compile("[1-9] missing, "))
    assert person.actions == 2
    person.reads(re.compile("^Tick items to preview changes"))

    person.waits_until_idle()
    choose_first_row(person.page)
    person.press("Preview adding Marktplatz Supermarkets to 1 item")
    person.reads("Add Marktplatz Supermarkets")
    person.reads(re.compile("1 item · 0 unchanged"))


@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_the_page_connection_says_at_once_whose_fault_it_is(
    demo: Place, person: Person
) -> None:
    person.open(f"{demo.dashboard.url}/connection")
    person.reads(re.compile(r"^Their service.* Our side is fine\.$"))
    person.reads(re.compile("^Tested today "))

    person.press("Copy for ticket")
    person.reads("The requests as cURL")
    assert person.actions == 1
