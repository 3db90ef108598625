"""Journeys of support, with as few actions as the design promises.

`--thorough` makes each journey in every way, and also where nothing can be changed.
"""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from item_visibility_service.sample import invented_names
from item_visibility_service.store import Item
from tests.browser.recipients import ANNA, BERTA
from tests.browser.ways import KEYBOARD_ON_A_TELEPHONE, MOUSE_ON_A_TELEPHONE, in_every_way
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import choose_first_row
from tests.support.thorough import this_is_thorough

CHEESE = next(
    Item(supplier, item)
    for supplier, item, name, market in invented_names().items
    if (name, market) == ("Goat cheese 500 g", "250")
)
"""An item with a past: Villa Verde Supermarkets was added by mistake, and taken away."""

SCANNED_WITHIN_S = 180


@dataclass(frozen=True, slots=True)
class Right:
    """A demo, and what it says below an answer and a scan to those who may do no more than this there."""

    demo: str
    below_a_no: str
    below_a_scan: str


RIGHTS = (
    Right(
        "demo",
        "Open the item to add Villa Verde Supermarkets",
        "Tick items to preview changes",
    ),
    Right(
        "read_only_demo",
        "To give it access, ask an editor.",
        "Tick an item to open it.",
    ),
)

with_every_right = pytest.mark.parametrize(
    "right",
    [pytest.param(right, id=right.demo) for right in (RIGHTS if this_is_thorough() else RIGHTS[:1])],
)
"""A person who may change everything; in a thorough run also one who may only look."""


@pytest.fixture
def place(request: pytest.FixtureRequest, right: Right) -> Place:
    """The demo with this right."""
    found: Place = request.getfixturevalue(right.demo)
    return found


@with_every_right
@in_every_way()
def test_a_customers_question_is_answered_in_one_action(place: Place, person: Person) -> None:
    """S1: the customer's line and Enter; yes and no, each with its time."""
    item = place.new_item(ANNA)
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", f"{item.supplier} {item.supplier_item_id} {ANNA}")
    person.reads(re.compile(r"^Yes"))
    person.reads(re.compile(r"^Asked at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"))
    assert person.actions == 1
    person.enter("Question", f"{item.supplier} {item.supplier_item_id} {BERTA}")
    person.reads(re.compile(r"^No,"))
    assert person.actions == 2


@with_every_right
@in_every_way(usual=MOUSE_ON_A_TELEPHONE)
def test_why_not_is_read_without_another_action(place: Place, person: Person, right: Right) -> None:
    """S2: who took it away and why, what to do, and the words for the customer stand below the no."""
    before = place.recipients(CHEESE)
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", "Can Villa Verde Supermarkets see Goat cheese 500 g in France?")
    person.reads(re.compile("^Marie Blanc removed Villa Verde Supermarkets .*Wrong"))
    person.reads(right.below_a_no)
    person.reads(re.compile("Villa Verde Supermarkets .* cannot see Goat cheese 500 g"))
    person.reads(re.compile("We cannot see whether they received it"))
    assert person.actions == 1
    assert place.recipients(CHEESE) == before


@with_every_right
@in_every_way()
def test_what_changed_when_and_by_whom_is_one_action_away(place: Place, person: Person) -> None:
    """S3: open the history that is folded below the item."""
    person.open(place.address(CHEESE)).reads(re.compile("recipients can see this item"))
    person.settles()
    person.unfold("History of this item")
    entries = person.page.get_by_role("region", name="History of changes, newest first")
    expect(entries.locator("canvas tbody tr")).to_have_count(3)
    expect(entries.locator("canvas td", has_text="Marie Blanc")).to_have_count(3)
    assert person.actions == 1


@with_every_right
@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_a_ticket_is_one_press_below_an_answer(place: Place, person: Person) -> None:
    """S4: what was asked and answered, as text and as a command."""
    person.open(place.address(place.new_item(ANNA), "/check", recipient=BERTA)).reads("Asked at")
    person.settles()
    person.press("Copy for ticket")
    person.reads(re.compile(r"GET /v1/itemvisibilities/.* \| 200 in"))
    person.reads(re.compile(r"^curl -sS"))
    assert person.actions == 1


@with_every_right
@in_every_way()
def test_what_a_recipient_can_see_takes_two_actions(place: Place, person: Person, right: Right) -> None:
    """S5: the recipient and one press; all known items of a supplier are read."""
    person.open(f"{place.dashboard.url}/recipient?supplier=9521000010000")
    person.reads(re.compile("of 40 items read"))
    person.enter("Recipients", "Marktplatz Supermarkets")
    person.press("Read all items now")
    all_are_read = re.compile(r"Marktplatz Supermarkets .*can see \d+ of 40 read items")
    person.reads(all_are_read, timeout_s=SCANNED_WITHIN_S)
    person.reads(re.compile(f"^{right.below_a_scan}"))
    assert person.actions == 2


@in_every_way()
def test_what_is_missing_takes_two_actions_and_is_previewed(demo: Place, person: Person) -> None:
    """S5: both recipients; what is missing comes first. Tick it, and look at the change: nothing is sent."""
    person.open(f"{demo.dashboard.url}/coverage?supplier=9521000010000")
    person.reads(re.compile("of 40 items read"))
    person.enter("Recipients", "Marktplatz Supermarkets")
    person.reads(re.compile("Marktplatz Supermarkets .*can see"))
    person.enter("Recipients", "Blue Door Supermarkets")
    person.reads(re.compile("[1-9] missing, "))
    assert person.actions == 2
    person.reads(re.compile("^Tick items to preview changes"))
    person.settles()
    choose_first_row(person.page)
    person.press("Preview adding Marktplatz Supermarkets to 1 item")
    person.reads("Add Marktplatz Supermarkets")
    person.reads(re.compile("1 item · 0 unchanged"))


@with_every_right
@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_us_or_them_is_told_by_opening_the_page(place: Place, person: Person) -> None:
    """S6: the sentence is there, from a test of this moment; one action shows all of it for their support."""
    person.open(f"{place.dashboard.url}/connection")
    person.reads(re.compile(r"^Their service.* Our side is fine\.$"))
    person.reads(re.compile("^Tested today "))
    person.press("Copy for ticket")
    person.reads("The same requests as cURL")
    assert person.actions == 1


@pytest.mark.skipif(not this_is_thorough(), reason="starts two dashboards: --thorough")
@pytest.mark.parametrize("way", [MOUSE_ON_A_TELEPHONE], ids=str)
def test_on_a_telephone_it_is_in_sight_that_all_is_read_only(read_only_demo: Place, person: Person) -> None:
    """The environment's name gives way to it."""
    person.open(f"{read_only_demo.dashboard.url}/check").reads("rows copied from a table will do")
    expect(person.page.locator(".st-key-environment_lock").get_by_text("Read only")).to_be_in_viewport(
        ratio=1
    )
