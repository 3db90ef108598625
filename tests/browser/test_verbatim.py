"""Any text in an id or a name is read by people and obeyed by nobody.

A few screens of texts here, all of them with `--thorough`; tests/screens tries each.
"""

import re
from contextlib import closing
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, expect

from components.verbatim import visible
from item_visibility.storage.database import open_records
from item_visibility.storage.directory import Directory
from item_visibility_service.store import Item
from tests.browser.held_service import HoldingLog
from tests.support.dashboard import Place
from tests.support.hostile_texts import HALVES, INVISIBLE, MARKUP, SHOWABLE, UNSENDABLE
from tests.support.known_names import put_names
from tests.support.pages import Person
from tests.support.thorough import sample

OBEYED = "img, a, script, style, svg, .katex, h1, h2, h3, ul, ol, table, blockquote, em, del, sup, hr"
A_SCREENFUL = 9
IDS = [text for text in (MARKUP | INVISIBLE).values() if len(text) <= 200 and "\n" not in text]
NAMES = [*(MARKUP | INVISIBLE | UNSENDABLE | HALVES).values()]


def screenfuls(texts: list[str]) -> list[list[str]]:
    """The texts, as many at a time as the screen lists in words."""
    return [texts[start : start + A_SCREENFUL] for start in range(0, len(texts), A_SCREENFUL)]


def triples(texts: list[str]) -> list[list[str]]:
    """The texts three at a time; the last ones stand in twice where they are too few."""
    return [(texts[start : start + 3] + texts[-2:])[:3] for start in range(0, len(texts), 3)]


def texts_in(part: Locator) -> set[str]:
    """What people read in these parts, after a check that nothing of it was obeyed."""
    expect(part.locator(OBEYED)).to_have_count(0)
    return set(part.all_text_contents())


def chips(person: Person) -> Locator:
    """The chosen recipients."""
    return person.page.get_by_role("list", name="Chosen").get_by_role("listitem")


def link(place: Place, item: Item, recipients: list[str]) -> str:
    """The link that opens the item with these recipients as chips."""
    return f"{place.address(item)}&{urlencode({'add': recipients}, doseq=True)}"


def know(place: Place, names: dict[str, str]) -> None:
    """Give recipients names, as an import would."""
    with closing(open_records(place.dashboard.records_url)) as records:
        directory = Directory(records, service=place.dashboard.service)
        put_names(directory, recipients=names.items())


@pytest.mark.parametrize("texts", sample(screenfuls(IDS), 2))
def test_a_hostile_id_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """As a chip and in the list view; saved, the service holds exactly these ids."""
    item = configured.new_item()
    person.open(link(configured, item, texts)).reads_chips(len(texts))
    assert texts_in(chips(person).locator(".number")) == {visible(one) for one in texts}
    person.press("Save")
    expect(person.page.locator(".st-key-save_result")).to_contain_text("· verified", timeout=60_000)
    assert texts_in(person.page.locator(".st-key-save_result").get_by_test_id("stMarkdownContainer"))
    assert configured.recipients(item) == set(texts)
    person.switch("List view")
    labels = person.page.locator(".st-key-recipient_list").get_by_test_id("stMarkdownContainer")
    expect(labels).to_have_count(len(texts))
    assert texts_in(labels) == {visible(one) for one in texts}


@pytest.mark.parametrize("texts", sample(screenfuls(NAMES), 2))
def test_a_hostile_name_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """As a chip and in the list view, before the id."""
    ids = {f"{configured.new_item().supplier_item_id}-{place}": text for place, text in enumerate(texts)}
    know(configured, ids)
    person.open(link(configured, configured.new_item(), list(ids))).reads_chips(len(texts))
    assert texts_in(chips(person).locator(".name")) == {visible(one) for one in texts}
    person.open(configured.address(configured.new_item(*ids))).reads("can see this item")
    person.switch("List view")
    labels = person.page.locator(".st-key-recipient_list").get_by_test_id("stMarkdownContainer")
    expect(labels).to_have_count(len(texts))
    assert texts_in(labels) == {f"{visible(name)} · {one}" for one, name in ids.items()}


@pytest.mark.parametrize("texts", sample(triples(IDS), 2))
def test_a_hostile_supplier_and_item_are_read_as_they_are(
    configured: Place, person: Person, texts: list[str]
) -> None:
    """On the card that answers a question: each part as it is, and nothing of it was obeyed."""
    supplier, item, recipient = texts
    configured.store.merge(Item(supplier, item), frozenset({recipient}))
    address = configured.address(Item(supplier, item), "/check", recipient=recipient)
    person.open(address).reads(re.compile("Yes, "))
    for label, text in (("Supplier", supplier), ("Item", item), ("Recipient", recipient)):
        expect(person.field(label)).to_have_value(visible(text))
    alert = person.page.locator(".st-key-answer_0").get_by_test_id("stAlert")
    sentence = alert.get_by_test_id("stMarkdownContainer")
    expect(sentence).to_contain_text("Yes, ")
    expect(sentence.locator(OBEYED)).to_have_count(0)


@pytest.mark.parametrize("texts", sample(screenfuls([one for one in SHOWABLE.values() if one.strip(" ")]), 2))
def test_a_services_hostile_words_are_read_as_they_are(
    configured: Place, service_log: HoldingLog, person: Person, texts: list[str]
) -> None:
    """The service's words on an error stand below it as they are, and nothing obeys them."""
    item = configured.new_item()
    detail = "\n".join(["The service says:", *texts, "That is all."])
    service_log.refuse(item, detail)
    person.open(configured.address(item)).reads("The recipients could not be read")
    person.settles()  # a run that is not over yet would fold it up again
    person.page.get_by_text("What the service answered").click()
    words = person.page.get_by_test_id("stText").filter(has_text="The service says:")
    expect(words).to_be_visible()
    assert words.text_content() == detail
    expect(words.locator(OBEYED)).to_have_count(0)
