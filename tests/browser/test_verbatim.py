"""Whatever stands in an id or a name is read by people and obeyed by nobody."""

import pytest
from playwright.sync_api import Locator, expect

from components.verbatim import visible
from item_visibility.records.directory import KnownRecipient
from item_visibility.records.opening import open_records
from tests.support.dashboard import Place
from tests.support.hostile_texts import HALVES, INVISIBLE, MARKUP, UNSENDABLE
from tests.support.pages import Person

OBEYED = "img, a, script, style, svg, .katex, h1, h2, h3, ul, ol, table, blockquote, em, del, sup, hr"
A_SCREENFUL = 9
IDS = [text for text in (MARKUP | INVISIBLE).values() if len(text) <= 200 and "\n" not in text]
NAMES = [*(MARKUP | INVISIBLE | UNSENDABLE | HALVES).values()]


def screenfuls(texts: list[str]) -> list[list[str]]:
    """The texts, as many at a time as the screen lists in words."""
    return [texts[start : start + A_SCREENFUL] for start in range(0, len(texts), A_SCREENFUL)]


def quoted(text: str) -> str:
    """The text as a spreadsheet would put it into the clipboard."""
    return '"{}"'.format(text.replace('"', '""'))


def shown(text: str) -> str:
    """What a person reads: characters that nobody can see as escapes, blanks alone as open boxes."""
    return visible(text) if text.strip(" ") else "␣" * len(text)


def lines_of(person: Person) -> Locator:
    """The changes that the screen lists in words."""
    return person.page.locator(".st-key-changes").get_by_test_id("stMarkdown").filter(has_text="Add ")


def know(place: Place, names: dict[str, str]) -> None:
    """Give recipients names, as an import would."""
    database = next(place.dashboard.folder.rglob("records.sqlite"))
    records = open_records(f"sqlite:///{database}")
    directory = records.directory(environment="default")
    directory.put_names(recipients=[KnownRecipient(one, name) for one, name in names.items()])
    records.close()


@pytest.mark.parametrize("texts", screenfuls(IDS))
def test_a_hostile_id_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """Pasted, listed in words, saved: the service holds exactly these ids, and nothing of them was obeyed."""
    item = configured.new_item()
    person.open(configured.address(item)).reads("Nothing is recorded for this item")
    person.paste("Add recipients", "\n".join(map(quoted, texts)))
    person.press("Add")
    expect(lines_of(person)).to_have_count(len(texts))
    assert {line.text_content() for line in lines_of(person).all()} == {
        f"add Add {shown(one)}" for one in texts
    }
    expect(lines_of(person).locator(OBEYED)).to_have_count(0)
    person.press("Save")
    person.reads(f"{len(texts)} added · verified")
    assert configured.recipients(item) == set(texts)


@pytest.mark.parametrize("texts", screenfuls(NAMES))
def test_a_hostile_name_is_read_as_it_is(configured: Place, person: Person, texts: list[str]) -> None:
    """Names of any content stand before their ids, and nothing of them was obeyed."""
    item = configured.new_item()
    ids = {f"{item.supplier_item_id}-{place}": text for place, text in enumerate(texts)}
    know(configured, ids)
    person.open(configured.address(item)).reads("Nothing is recorded for this item")
    person.paste("Add recipients", "\n".join(ids))
    person.press("Add")
    expect(lines_of(person)).to_have_count(len(texts))
    assert [line.text_content() for line in lines_of(person).all()] == [
        f"add Add {shown(name)} {one}" for one, name in ids.items()
    ]
    expect(lines_of(person).locator(OBEYED)).to_have_count(0)
