"""Each page is accessible, shows ids and names exactly, and draws what it should."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Position, expect

from components.markdown_escape import visible
from item_visibility.storage.directory import Directory
from item_visibility.storage.open_records import open_records
from item_visibility_service.sample_data import with_check_digit
from item_visibility_service.store import Item
from tests.support.dashboard import Place, run_demo
from tests.support.desk import put_names
from tests.support.hostile_texts import (
    HALVES,
    INVISIBLE,
    MARKUP,
    ORDINARY_NAMES,
    UNSENDABLE,
)
from tests.support.mouse_and_keyboard import box_of
from tests.support.pages import Person
from tests.support.screen_states import ANNA, PAGES, STATES, VIEWS, State, View, show
from tests.support.thorough import sample, this_is_thorough

HEADINGS = """headings => headings
    .filter(heading => heading.checkVisibility())
    .map(heading => Number(heading.tagName[1]))"""
"""The levels of the visible headings."""

SIDEWAYS = """() => {
    const names = ["html", "[data-testid=stAppViewContainer]", "[data-testid=stMain]"]
    return names.filter(name => {
        const part = document.querySelector(name)
        return part.scrollWidth > part.clientWidth
    })
}"""
"""Parts that scroll sideways.

Their left edge disappears as soon as something on the right gets the focus.
"""

OUT_OF_SIGHT = """() => {
    const links = document.querySelectorAll("[data-testid=stSidebar] a")
    return Array.from(links)
        .filter(link => link.getBoundingClientRect().right <= 0)
        .filter(link => link.checkVisibility({ visibilityProperty: true }))
        .map(link => link.href)
}"""
"""Links in a phone's closed menu that Tab and screen readers can still reach."""

NOT_OURS = {
    "presentation-role-conflict": "[data-testid=stFileUploaderDropzone]",
    "color-contrast": "kbd, button[data-selected=true]",
}
"""Violations that Streamlit 1.67 causes, by rule and element.

The decision about Streamlit lists them.
"""

WITHIN = "([part, of]) => document.querySelector(part)?.closest(of) != null"

IN_TURN = STATES if this_is_thorough() else PAGES
SHOWN = VIEWS if this_is_thorough() else VIEWS[:2]


def obstacles(person: Person, view: View) -> list[str]:
    """Return what makes the page hard to use in this view.

    These are axe's violations, parts that scroll sideways, and links that only Tab
    reaches.
    """
    show(person, view)
    violations: list[dict[str, Any]] = Axe().run(person.page).response["violations"]
    found = []
    for violation in violations:
        rule = violation["id"]
        for node in violation["nodes"]:
            target = [str(part) for part in node["target"]]
            if not is_streamlits(person, rule, target[-1]):
                found.append(f"{rule} at {' '.join(target)}")
    found += [f"sideways at {name}" for name in person.page.evaluate(SIDEWAYS)]
    found += [f"out of sight: {link}" for link in person.page.evaluate(OUT_OF_SIGHT)]

    viewport, scheme = view
    return [f"{viewport['width']} {scheme}: {obstacle}" for obstacle in found]


def is_streamlits(person: Person, rule: str, part: str) -> bool:
    parts_of_streamlit = NOT_OURS.get(rule, "not-listed")
    return bool(person.page.evaluate(WITHIN, [part, parts_of_streamlit]))


@pytest.mark.parametrize("state", IN_TURN.values(), ids=IN_TURN.keys())
def test_every_page_passes_the_accessibility_check(
    demo: Place, person: Person, state: State
) -> None:
    state(demo, person)
    for view in SHOWN:
        assert obstacles(person, view) == []

    headings = person.page.locator("h1, h2, h3, h4, h5, h6")
    levels: list[int] = headings.evaluate_all(HEADINGS)
    assert levels[:1] == [1]
    assert levels.count(1) == 1

    for level, next_level in pairwise(levels):
        assert next_level <= level + 1


NO_SUCH_PAGE = "The page that you have requested does not seem to exist"


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Place]:
    with run_demo(tmp_path) as place:
        yield place


def reads_frame(person: Person) -> None:
    links = person.page.get_by_role("navigation").get_by_role("link")
    expect(links).to_contain_text(["Item", "Check", "Connection"])


def test_a_cold_server_shows_a_page_inside_the_frame(
    cold: Place, person: Person
) -> None:
    person.open(f"{cold.dashboard.url}/check").reads(
        re.compile("copied rows that name")
    )
    person.reads("Demo: sample data")
    reads_frame(person)


@pytest.mark.parametrize("address", ["/item", "/nowhere"])
def test_an_unknown_address_shows_a_note_above_the_first_page(
    demo: Place, person: Person, address: str
) -> None:
    person.watch.allow(NO_SUCH_PAGE)
    person.open(f"{demo.dashboard.url}{address}").reads(re.compile("Page not found"))
    person.reads("12 recipients can see this item")
    reads_frame(person)


RECIPIENT = "club-50%"
_NAME_PX = 150
_ROW_PX = 35


def test_a_name_can_be_edited_in_the_table_and_saved(
    demo: Place, person: Person
) -> None:
    person.open(f"{demo.dashboard.url}/directory").reads(
        re.compile("^[0-9,]+ recipients")
    )

    canvas = person.page.get_by_test_id("data-grid-canvas").first
    search = person.page.get_by_label("Find names")
    person.hand.enter(search, RECIPIENT)
    expect(canvas.locator("tbody tr")).to_have_count(1)

    person.waits_until_idle()
    box = box_of(canvas)
    person.page.mouse.dblclick(box["x"] + _NAME_PX, box["y"] + _ROW_PX * 1.5)
    person.page.locator(".gdg-input").fill("Club Zürich")
    person.page.keyboard.press("Enter")
    person.page.wait_for_timeout(400)
    person.press("Save changes")
    person.reads("Saved in the directory.")

    person.hand.enter(search, "ZURICH")
    expect(canvas.locator("tbody tr").first).to_contain_text(RECIPIENT)


CORNER = Position(x=3, y=3)
AWKWARD = 'shop *bold* <b>"[0].x'


def test_a_cell_of_the_map_shows_its_answer(demo: Place, person: Person) -> None:
    gtin = with_check_digit("0952198000001")
    item = Item(with_check_digit("952100098000"), f"{gtin}:276")
    demo.store.replace(item, frozenset({ANNA, AWKWARD}), merges=True)
    person.open(demo.address(item)).reads("2 recipients can see this item")

    demo.store.remove(item, ANNA)
    choice = {"supplier": item.supplier, "recipient": [AWKWARD, ANNA]}
    address = urlencode(choice, doseq=True)
    person.open(f"{demo.dashboard.url}/coverage?{address}")
    person.reads(re.compile("Last read"))

    table = person.page.get_by_role("region", name=re.compile("^Known items"))
    row = table.locator("canvas tr", has_text=item.supplier_item_id)
    expect(row).not_to_contain_text("Missing")

    person.press("Read all items now")
    expect(row).to_contain_text("Extra")
    expect(row).to_contain_text("YesNo")

    person.waits_until_idle()
    person.button(re.compile("^Remove .*shop")).click()
    person.button(f"Remove {ANNA}").click()
    of_shop = re.compile(re.escape(f"Recipient: {AWKWARD}"))
    person.page.get_by_label(of_shop).first.hover(position=CORNER)
    tooltip = person.page.locator("#vg-tooltip-element")
    expect(tooltip).to_contain_text(AWKWARD)
    expect(tooltip).to_contain_text("today")


OBEYED = (
    "img, a, script, style, svg, .katex, h1, h2, h3, ul, ol, table, blockquote, em, "
    "del, sup, hr"
)
"""What Markdown or HTML in a text would be rendered as."""
A_SCREENFUL = 9
TEXTS = [
    text
    for text in (MARKUP | INVISIBLE).values()
    if len(text) <= 200 and "\n" not in text
]
NAMES = [*(MARKUP | INVISIBLE | UNSENDABLE | HALVES).values(), *ORDINARY_NAMES]
PAIRS = list(zip(TEXTS, reversed(NAMES), strict=False))
"""Ids with their names."""

_Text = TypeVar("_Text")


def screenfuls(texts: Sequence[_Text]) -> list[Sequence[_Text]]:
    starts = range(0, len(texts), A_SCREENFUL)
    return [texts[start : start + A_SCREENFUL] for start in starts]


def texts_in(part: Locator) -> set[str]:
    """Return the texts in these parts. None was rendered as Markdown or HTML."""
    expect(part.locator(OBEYED)).to_have_count(0)
    return set(part.all_text_contents())


@pytest.mark.parametrize("pairs", sample(screenfuls(PAIRS), 3))
def test_hostile_ids_and_names_are_shown_as_they_are(
    configured: Place, person: Person, pairs: list[tuple[str, str]]
) -> None:
    item = configured.new_item()
    names = dict(pairs)
    with closing(open_records(configured.dashboard.records_url)) as records:
        put_names(
            Directory(records, service=configured.dashboard.service),
            recipients=names.items(),
        )
    link = f"{configured.address(item)}&{urlencode({'add': list(names)}, doseq=True)}"
    person.open(link).reads_chips(len(names))
    chips = person.page.get_by_role("list", name="Chosen").get_by_role("listitem")
    assert texts_in(chips.locator(".number")) == set(map(visible, names))
    assert texts_in(chips.locator(".name")) == set(map(visible, names.values()))

    person.press("Save")
    result = person.page.locator(".st-key-save_result")
    expect(result).to_contain_text("· verified", timeout=60_000)
    assert texts_in(result.get_by_test_id("stMarkdownContainer"))
    assert configured.recipients(item) == set(names)

    person.switch("List view")
    labels = person.page.locator(".st-key-recipient_list").get_by_test_id(
        "stMarkdownContainer"
    )
    expect(labels).to_have_count(len(names))
    # Streamlit draws emoji later.
    expect(labels.filter(has_text=re.compile("^$"))).to_have_count(0)
    assert texts_in(labels) == {
        f"{visible(name)} · {visible(number)}" for number, name in names.items()
    }
