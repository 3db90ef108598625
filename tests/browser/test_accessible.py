"""No obstacle on any page or state, in light and in dark, for people who do not see or point as others do."""

from itertools import pairwise
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.support.dashboard import Place
from tests.support.pages import Person
from tests.support.screen_states import PAGES, STATES, VIEWS, State, View, show
from tests.support.thorough import this_is_thorough

HEADINGS = "all => all.filter(one => one.checkVisibility()).map(one => Number(one.tagName[1]))"
SIDEWAYS = """() => ["html", "[data-testid=stAppViewContainer]", "[data-testid=stMain]"].filter(
    name => document.querySelector(name).scrollWidth > document.querySelector(name).clientWidth)"""
"""A part that scrolls sideways loses its left edge as soon as the focus goes to its right."""

OUT_OF_SIGHT = """() => Array.from(document.querySelectorAll("[data-testid=stSidebar] a")).filter(
    one => one.getBoundingClientRect().right <= 0 && one.checkVisibility({ visibilityProperty: true })
).map(one => one.href)"""
"""Links of the closed menu of a telephone that Tab and a screen reader would still find."""

NOT_OURS = {
    "presentation-role-conflict": "[data-testid=stFileUploaderDropzone]",
    "color-contrast": "kbd, button[data-selected=true]",
}
"""Findings that Streamlit 1.67 causes, by rule and element; the documents list them."""

WITHIN = "([part, of]) => document.querySelector(part)?.closest(of) != null"

IN_TURN = STATES if this_is_thorough() else PAGES
SHOWN = VIEWS if this_is_thorough() else VIEWS[:2]


def obstacles(person: Person, view: View) -> set[str]:
    """Findings of axe in this view, parts that scroll sideways, and links that only Tab finds."""
    show(person, view)
    found: list[dict[str, Any]] = Axe().run(person.page).response["violations"]
    named = {
        f"{one['id']} at {' '.join(map(str, node['target']))}"
        for one in found
        for node in one["nodes"]
        if not is_streamlits(person, one["id"], node)
    }
    wider = {f"sideways at {name}" for name in person.page.evaluate(SIDEWAYS)}
    unseen = {f"out of sight: {link}" for link in person.page.evaluate(OUT_OF_SIGHT)}
    viewport, scheme = view
    return {f"{viewport['width']} {scheme}: {name}" for name in named | wider | unseen}


def is_streamlits(person: Person, rule: str, node: dict[str, Any]) -> bool:
    found = [str(node["target"][-1]), NOT_OURS.get(rule, "not-listed")]
    return bool(person.page.evaluate(WITHIN, found))


@pytest.mark.parametrize("state", IN_TURN.values(), ids=IN_TURN.keys())
def test_nothing_of_a_page_is_in_the_way(demo: Place, person: Person, state: State) -> None:
    state(demo, person)
    assert [one for view in SHOWN for one in obstacles(person, view)] == []
    levels: list[int] = person.page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(HEADINGS)
    assert levels[:1] == [1]
    assert levels.count(1) == 1
    assert [(one, next_one) for one, next_one in pairwise(levels) if next_one > one + 1] == []
