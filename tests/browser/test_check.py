"""S1 in a real browser: paste, Enter, and the answer; also without a mouse."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.thorough import this_is_thorough

YES = "Yes, Marktplatz Supermarkets can see Oat biscuits 250 g · Germany."
NO = "No, Le Panier Wholesale cannot see Oat biscuits 250 g · Germany; others can."
LINE = "Marktplatz Supermarkets, Oat biscuits 250 g, Germany"


def opened(demo: Place, person: Person) -> Person:
    """A person on the check page, who has clicked nothing."""
    person.open(f"{demo.dashboard.url}/check")
    expect(person.field("Question")).to_be_visible()
    return person


@pytest.mark.parametrize("width", [1440, 390] if this_is_thorough() else [390])
def test_a_paste_and_enter_are_an_answer(demo: Place, person: Person, width: int) -> None:
    """S1, at both widths."""
    person.page.set_viewport_size({"width": width, "height": 900})
    opened(demo, person)
    person.paste("Question", LINE)
    person.page.keyboard.press("Enter")
    person.reads(YES)
    expect(person.page.get_by_text(re.compile("^Asked at"))).to_have_count(1)
    expect(person.page.get_by_role("button", name=re.compile("Recipient "))).to_have_count(1)


def test_pasted_lines_are_questions_of_their_own(demo: Place, person: Person) -> None:
    """The larger field keeps the ends of lines; the small one would join them."""
    opened(demo, person).press("Paste several lines")
    person.paste("Questions, one per line", f"{LINE}\nLe Panier Wholesale, Oat biscuits 250 g, Germany")
    person.press("Check lines")
    person.reads(YES)
    person.reads(NO)


def test_a_reading_is_corrected_without_a_mouse(demo: Place, person: Person) -> None:
    """From the field to the chip, a name, Enter: the answer is another."""
    opened(demo, person).field("Question").click()
    person.page.keyboard.type("Can Marktplatz Supermarkets see oat biscuits 250 g in Germany?")
    person.page.keyboard.press("Enter")
    person.reads(YES)
    person.settles()
    chip = person.page.get_by_role("button", name=re.compile("Recipient Marktplatz"))
    chip.focus()
    person.page.keyboard.press("Enter")
    field = person.field("Recipient asked about")
    expect(field).to_have_value("Marktplatz Supermarkets")
    field.press("Control+a")
    person.page.keyboard.type("le panier wholesale")
    expect(person.page.get_by_role("option").first).to_contain_text("Le Panier Wholesale")
    person.page.keyboard.press("Enter")
    person.reads(NO)
    expect(
        person.page.get_by_role("button", name=re.compile("Recipient Le Panier Wholesale"))
    ).to_be_visible()


def test_an_example_and_a_missing_market_are_one_click_each(demo: Place, person: Person) -> None:
    """Neither needs typing."""
    opened(demo, person).page.get_by_role("button", name=re.compile("^Can .* see ")).click()
    person.reads(re.compile("^(Yes|No), .* see "))
    person.enter("Question", "Can Marktplatz Supermarkets see 9521000010017?")
    person.reads("Not known: the market is missing.")
    person.reads("without a market")
    person.page.get_by_role("button", name="Germany (:276)").click()
    person.reads(YES)


@pytest.mark.skipif(not this_is_thorough(), reason="tests/screens does the same: --thorough")
def test_why_not_is_read_at_once_and_one_press_fills_in_the_addition(demo: Place, person: Person) -> None:
    """On a telephone, too: who took it back and when, the words for the customer, and all changes."""
    person.page.set_viewport_size({"width": 390, "height": 844})
    opened(demo, person)
    person.enter("Question", "Can Villa Verde Supermarkets see Goat cheese 500 g in France?")
    person.reads(re.compile("^Marie Blanc took the addition of Villa Verde Supermarkets back .*Wrong"))
    person.reads(re.compile("Villa Verde Supermarkets .* cannot see Goat cheese 500 g"))
    person.page.get_by_role("link", name="What changed, when and by whom").click()
    person.reads("Choose a row to see its details")
    person.page.go_back()
    person.reads(re.compile("^Marie Blanc took the addition"))
    person.page.get_by_role("link", name="Open the item to add Villa Verde Supermarkets").click()
    person.reads_chips(1)
