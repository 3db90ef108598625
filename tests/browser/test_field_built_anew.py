"""The field that finds by name, built anew by Streamlit: it shows what was typed, or what is chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from components.finder import combobox

_PROGRAM = Path(combobox.__file__).with_suffix(".js").read_text("utf-8")
_PAGE = "<main></main><button id='elsewhere'>Elsewhere</button>"
_BUILD = """async ([program, html, data]) => {
    const address = () => URL.createObjectURL(new Blob([program], { type: "text/javascript" }))
    window.__draw ??= (await import(address())).default
    const root = document.createElement("div")
    root.innerHTML = html
    document.querySelector("main").replaceChildren(root)
    window.__draw({ data, parentElement: root, setStateValue: () => {} })
}"""
_CHOSEN = {"id": "1", "name": "Oat biscuits 500 g", "note": "", "number": "1"}


def build(page: Page, chosen: dict[str, str]) -> None:
    """Build the field as Streamlit does, in the place of the one before."""
    data = {"isSingle": True, "chosen": [chosen], "more": 0, "asked": [], "askedInAll": 0, "options": []}
    told = {"isMore": False, "taken": None, "asNumber": "", "query": "", "done": 0, "key": "item"}
    shown = {"label": "Item", "placeholder": "", "about": "", "isOff": False}
    page.evaluate(_BUILD, [_PROGRAM, combobox._HTML, data | told | shown])  # noqa: SLF001  (what Streamlit is given)


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page without a policy, where something was chosen and half a text was typed."""
    with chromium.new_page() as page:
        page.set_content(_PAGE)
        build(page, _CHOSEN)
        page.locator("input").click()
        page.keyboard.type("half")
        yield page


def test_half_a_text_comes_back_under_the_hand(page: Page) -> None:
    """The focus was in the field when it went."""
    build(page, _CHOSEN)
    page.wait_for_function("document.activeElement.matches('input')")
    assert page.locator("input").input_value() == "half"


def test_half_a_text_that_was_left_does_not_come_back(page: Page) -> None:
    """It shows what is chosen, whenever it is built anew."""
    page.locator("#elsewhere").focus()
    build(page, _CHOSEN)
    assert page.locator("input").input_value() == "Oat biscuits 500 g"
    assert page.evaluate("document.activeElement.id") == "elsewhere"
