"""A wrong entry in each field that takes numbers: asked about on the screen, and neither staged nor kept."""

import pytest

from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit
from tests.support.known_names import put_names
from tests.support.screens import DIRECTORY_PAGE, Window

pytestmark = pytest.mark.screen

SOME = ("Supermarkets", "Bitte Sonnenhof freischalten ab 01.12.2026", "95220000200")
some_entries = pytest.mark.parametrize("text", SOME)


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """A desk that knows numbers of the usual forms."""
    kit = open_desk({ITEM: {"9522000010009"}})
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk")],
        recipients=[("9522000010009", "Marktplatz Supermarkets")],
    )
    return kit


def asked(window: Window, key: str) -> list[str]:
    """The texts that a field asks about."""
    return [str(one["shown"]) for one in window.found(key)["asked"]]


@some_entries
def test_add_recipients_asks(kit: DeskKit, text: str) -> None:
    """Save finds nothing to save, and the question stays."""
    window = Window(ITEM)
    window.add(text)
    window.click_again_at_once("save")
    assert (asked(window, "add_recipients"), window.staged) == ([text], [])
    assert kit.fake.writes == []


@pytest.mark.parametrize("key", ["supplier", "item"])
@some_entries
def test_supplier_and_item_ask(kit: DeskKit, key: str, text: str) -> None:
    """Nothing is read, and no list is shown."""
    window = Window(ITEM)
    read = len(kit.fake.calls)
    window.find("entered", text, key=key)
    assert (asked(window, key), window.editors, len(kit.fake.calls)) == ([text], 0, read)


@some_entries
def test_copy_recipients_from_asks(kit: DeskKit, text: str) -> None:
    """Nothing is read."""
    window = Window(ITEM)
    read = len(kit.fake.calls)
    window.find("entered", text, key="copy_from")
    assert (asked(window, "copy_from"), len(kit.fake.calls)) == ([text], read)


@some_entries
def test_a_set_asks(kit: DeskKit, text: str) -> None:
    """It is not made before the text is decided about."""
    window = Window()
    window.go_to(DIRECTORY_PAGE)
    window.switch("directory_part", "Recipient sets")
    window.find("entered", text, key="new_set_recipients")
    window.type("new_set_name", "Shops")
    window.click("make_set")
    assert asked(window, "new_set_recipients") == [text]
    assert kit.records.sets.names() == ()


@pytest.mark.usefixtures("kit")
@some_entries
def test_the_supplier_of_a_bulk_list_asks(text: str) -> None:
    """No supplier is chosen for the rows."""
    window = Window()
    window.go_to(BULK_PAGE)
    window.find("entered", text, key="bulk_supplier")
    field = window.found("bulk_supplier")
    assert (asked(window, "bulk_supplier"), field["chosen"]) == ([text], [])
