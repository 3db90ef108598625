"""Any text in an id or a name is read by people and obeyed by nobody.

A few screens of texts here, all of them with `--thorough`; tests/screens tries each.
"""

import re
from contextlib import closing

import pytest
from playwright.sync_api import Locator, expect

from components.verbatim import visible
from item_visibility.records.directory.named_rows import Directory
from item_visibility.records.opening import open_records
from item_visibility_service.http.accepted_ids import Item
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


def quoted(text: str) -> str:
    """The text as a spreadsheet would put it into the clipboard."""
    return '"{}"'.format(text.replace('"', '""'))


def shown(text: str) -> str:
    """The text as a person reads it: unseen characters as escapes, spaces alone as open boxes."""
    return visible(text) if text.strip(" ") else "␣" * len(text)


def lines_of(person: Person) -> Locator:
    """The changes that the screen lists in words."""
    return person.page.locator(".st-key-changes").get_by_test_id("stMarkdown").filter(has_text="Adding ")


def know(place: Place, names: dict[str, str]) -> None:
    """Give recipients names, as an import would."""
    with closing(open_records(place.dashboard.records_url)) as records:
        directory = Directory(records, service=place.dashboard.service)
        put_names(directory, recipients=names.items())


def use_as_numbers(person: Person) -> None:
    """Say of all texts that were asked about that they are meant as they stand."""
    person.page.locator(".asks button:not(.remove)").last.click()


@pytest.mark.parametrize("texts", sample(screenfuls(IDS), 2))
def test_a_hostile_id_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """Pasted, listed in words, saved: the service holds exactly these ids, and nothing of them was obeyed."""
    item = configured.new_item()
    person.open(configured.address(item)).reads("Nothing is recorded for this item")
    person.add("\n".join(map(quoted, texts)))
    use_as_numbers(person)
    expect(lines_of(person)).to_have_count(len(texts))
    assert {line.text_content() for line in lines_of(person).all()} == {
        f"+ Adding {shown(one)}" for one in texts
    }
    expect(lines_of(person).locator(OBEYED)).to_have_count(0)
    person.press("Save")
    expect(person.page.locator(".st-key-save_bar")).to_contain_text("· verified", timeout=60_000)
    assert configured.recipients(item) == set(texts)


@pytest.mark.parametrize("texts", sample(screenfuls(NAMES), 2))
def test_a_hostile_name_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """Names of any content stand before their ids, and nothing of them was obeyed."""
    item = configured.new_item()
    ids = {f"{item.supplier_item_id}-{place}": text for place, text in enumerate(texts)}
    know(configured, ids)
    person.open(configured.address(item)).reads("Nothing is recorded for this item")
    person.add("\n".join(ids))
    expect(lines_of(person)).to_have_count(len(texts))
    assert {line.text_content() for line in lines_of(person).all()} == {
        f"+ Adding {shown(name)} {one}" for one, name in ids.items()
    }
    expect(lines_of(person).locator(OBEYED)).to_have_count(0)


@pytest.mark.parametrize("texts", sample(triples(IDS), 2))
def test_a_hostile_supplier_and_item_are_read_as_they_are(
    configured: Place, person: Person, texts: list[str]
) -> None:
    """On the card that answers a question: each part as it is, and nothing of it was obeyed."""
    supplier, item, recipient = texts
    configured.store.merge(Item(supplier, item), frozenset({recipient}))
    address = configured.address(Item(supplier, item), "/check", recipient=recipient)
    person.open(address).reads("Yes, this recipient can see the item.")
    chips = person.page.locator(".st-key-answer .st-key-reading_0 button").get_by_test_id(
        "stMarkdownContainer"
    )
    parts = {"Recipient": recipient, "Item": item, "Supplier": supplier}
    read = chips.filter(has_text=re.compile("^(Recipient|Item|Supplier) "))
    expect(read).to_have_count(len(parts))
    assert {f"{part} {shown(text)}" for part, text in parts.items()} == set(read.all_text_contents())
    expect(read.locator(OBEYED)).to_have_count(0)


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
