"""The field that finds by name, with mouse, keyboard, clipboard and screen readers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from components.finder import combobox
from tests.support.dashboard import Place
from tests.support.mouse_and_keyboard import box_of
from tests.support.pages import Person
from tests.support.screen_states import ANNA, BERTA, CLARA, EMMA
from tests.support.thorough import this_is_thorough

VIEWS = [(scheme, width) for scheme in ("light", "dark") for width in (1440, 390)]


def opened(demo: Place, person: Person) -> Person:
    item = demo.new_item(EMMA)
    person.open(demo.address(item)).reads("1 recipient can see this item")
    expect(person.finder).to_be_enabled()
    person.finder.click()
    person.page.keyboard.press("Escape")
    return person


def options(person: Person) -> Locator:
    return person.page.get_by_role("listbox", name="Matches").get_by_role("option")


def starts(text: str) -> re.Pattern[str]:
    return re.compile(f"^{text}")


def chips(person: Person) -> Locator:
    return person.page.get_by_role("list", name="Chosen").get_by_role("listitem")


def asks(person: Person) -> Locator:
    return person.page.get_by_role("list", name="To decide").get_by_role("listitem")


def announcement(person: Person) -> Locator:
    return person.page.get_by_role("status").filter(
        has_text=re.compile("found|match|removed|Choose")
    )


def test_the_field_follows_the_aria_pattern_of_a_combobox(
    demo: Place, person: Person
) -> None:
    field = opened(demo, person).finder
    expect(field).to_have_accessible_name("Add recipients")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).not_to_have_attribute("aria-activedescendant", re.compile("."))

    person.page.keyboard.type("sonnenhof")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(options(person)).to_have_count(8)
    expect(person.page.locator("[role=listbox]:visible")).to_have_id("list")
    expect(options(person).first).to_have_attribute("aria-selected", "false")
    expect(announcement(person)).to_contain_text(
        "8 found and 2 more: type more letters"
    )
    expect(options(person).first).to_contain_text("Sonnenhof Supermarkets")
    person.reads("and 2 more: type more letters")
    expect(announcement(person)).to_have_attribute("aria-live", "polite")

    person.page.keyboard.press("ArrowDown")
    expect(field).to_have_attribute("aria-activedescendant", "option-0")
    expect(options(person).first).to_have_id("option-0")
    expect(options(person).first).to_have_attribute("aria-selected", "true")
    expect(options(person).nth(1)).to_have_attribute("aria-selected", "false")
    expect(field).to_be_focused()

    person.page.keyboard.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_have_value("sonnenhof")

    person.page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(chips(person)).to_have_count(0)


def test_the_keyboard_reaches_every_match(demo: Place, person: Person) -> None:
    field = opened(demo, person).finder
    person.page.keyboard.type("sonnenhof")
    expect(options(person)).to_have_count(8)

    for key, marked in (
        ("ArrowDown", 0),
        ("ArrowUp", 7),
        ("ArrowDown", 0),
        ("End", 7),
        ("Home", 0),
    ):
        person.page.keyboard.press(key)
        expect(field).to_have_attribute("aria-activedescendant", f"option-{marked}")


def test_enter_selects_neither_a_guess_nor_one_of_several_matches(
    demo: Place, person: Person
) -> None:
    opened(demo, person)
    person.page.keyboard.type("lindnalee convenince")
    person.page.keyboard.press("Enter")
    expect(options(person)).to_have_text([starts("Lindenallee Convenience")])
    expect(person.finder).to_have_attribute("aria-activedescendant", "option-0")
    expect(chips(person)).to_have_count(0)

    person.page.keyboard.press("Enter")
    expect(chips(person)).to_have_text([starts("Lindenallee Convenience")])

    person.page.keyboard.type("sonnenhof")
    person.page.keyboard.press("Enter")
    person.reads("Choose one of these, or type more letters.")
    expect(chips(person)).to_have_count(1)

    options(person).filter(has_text="Sonnenhof Online Shop").click()
    expect(chips(person)).to_have_text(
        [starts("Lindenallee"), starts("Sonnenhof Online Shop")]
    )


def test_a_pasted_or_inserted_list_becomes_chips(demo: Place, person: Person) -> None:
    opened(demo, person)
    person.add(f"{ANNA}\r\n{BERTA}\t{CLARA}\n")
    expect(chips(person)).to_have_text([starts(ANNA), starts(BERTA), starts(CLARA)])

    person.page.keyboard.press("Backspace")
    expect(announcement(person)).to_have_text(f"{CLARA} removed")
    expect(chips(person)).to_have_text([starts(ANNA), starts(BERTA)])

    person.button(f"Remove {ANNA}").press("Enter")
    expect(chips(person)).to_have_text([starts(BERTA)])

    person.button(f"Remove {BERTA}").click()
    expect(chips(person)).to_have_count(0)

    person.finder.click()
    person.page.keyboard.press("Escape")
    person.page.keyboard.insert_text(f"{ANNA}\n{BERTA}")
    expect(chips(person)).to_have_count(2)


@pytest.mark.parametrize("delay_ms", [0, 180])
def test_no_letter_is_lost_while_the_page_reruns(
    demo: Place, person: Person, delay_ms: int
) -> None:
    opened(demo, person)
    person.add(BERTA)
    person.page.keyboard.type("wholesale panier", delay=delay_ms)
    expect(person.finder).to_have_value("wholesale panier")
    expect(person.finder).to_be_focused()
    expect(options(person)).to_have_text([starts("Le Panier Wholesale")])
    expect(person.finder).to_have_value("wholesale panier")


def test_an_unclear_text_waits_for_a_decision(demo: Place, person: Person) -> None:
    opened(demo, person)
    person.page.keyboard.type("sonnenhof superm")
    expect(options(person)).to_have_count(1)

    person.page.get_by_role("heading", level=1).click()
    expect(options(person)).to_have_count(0)

    person.finder.press("Tab")
    person.press("Save")
    person.reads(starts("Nothing was saved. First decide"))
    expect(person.finder).to_have_value("sonnenhof superm")

    person.finder.fill("Lindenallee Handel")
    person.press("Add")
    expect(asks(person)).to_contain_text(["No recipient is called Lindenallee Handel"])

    last_answer = asks(person).get_by_role("button").nth(3)
    expect(last_answer).to_have_accessible_name("Add it as an id")

    person.page.get_by_role("heading", level=1).click()
    expect(asks(person).locator("visible=true")).to_have_count(0)

    person.press("1 to decide")
    asks(person).get_by_role("button").first.click()
    expect(chips(person)).to_have_text([starts("Lindenallee")])

    person.finder.fill("SHOP-1x")
    person.page.keyboard.press("Enter")
    person.press("Add it as an id")
    expect(chips(person).last).to_have_text(starts("SHOP-1x"))


def test_a_field_for_one_choice_lists_names_and_shows_the_chosen_one(
    demo: Place, person: Person
) -> None:
    person.open(demo.dashboard.url).reads(re.compile("recipients can see this item"))

    supplier = person.field("Supplier")
    item = person.field("Item")
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


@pytest.mark.parametrize(
    ("scheme", "width"), VIEWS if this_is_thorough() else VIEWS[-1:]
)
def test_the_field_is_accessible_when_open_and_with_chips_and_questions(
    demo: Place, person: Person, scheme: str, width: int
) -> None:
    person.page.set_viewport_size({"width": width, "height": 900})
    person.page.emulate_media(color_scheme=scheme)
    opened(demo, person)
    here = {"include": [[".st-key-add_recipients"]]}

    person.add(f"{BERTA}, {CLARA}, Lindenallee Handel")
    expect(asks(person)).to_have_count(1)

    person.waits_until_idle()
    violations = Axe().run(person.page, context=here).response["violations"]
    targets = [*asks(person).get_by_role("button").all(), person.button("Add")]
    heights = [box_of(target)["height"] for target in targets]

    person.page.keyboard.type("sonnenhof")
    expect(options(person)).to_have_count(8)

    person.page.keyboard.press("ArrowDown")
    person.waits_until_idle()
    violations += Axe().run(person.page, context=here).response["violations"]
    heights.append(box_of(options(person).first)["height"])

    assert violations == []
    assert min(heights) >= {1440: 24, 390: 44}[width]


_PROGRAM = Path(combobox.__file__).with_name("combobox.js").read_text("utf-8")
_PAGE = "<main></main><button id='elsewhere'>Elsewhere</button>"
_BUILD = """async ([program, html, data]) => {
    const script = () => new Blob([program], { type: "text/javascript" })
    window.__draw ??= (await import(URL.createObjectURL(script()))).default
    const root = document.createElement("div")
    root.innerHTML = html
    document.querySelector("main").replaceChildren(root)
    window.__draw({ data, parentElement: root, setStateValue: () => {} })
}"""
_DRAW = """data => {
    const root = document.querySelector("main > div")
    window.__draw({ data, parentElement: root, setStateValue: () => {} })
}"""
_CHOSEN = {"id": "1", "name": "Oat biscuits 500 g", "note": "", "number": "1"}
_ANOTHER = {"id": "2", "name": "Oat bread", "note": "", "number": "2"}


def data_of(*chosen: dict[str, str], **different: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "isSingle": True,
        "chosen": list(chosen),
        "more": 0,
        "questions": [],
        "questionCount": 0,
        "options": [],
        "isMore": False,
        "unique": None,
        "asNumber": "",
        "query": "",
        "done": 0,
        "key": "item",
        "label": "Item",
        "placeholder": "",
        "about": "",
        "isOff": False,
    }
    return usual | different


def build(page: Page, data: dict[str, object]) -> None:
    """Build the field as Streamlit does, in the place of the field that is there."""
    page.evaluate(_BUILD, [_PROGRAM, combobox.HTML, data])


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page without a security policy.

    Something was chosen on it, and half a text was typed.
    """
    with chromium.new_page() as page:
        page.set_content(_PAGE)
        build(page, data_of(_CHOSEN))
        page.locator("input").click()
        page.keyboard.type("half")
        yield page


def test_unfinished_text_returns_to_the_focused_field_after_a_rerun(page: Page) -> None:
    page.clock.install()
    page.evaluate("document.querySelector('main').replaceChildren()")
    page.clock.fast_forward(5_000)
    build(page, data_of(_CHOSEN))
    page.wait_for_function("document.activeElement.matches('input')")
    assert page.locator("input").input_value() == "half"


def test_unfinished_text_does_not_return_to_a_field_that_was_left(page: Page) -> None:
    page.locator("#elsewhere").focus()
    build(page, data_of(_CHOSEN))
    assert page.locator("input").input_value() == "Oat biscuits 500 g"
    assert page.evaluate("document.activeElement.id") == "elsewhere"


@pytest.mark.parametrize(
    ("focus", "data", "shown"),
    [
        ("input", data_of(), "half"),
        ("input", data_of(_ANOTHER, done=1), "half"),
        ("input", data_of(_ANOTHER), "Oat bread"),
        ("#elsewhere", data_of(), ""),
        ("#elsewhere", data_of(_ANOTHER, done=1), "Oat bread"),
    ],
    ids=[
        "the choice went",
        "the text before it was chosen",
        "another was chosen elsewhere",
        "left, and the choice went",
        "left, and the text before it was chosen",
    ],
)
def test_unfinished_text_stays_or_is_replaced_by_the_choice(
    page: Page, focus: str, data: dict[str, object], shown: str
) -> None:
    page.locator(focus).focus()
    page.evaluate(_DRAW, data)
    assert page.locator("input").input_value() == shown


def test_unfinished_text_does_not_return_on_another_item(page: Page) -> None:
    of_another = data_of(isSingle=False, about="another item")
    build(page, data_of(isSingle=False, about="one item"))
    page.locator("input").fill("half")
    page.locator("#elsewhere").focus()
    page.evaluate(_DRAW, of_another)
    build(page, of_another)
    assert page.locator("input").input_value() == ""


def test_the_field_accepts_no_text_before_its_script_is_ready(page: Page) -> None:
    page.set_content(combobox.HTML)
    expect(page.get_by_role("combobox")).to_be_disabled()
