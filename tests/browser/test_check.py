"""S1 in a real browser: paste, Enter, and the answer; also without a mouse."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import choose_first_row
from tests.support.thorough import this_is_thorough

YES = re.compile(r"^Yes, Marktplatz Supermarkets can see Oat biscuits 250 g · Germany \(read today ")
NO = re.compile(r"^No, Le Panier Wholesale cannot see Oat biscuits 250 g · Germany; others can \(read today ")
LINE = "Marktplatz Supermarkets, Oat biscuits 250 g, Germany"
ANSWERS = "Answers, one row for each question"


def opened(demo: Place, person: Person) -> Person:
    """A person on the check page, who has clicked nothing."""
    person.open(f"{demo.dashboard.url}/check")
    expect(person.field("Question")).to_be_visible()
    return person


@pytest.mark.parametrize("width", [1440, 390] if this_is_thorough() else [390])
def test_a_paste_and_enter_are_an_answer(demo: Place, person: Person, width: int) -> None:
    """S1, at both widths: one action, and its fields show what was understood."""
    person.page.set_viewport_size({"width": width, "height": 900})
    opened(demo, person)
    person.field("Question").fill(LINE)
    person.page.keyboard.press("Enter")
    person.reads(YES)
    expect(person.field("Recipient")).to_have_value("Marktplatz Supermarkets")


def test_pasted_lines_are_one_table_that_can_be_copied_and_downloaded(demo: Place, person: Person) -> None:
    """The larger field keeps the ends of lines. A chosen row is the card of its answer."""
    opened(demo, person).press("Paste several lines")
    person.paste("Questions, one per line", f"{LINE}\nLe Panier Wholesale, Oat biscuits 250 g, Germany")
    person.press("Check lines")
    expect(person.cells(ANSWERS).filter(has_text=re.compile("^(Yes|No)$"))).to_have_text(["Yes", "No"])
    with person.page.expect_download() as download:
        person.press("Download XLSX")
    assert download.value.suggested_filename == "answers.xlsx"
    person.press("Copy")
    person.reads(re.compile("Marktplatz Supermarkets .*09521000010017:276.*Germany.*Yes"))
    person.page.keyboard.press("Escape")
    choose_first_row(person.page)
    person.reads(YES)


def test_a_reading_is_corrected_without_a_mouse(demo: Place, person: Person) -> None:
    """From the question to the field of the recipient, a name, Enter: the answer is another."""
    opened(demo, person).field("Question").click()
    person.page.keyboard.type("Can Marktplatz Supermarkets see oat biscuits 250 g in Germany?")
    person.page.keyboard.press("Enter")
    person.reads(YES)
    person.settles()
    field = person.field("Recipient")
    expect(field).to_have_value("Marktplatz Supermarkets")
    field.focus()
    field.press("Control+a")
    person.page.keyboard.type("le panier wholesale")
    expect(person.page.get_by_role("option").first).to_contain_text("Le Panier Wholesale")
    person.page.keyboard.press("Enter")
    person.reads(NO)
    expect(person.field("Recipient")).to_have_value("Le Panier Wholesale")


def test_an_example_is_one_click(demo: Place, person: Person) -> None:
    """It needs no typing."""
    opened(demo, person).page.get_by_role("button", name=re.compile("^Can .* see ")).click()
    person.reads(re.compile("^(Yes|No), .* see "))


@pytest.mark.skipif(not this_is_thorough(), reason="tests/screens does the same: --thorough")
def test_why_not_is_read_at_once_and_one_press_fills_in_the_addition(demo: Place, person: Person) -> None:
    """On a telephone, too: who removed it and when, the words for the customer, and all changes."""
    person.page.set_viewport_size({"width": 390, "height": 844})
    opened(demo, person)
    person.enter("Question", "Can Villa Verde Supermarkets see Goat cheese 500 g in France?")
    person.reads(re.compile("^Marie Blanc removed Villa Verde Supermarkets .*Wrong"))
    person.reads(re.compile("Villa Verde Supermarkets .* cannot see Goat cheese 500 g"))
    person.page.get_by_role("link", name="What changed, when and by whom").click()
    person.reads("Choose a row to see its details")
    person.page.go_back()
    person.reads(re.compile("^Marie Blanc removed"))
    person.page.get_by_role("link", name="Open the item to add Villa Verde Supermarkets").click()
    person.reads_chips(1)
