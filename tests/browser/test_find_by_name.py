"""The field that finds by name, as hands, screen readers and the clipboard use it."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from tests.browser.recipients import ANNA, BERTA, CLARA
from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.thorough import this_is_thorough

VIEWS = [(scheme, width) for scheme in ("light", "dark") for width in (1440, 390)]


def opened(place: Place, person: Person, *recipients: str) -> Person:
    """A person at the field, on an item with these recipients."""
    person.open(place.address(place.new_item(*recipients)))
    expect(person.finder).to_be_enabled()
    person.finder.click()
    return person


def options(person: Person) -> Locator:
    """The matches on the list."""
    return person.page.get_by_role("listbox", name="Matches").get_by_role("option")


def chips(person: Person) -> Locator:
    """The chosen entries."""
    return person.page.get_by_role("list", name="Chosen").get_by_role("listitem")


def asks(person: Person) -> Locator:
    """The texts that are to be decided."""
    return person.page.get_by_role("list", name="To decide").get_by_role("listitem")


def told(person: Person) -> Locator:
    """The words for a screen reader."""
    return person.page.get_by_role("status").filter(has_text=re.compile("found|match|removed|Choose"))


def test_the_field_follows_the_aria_pattern_of_a_combobox_and_the_keyboard_reaches_every_match(
    demo: Place, person: Person
) -> None:
    """Closed, open, and with an option marked; arrows turn around, Escape closes and then empties."""
    field = opened(demo, person).finder
    expect(field).to_have_accessible_name("Add recipients")
    for name, value in {
        "aria-autocomplete": "list",
        "aria-haspopup": "listbox",
        "aria-expanded": "false",
        "aria-controls": "list",
        "autocomplete": "off",
    }.items():
        expect(field).to_have_attribute(name, value)
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile("."))
    person.page.keyboard.type("sonnenhof")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(options(person)).to_have_count(8)
    expect(person.page.locator("[role=listbox]:visible")).to_have_id("list")
    expect(options(person).first).to_have_attribute("aria-selected", "false")
    expect(told(person)).to_contain_text("More than 8 found")
    expect(told(person)).to_have_attribute("aria-live", "polite")
    person.page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "option-0")
    expect(options(person).first).to_have_id("option-0")
    expect(options(person).first).to_have_attribute("aria-selected", "true")
    expect(options(person).nth(1)).to_have_attribute("aria-selected", "false")
    expect(field).to_be_focused()
    for key, marked in (
        ("Home", 0),
        ("ArrowUp", 7),
        ("ArrowDown", 0),
        ("End", 7),
        ("Home", 0),
        ("ArrowDown", 1),
    ):
        person.page.keyboard.press(key)
        expect(field).to_have_attribute("aria-activedescendant", f"option-{marked}")
    person.page.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("sonnenhof")
    person.page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(chips(person)).to_have_count(0)


def test_two_names_are_three_actions_from_a_link(demo: Place, person: Person) -> None:
    """B1 by names: type and Enter, type and Enter, Save; the field stays open for the next one."""
    opened(demo, person, ANNA)
    person.page.keyboard.type("sonnenhof superm")
    person.page.keyboard.press("Enter")
    expect(chips(person)).to_have_text([re.compile("^Sonnenhof Supermarkets")])
    expect(person.finder).to_be_focused()
    person.page.keyboard.type("wholesale panier")
    person.page.keyboard.press("Enter")
    expect(chips(person)).to_have_text([re.compile("^Sonnenhof Superm"), re.compile("^Le Panier Wholesale")])
    person.press("Save")
    person.reads_saved("Added Le Panier Wholesale and Sonnenhof Supermarkets")
    expect(chips(person)).to_have_count(0)


def test_enter_takes_neither_a_guess_nor_one_of_many_matches_unasked(demo: Place, person: Person) -> None:
    """A typing error is forgiven, and shown before it is taken; of many one is clicked."""
    opened(demo, person)
    person.page.keyboard.type("lindnalee convenince")
    person.page.keyboard.press("Enter")
    expect(options(person)).to_have_text([re.compile("^Lindenallee Convenience")])
    expect(person.finder).to_have_attribute("aria-activedescendant", "option-0")
    expect(chips(person)).to_have_count(0)
    person.page.keyboard.press("Enter")
    expect(chips(person)).to_have_text([re.compile("^Lindenallee Convenience")])
    person.page.keyboard.type("sonnenhof")
    person.page.keyboard.press("Enter")
    person.reads("Choose one with the arrow keys, or type more.")
    expect(chips(person)).to_have_count(1)
    options(person).filter(has_text="Sonnenhof Online Shop").click()
    expect(chips(person)).to_have_text([re.compile("^Lindenallee"), re.compile("^Sonnenhof Online Shop")])


def test_a_list_becomes_chips_pasted_or_put_in_at_once(demo: Place, person: Person) -> None:
    """Any separator; Backspace, Delete and the cross take away; assistive technology has no clipboard."""
    opened(demo, person)
    person.add(f"{ANNA}\r\n{BERTA}\t{CLARA}\n")
    expect(chips(person)).to_have_text([re.compile(f"^{one}") for one in (ANNA, BERTA, CLARA)])
    person.page.keyboard.press("Backspace")
    expect(told(person)).to_have_text(f"{CLARA} removed")
    expect(chips(person)).to_have_text([re.compile(f"^{one}") for one in (ANNA, BERTA)])
    person.page.keyboard.press("ArrowLeft")
    expect(person.button(f"Remove {BERTA}")).to_be_focused()
    person.page.keyboard.press("ArrowLeft")
    person.page.keyboard.press("Delete")
    expect(chips(person)).to_have_text([re.compile(f"^{BERTA}")])
    person.button(f"Remove {BERTA}").click()
    expect(chips(person)).to_have_count(0)
    person.reads("Nothing to save")
    person.finder.click()
    person.page.keyboard.insert_text(f"{ANNA}\n{BERTA}")
    expect(chips(person)).to_have_count(2)
    person.page.keyboard.insert_text(CLARA)
    expect(chips(person)).to_have_count(3)


def test_half_a_text_is_staged_by_nothing_but_an_answer_and_goes_to_no_other_item(
    demo: Place, person: Person
) -> None:
    """Not by a click elsewhere, Tab or another page, though one name fits."""
    item = demo.new_item(ANNA)
    person.open(demo.address(item))
    expect(person.finder).to_be_enabled()
    person.finder.click()
    person.page.keyboard.type("sonnenhof superm")
    expect(options(person)).to_have_count(1)
    person.page.get_by_role("heading", level=1).click()
    expect(options(person)).to_have_count(0)
    expect(person.finder).to_have_value("sonnenhof superm")
    person.finder.press("Tab")
    expect(chips(person)).to_have_count(0)
    person.reads("Nothing to save")
    person.go("History")
    expect(person.page.get_by_role("heading", level=1)).to_have_text("History")
    person.go("Item")
    expect(person.finder).to_be_enabled()
    expect(chips(person)).to_have_count(0)
    assert demo.recipients(item) == {ANNA}
    person.finder.click()
    person.page.keyboard.type("qqqq")
    person.reads("No match. Press Enter to enter it as it is.")
    person.enter("Supplier", "harbour mill")
    person.reads("Choose an item")
    person.enter("Item", "500 biscuits schweiz")
    person.reads("Oat biscuits 500 g · Switzerland")
    expect(person.finder).to_have_value("")


def test_no_letter_is_lost_while_the_screen_runs(demo: Place, person: Person) -> None:
    """Quickly, and so slowly that each letter is answered by a run; then the field has the focus."""
    opened(demo, person)
    person.add(BERTA)
    type_and_keep_every_letter(person, delay_ms=0)
    person.page.keyboard.press("Escape")
    person.page.keyboard.press("Escape")
    expect(person.finder).to_have_value("")
    person.add(CLARA)
    type_and_keep_every_letter(person, delay_ms=180)


def type_and_keep_every_letter(person: Person, *, delay_ms: int) -> None:
    """Type a name while what was pasted is staged: it stands in the field, and is found."""
    person.page.keyboard.type("wholesale panier", delay=delay_ms)
    expect(person.finder).to_have_value("wholesale panier")
    expect(person.finder).to_be_focused()
    expect(options(person)).to_have_text([re.compile("^Le Panier Wholesale")])
    expect(person.finder).to_have_value("wholesale panier")
    person.reads_staged()


def test_a_text_that_is_no_number_is_asked_about(demo: Place, person: Person) -> None:
    """Amber, not chosen and not saved, until it is answered by a button of its own."""
    opened(demo, person)
    person.finder.fill("Grocer at the corner")
    person.press("Add")
    expect(asks(person)).to_contain_text(["Not in the directory. Use as a number?"])
    expect(chips(person)).to_have_count(0)
    person.reads("Nothing to save")
    person.button("Drop Grocer at the corner").click()
    expect(asks(person)).to_have_count(0)
    person.finder.fill("SHOP-1x")
    person.page.keyboard.press("Enter")
    person.button("Use as a number: SHOP-1x").click()
    expect(chips(person)).to_have_text([re.compile("^SHOP-1x")])
    expect(asks(person)).to_have_count(0)


def test_a_field_of_one_choice_lists_the_first_ones_and_shows_the_name_and_number_of_its_choice(
    demo: Place, person: Person
) -> None:
    """By name and Enter; half a text that is left goes; a click opens the list, a click chooses."""
    person.open(demo.dashboard.url).reads(re.compile("recipients can see this item"))
    supplier, item = person.field("Supplier"), person.field("Item")
    person.enter("Supplier", "nordlicht")
    expect(supplier).to_have_value("Nordlicht Molkerei")
    expect(supplier).to_have_accessible_description(re.compile("9521000020009"))
    expect(item).to_have_value("")
    person.enter("Supplier", "harbour mill")
    expect(supplier).to_have_value("Harbour Mill Foods")
    person.enter("Item", "500 biscuits schweiz")
    expect(item).to_have_value("Oat biscuits 500 g")
    expect(item).to_have_accessible_description(re.compile("09521000010024:756"))
    item.click()
    person.page.keyboard.type("half a na")
    person.page.keyboard.press("Tab")
    expect(item).to_have_value("Oat biscuits 500 g")
    person.field("Supplier").click()
    expect(options(person)).to_have_count(8)
    options(person).nth(1).click()
    expect(person.field("Supplier")).to_have_value("Nordlicht Molkerei")
    person.button("Remove Nordlicht Molkerei 9521000020009").click()
    expect(person.field("Supplier")).to_have_value("")
    person.reads("Choose a supplier and an item")


def test_a_name_that_no_item_has_never_leads_to_nobody_can_see_it(demo: Place, person: Person) -> None:
    """The nearest are offered; the text is a number only when the person says so."""
    person.open(demo.dashboard.url).reads(re.compile("recipients can see this item"))
    person.enter("Item", "oat bread")
    expect(asks(person)).to_contain_text(["No item called oat bread is known here."])
    expect(person.field("Item")).to_have_value("")
    expect(person.page.get_by_text("nobody can see it")).to_have_count(0)
    person.button("Use 'oat bread' as an item number").click()
    person.reads("Nothing is recorded for this item, which is not in your directory. Is the number right?")


@pytest.mark.parametrize(("scheme", "width"), VIEWS if this_is_thorough() else VIEWS[-1:])
def test_the_field_is_no_obstacle_open_or_with_chips_and_questions(
    demo: Place, person: Person, scheme: str, width: int
) -> None:
    """Axe finds nothing anywhere in it, and targets have 44 pixels on a telephone."""
    person.page.set_viewport_size({"width": width, "height": 900})
    person.page.emulate_media(color_scheme=scheme)
    opened(demo, person, ANNA)
    person.add(f"{BERTA}, Grocer")
    expect(asks(person)).to_have_count(1)
    person.page.keyboard.type("sonnenhof")
    expect(options(person)).to_have_count(8)
    person.page.keyboard.press("ArrowDown")
    person.settles()
    here = {"include": [[".st-key-add_recipients"]]}
    assert Axe().run(person.page, context=here).response["violations"] == []
    small = {1440: 24, 390: 44}[width]
    targets = [options(person).first, person.button("Add"), person.button(f"Remove {BERTA}")]
    assert [one for one in targets if (one.bounding_box() or {"height": 0})["height"] < small] == []


@pytest.mark.parametrize(("scheme", "width"), VIEWS if this_is_thorough() else VIEWS[:1])
def test_the_field_is_no_obstacle_closed_without_a_match_and_with_a_question(
    demo: Place, touching: Person, scheme: str, width: int
) -> None:
    """Axe finds nothing in these states, and every answer is a target for a finger."""
    person = touching
    person.page.set_viewport_size({"width": width, "height": 900})
    person.page.emulate_media(color_scheme=scheme)
    person.open(demo.dashboard.url).reads(re.compile("recipients can see this item"))
    here = {"include": [[".st-key-pick_item"], [".st-key-add_recipients"]]}
    person.settles()
    found = Axe().run(person.page, context=here).response["violations"]
    person.finder.click()
    person.page.keyboard.type("qqqq")
    person.reads("No match. Press Enter to enter it as it is.")
    found += Axe().run(person.page, context=here).response["violations"]
    person.enter("Item", "oat bread")
    expect(asks(person)).to_contain_text(["No item called oat bread is known here."])
    person.settles()
    in_picker = {"include": [[".st-key-pick_item"]]}
    found += Axe().run(person.page, context=in_picker).response["violations"]
    assert found == []
    answers = asks(person).get_by_role("button").all()
    heights = [box["height"] for one in answers if (box := one.bounding_box()) is not None]
    assert (len(heights), min(heights) >= 44) == (5, True)
