"""The review in Chromium: decide by keyboard, look at the preview, apply it."""

import re

from playwright.sync_api import expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import choose_first_row

SAMPLE_SUPPLIER = "9521000010000"


def test_a_review_is_decided_by_keyboard_and_applied_after_a_look(place: Place, person: Person) -> None:
    """X removes who is chosen, K keeps the others; nothing is removed before Apply."""
    item = place.new_item(ANNA, BERTA, CLARA)
    person.open(place.address(item, "/review")).reads("3 recipients can see it")
    choose_first_row(person.page)
    person.reads("Remove 1")
    person.press_key("x")
    person.reads("To remove: 1 recipient of 1 item · not removed yet")
    person.press_key("k")
    person.settles()
    before = place.recipients(item)
    person.press("Look at what to remove")
    person.reads("not applied yet")
    person.press("Apply")
    person.reads("1 removed and confirmed")
    assert before == {ANNA, BERTA, CLARA}
    assert len(place.recipients(item)) == 2


def test_the_items_of_a_review_are_walked_by_keyboard(demo: Place, person: Person) -> None:
    """N opens the next one, P the one before; the address names it."""
    person.open(f"{demo.dashboard.url}/review?supplier={SAMPLE_SUPPLIER}").reads(re.compile("^Item 1 of"))
    person.settles()
    first = person.page.url
    person.press_key("n")
    person.reads(re.compile("^Item 2 of"))
    expect(person.page).not_to_have_url(first)
    person.press_key("p")
    person.reads(re.compile("^Item 1 of"))
    expect(person.page).to_have_url(first)
