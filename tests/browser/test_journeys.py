"""The main journeys need no more actions than the design promises."""

import re

from playwright.sync_api import expect

from item_visibility_service.store import Item
from tests.browser.windows import KEYBOARD_ON_A_TELEPHONE, in_every_way
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import ANNA, BERTA, CLARA, DORA, EMMA


@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_adding_two_names_takes_five_actions_from_the_first_screen(
    demo: Place, person: Person
) -> None:
    item = Item("9521000020009", "09521000020160:528")
    before = demo.recipients(item)
    person.open(demo.dashboard.url).reads(re.compile("recipients can see this item"))

    person.enter("Supplier", "nordlicht")
    expect(person.field("Item")).to_have_value("")

    person.enter("Item", "buttermilk family niederlande")
    person.reads(f"{len(before)} recipients can see this item")

    person.enter("Add recipients", "pharmacy sonnenhof")
    chip = person.button("Remove Sonnenhof Pharmacy Supply 9522001120002")
    expect(chip).to_be_visible()

    person.enter("Add recipients", "panier drugst")
    person.reads_chips(2)
    person.press("Save")
    person.reads(f"{len(before) + 2} recipients can see this item")
    assert person.actions == 5
    assert len(demo.recipients(item) - before) == 2

    demo.store.replace(item, frozenset(before))


@in_every_way()
def test_undoing_takes_one_action_before_saving_and_two_after(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")

    person.tick(0)
    person.add(DORA)
    person.reads_chips(1)
    before = person.actions
    person.press("Reload")
    person.reads_chips(0)
    assert person.actions - before == 1
    assert demo.recipients(item) == {ANNA, BERTA, CLARA}

    person.tick(0)
    person.add(DORA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {DORA}, removed {ANNA}")

    before = person.actions
    person.press("Undo")
    person.reads("Undo this change?")

    person.confirm()
    person.reads_saved(f"Added {ANNA}, removed {DORA}")
    assert person.actions - before == 2
    assert demo.recipients(item) == {ANNA, BERTA, CLARA}


@in_every_way()
def test_copying_recipients_of_another_market_takes_three_actions(
    demo: Place, person: Person
) -> None:
    here = demo.new_item(ANNA)
    there = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(there)).reads("3 recipients can see this item")
    person.open(demo.address(here)).reads("1 recipient can see this item")

    person.finder.press_sequentially(there.supplier_item_id)
    option = person.page.get_by_role("option", name=re.compile("^Same recipients as"))
    person.hand.choose(option.first)
    person.reads_chips(1)
    person.press("Save")
    person.reads("3 recipients can see this item")
    assert person.actions == 1  # in addition to choosing the option
    assert demo.recipients(here) == {ANNA, BERTA, CLARA}


@in_every_way()
def test_withdrawing_and_restoring_an_item_take_three_actions_each(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")

    person.press("More")
    person.press("Remove all")
    person.confirm("3")
    person.reads_saved(f"Removed {ANNA}, {BERTA} and {CLARA}")
    assert person.actions == 3
    assert demo.recipients(item) == set()

    person.press("Undo")
    person.confirm()
    person.reads("3 recipients can see this item")
    assert demo.recipients(item) == {ANNA, BERTA, CLARA}


@in_every_way()
def test_what_somebody_else_changed_meanwhile_is_kept_and_reported(
    demo: Place, person: Person
) -> None:
    item = demo.new_item(ANNA, BERTA, CLARA)
    person.open(demo.address(item)).reads("3 recipients can see this item")

    demo.store.add(item, DORA)
    demo.store.remove(item, BERTA)
    person.add(EMMA)
    person.reads_chips(1)
    person.press("Save")
    person.reads_saved(f"Added {EMMA}")
    person.reads(re.compile(f"Added meanwhile by somebody else, and kept: {DORA}"))
    person.reads(re.compile(f"Removed meanwhile by somebody else: {BERTA}"))
    assert person.actions == 2
    assert demo.recipients(item) == {ANNA, CLARA, DORA, EMMA}


@in_every_way(usual=KEYBOARD_ON_A_TELEPHONE)
def test_a_new_demo_shows_an_item_from_which_two_actions_remove_a_recipient(
    demo: Place, person: Person
) -> None:
    person.open(demo.dashboard.url).reads("12 recipients can see this item")
    expect(person.page).to_have_title("Oat biscuits 250 g · Germany")
    assert person.actions == 0

    person.tick(0)
    person.press("Save")
    person.reads_saved("Removed Blue Door Supermarkets")
    assert person.actions == 2

    person.press("Undo")
    person.confirm()
    person.reads_saved("Added Blue Door Supermarkets")
