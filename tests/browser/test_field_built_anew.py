"""The field that finds by name, built anew by Streamlit: it shows what was typed, or what is chosen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from components.finder import choices

_PROGRAM = Path(choices.__file__).with_name("combobox.js").read_text("utf-8")
_PAGE = "<main></main><button id='elsewhere'>Elsewhere</button>"
_BUILD = """async ([program, html, data]) => {
    const address = () => URL.createObjectURL(new Blob([program], { type: "text/javascript" }))
    window.__draw ??= (await import(address())).default
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
    data = {
        "isSingle": True,
        "chosen": list(chosen),
        "more": 0,
        "questions": [],
        "questionCount": 0,
        "options": [],
    }
    told = {"isMore": False, "unique": None, "asNumber": "", "query": "", "done": 0, "key": "item"}
    shown = {"label": "Item", "placeholder": "", "about": "", "isOff": False}
    return data | told | shown | different


def build(page: Page, data: dict[str, object]) -> None:
    """Build the field as Streamlit does, in the place of the one before."""
    page.evaluate(_BUILD, [_PROGRAM, choices._HTML, data])  # noqa: SLF001  (what Streamlit is given)


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page without a policy, where something was chosen and half a text was typed."""
    with chromium.new_page() as page:
        page.set_content(_PAGE)
        build(page, data_of(_CHOSEN))
        page.locator("input").click()
        page.keyboard.type("half")
        yield page


def test_half_a_text_comes_back_under_the_hand(page: Page) -> None:
    page.clock.install()
    page.evaluate("document.querySelector('main').replaceChildren()")
    page.clock.fast_forward(5_000)
    build(page, data_of(_CHOSEN))
    page.wait_for_function("document.activeElement.matches('input')")
    assert page.locator("input").input_value() == "half"


def test_half_a_text_that_was_left_does_not_come_back(page: Page) -> None:
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
def test_half_a_text_stays_under_the_hand_or_gives_way_to_the_choice(
    page: Page, focus: str, data: dict[str, object], shown: str
) -> None:
    page.locator(focus).focus()
    page.evaluate(_DRAW, data)
    assert page.locator("input").input_value() == shown


def test_a_text_that_did_not_go_along_does_not_come_back_either(page: Page) -> None:
    build(page, data_of(isSingle=False, about="one item"))
    page.locator("input").fill("half")
    page.locator("#elsewhere").focus()
    page.evaluate(_DRAW, data_of(isSingle=False, about="another item"))
    build(page, data_of(isSingle=False, about="another item"))
    assert page.locator("input").input_value() == ""


def test_nothing_is_typed_into_a_field_whose_program_does_not_listen_yet(page: Page) -> None:
    page.set_content(choices._HTML)  # noqa: SLF001  (what Streamlit is given)
    expect(page.get_by_role("combobox")).to_be_disabled()
