"""Any text in an id or a name is read by people and obeyed by nobody.

A few screens of texts here, all of them with `--thorough`; tests/screens tries each.
"""

import re
from collections.abc import Sequence
from contextlib import closing
from typing import TypeVar
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from components.verbatim import visible
from item_visibility.storage.database import open_records
from item_visibility.storage.directory import Directory
from tests.support.dashboard import Place
from tests.support.desk import put_names
from tests.support.hostile_texts import HALVES, INVISIBLE, MARKUP, UNSENDABLE
from tests.support.pages import Person
from tests.support.thorough import sample

OBEYED = "img, a, script, style, svg, .katex, h1, h2, h3, ul, ol, table, blockquote, em, del, sup, hr"
A_SCREENFUL = 9
TEXTS = [text for text in (MARKUP | INVISIBLE).values() if len(text) <= 200 and "\n" not in text]
NAMES = (MARKUP | INVISIBLE | UNSENDABLE | HALVES).values()
PAIRS = list(zip(TEXTS, reversed(NAMES), strict=False))
"""Ids, and the name of each."""

_One = TypeVar("_One")


def screenfuls(texts: Sequence[_One]) -> list[Sequence[_One]]:
    return [texts[start : start + A_SCREENFUL] for start in range(0, len(texts), A_SCREENFUL)]


def texts_in(part: Locator) -> set[str]:
    """What people read in these parts, after a check that nothing of it was obeyed."""
    expect(part.locator(OBEYED)).to_have_count(0)
    return set(part.all_text_contents())


@pytest.mark.parametrize("pairs", sample(screenfuls(PAIRS), 3))
def test_hostile_ids_and_names_are_read_as_they_are(
    configured: Place, person: Person, pairs: list[tuple[str, str]]
) -> None:
    item, names = configured.new_item(), dict(pairs)
    with closing(open_records(configured.dashboard.records_url)) as records:
        put_names(Directory(records, service=configured.dashboard.service), recipients=names.items())
    link = f"{configured.address(item)}&{urlencode({'add': list(names)}, doseq=True)}"
    person.open(link).reads_chips(len(names))
    chips = person.page.get_by_role("list", name="Chosen").get_by_role("listitem")
    assert texts_in(chips.locator(".number")) == {visible(one) for one in names}
    assert texts_in(chips.locator(".name")) == {visible(one) for one in names.values()}
    person.press("Save")
    result = person.page.locator(".st-key-save_result")
    expect(result).to_contain_text("· verified", timeout=60_000)
    assert texts_in(result.get_by_test_id("stMarkdownContainer"))
    assert configured.recipients(item) == set(names)
    person.switch("List view")
    labels = person.page.locator(".st-key-recipient_list").get_by_test_id("stMarkdownContainer")
    expect(labels).to_have_count(len(names))
    expect(labels.filter(has_text=re.compile("^$"))).to_have_count(0)  # Streamlit loads emoji later
    assert texts_in(labels) == {f"{visible(name)} · {visible(one)}" for one, name in names.items()}
