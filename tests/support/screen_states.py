"""Functions that bring a running demo to each page and to important states."""

import re
from collections.abc import Callable
from typing import Literal

from playwright.sync_api import Locator, Page, ViewportSize, expect

from item_visibility_service.sample_data import with_check_digit
from tests.support.dashboard import Place
from tests.support.mouse_and_keyboard import box_of
from tests.support.pages import Person

State = Callable[[Place, Person], None]
View = tuple[ViewportSize, Literal["dark", "light"]]

WIDE = ViewportSize(width=1440, height=900)
NARROW = ViewportSize(width=390, height=844)
VIEWS: tuple[View, ...] = (
    (WIDE, "light"),
    (NARROW, "dark"),
    (NARROW, "light"),
    (WIDE, "dark"),
)
"""Width and colour scheme. The first two differ in both."""

ANNA, BERTA, CLARA, DORA, EMMA = (
    with_check_digit(f"95230099000{number}") for number in range(1, 6)
)
"""Recipients without a name, in the order in which the table lists them."""

COMPARED = (
    "/coverage?supplier=9521000010000&recipient=9522000010007&recipient=9522000020006"
)
_ROW_PX = 35


def show(person: Person, view: View) -> None:
    viewport, scheme = view
    person.page.set_viewport_size(viewport)
    person.page.emulate_media(color_scheme=scheme)
    expect(person.page.get_by_test_id("stApp")).to_have_css("color-scheme", scheme)
    expect(person.page.get_by_test_id("stSkeleton")).to_have_count(0)
    person.waits_until_idle()


def open_item(place: Place, person: Person) -> None:
    person.open(place.dashboard.url).reads("12 recipients can see this item")


def open_page(path: str, words: str) -> State:
    def open_it(place: Place, person: Person) -> None:
        person.open(f"{place.dashboard.url}{path}").reads(words)

    return open_it


def edit(place: Place, person: Person) -> None:
    open_item(place, person)
    person.tick(2)
    person.add("9522000130002, 9522000140001")
    person.reads_chips(2)


def show_list(place: Place, person: Person) -> None:
    open_item(place, person)
    person.switch("List view")
    expect(person.page.get_by_role("checkbox")).to_have_count(12)


def open_menu(place: Place, person: Person) -> None:
    open_item(place, person)
    person.press("More")
    person.press("Copy link")
    expect(person.page.get_by_test_id("stCode")).to_be_visible()


def open_item_of_three(place: Place, person: Person) -> None:
    item = place.new_item(ANNA, BERTA, CLARA)
    person.open(place.address(item)).reads("3 recipients can see this item")


def save(place: Place, person: Person) -> None:
    open_item_of_three(place, person)
    person.add(DORA)
    person.press("Save")
    person.reads_saved(f"Added {DORA}")


def remove_most(place: Place, person: Person) -> None:
    open_item_of_three(place, person)
    person.tick(0)
    person.tick(1)
    person.press("Save")
    person.reads("That is more than half.")


def choose_none(place: Place, person: Person) -> None:
    """Choose a supplier but no item. The page lists the known items."""
    person.open(f"{place.dashboard.url}/?supplier=9521000010000")
    person.reads("Choose a row to open the item.")


def bring_list(place: Place, person: Person) -> None:
    item = place.new_item(ANNA, BERTA, CLARA)
    ids = f"{item.supplier},{item.supplier_item_id}"
    lines = [
        "Supplier,Item,Recipient,Action",
        f"{ids},{ANNA},remove",
        f"{ids},{BERTA},remove",
        f"{ids},{DORA}\N{NO-BREAK SPACE},add",
        f"{ids},4.5E+12,add",
        "",
    ]
    person.open(f"{place.dashboard.url}/bulk")
    person.drop("Upload", "\n".join(lines).encode())
    person.reads("2 ids may be wrong")


def preview_list(place: Place, person: Person) -> None:
    bring_list(place, person)
    person.press("Accept all")
    person.reads("Type 2 to confirm")


def apply_list(place: Place, person: Person) -> None:
    item = place.new_item(ANNA)
    row = f"{item.supplier},{item.supplier_item_id},{BERTA}"
    person.open(f"{place.dashboard.url}/bulk")
    person.drop("Upload", f"Supplier,Item,Recipient\n{row}\n".encode())
    person.reads("1 item · 0 unchanged")
    person.press("Apply")
    person.reads("1 verified")


def answer_several(place: Place, person: Person) -> None:
    """Ask about a number without its market. Open an answer and its ticket."""
    person.open(f"{place.dashboard.url}/check")
    person.enter("Question", "Can Marktplatz Supermarkets see 9521000010017?")
    person.reads("Choose a row")
    person.waits_until_idle()
    choose_first_row(person.page)
    person.reads("Text for the customer")
    person.press("Copy for ticket")
    person.reads("Requests")


def compare(place: Place, person: Person) -> None:
    person.open(f"{place.dashboard.url}{COMPARED}")
    person.reads(re.compile("[1-9] missing, "))
    person.waits_until_idle()
    choose_first_row(person.page)
    preview = person.button("Preview adding Marktplatz Supermarkets to 1 item")
    expect(preview).to_be_enabled()


def choose_first_row(part: Page | Locator) -> None:
    """Click the selection box of the table's first row, which is drawn on a canvas."""
    canvas = part.get_by_test_id("data-grid-canvas").first
    expect(canvas.locator("tbody tr").first).to_be_attached()
    canvas.scroll_into_view_if_needed()
    box = box_of(canvas)
    canvas.page.mouse.click(box["x"] + _ROW_PX / 2, box["y"] + _ROW_PX * 1.5)


PAGES: dict[str, State] = {
    "item": open_item,
    "bulk": open_page("/bulk", "Or paste rows"),
    "check": open_page("/check", "copied rows that name"),
    "coverage": open_page("/coverage", "most frequent"),
    "directory": open_page("/directory", "Find names"),
    "history": open_page("/history", "Choose a row to see the details"),
    "connection": open_page("/connection", "Our side is fine."),
}
"""The start of each page in a new demo."""

STATES: dict[str, State] = PAGES | {
    "item-edited": edit,
    "item-list-view": show_list,
    "item-menu": open_menu,
    "item-saved": save,
    "item-large-removal": remove_most,
    "item-not-chosen": choose_none,
    "bulk-damaged": bring_list,
    "bulk-preview": preview_list,
    "bulk-done": apply_list,
    "check-several": answer_several,
    "coverage-compared": compare,
}
"""Each page, and other states that people often see."""
