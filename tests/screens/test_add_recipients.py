"""The field that adds recipients, on a small page of its own: what is chosen, and what is said about it."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.finder import combobox
from components.finder.combobox import Act, acts_key, typed_key
from item_visibility.client.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit
from tests.support.fake_visibilities import FakeCall, refused
from tests.support.known_names import put_names

pytestmark = pytest.mark.screen

KEY = "add_recipients"
PAGE = Path(__file__).parents[1] / "support" / "add_recipients_page.py"
OTHER = ItemKey(ITEM.supplier, "04012345678901:040")
COPY = f"item:{OTHER.supplier_item_id}"


class AddPage:
    """The page with the field, on one item."""

    def __init__(self, item: ItemKey = ITEM, **address: str) -> None:
        self.app = AppTest.from_file(str(PAGE), default_timeout=60)
        self.open(item, **address)

    def open(self, item: ItemKey, **address: str) -> None:
        """Open an item."""
        self.app.query_params.update({"supplier": item.supplier, "item": item.supplier_item_id, **address})
        self._run()

    def act(self, what: str, text: str = "", number: str = "") -> None:
        """Do something in the field, as its component would report it."""
        self.app.session_state[acts_key(KEY)] = [Act(what, text, number)]
        self._run()

    def save(self) -> list[str]:
        """Press Save, and return what the page then says about it."""
        self.app.button(key="save").click()
        self._run()
        return [one.value for one in self.app.text][1:]

    @property
    def shown(self) -> dict[str, Any]:
        """What the field shows."""
        (component,) = self.app.get("bidi_component")
        return dict(json.loads(component.proto.json))

    @property
    def chips(self) -> list[str]:
        """The chips, with their marks."""
        parts = ("name", "note", "number", "mark")
        return [" ".join(filter(None, map(one.get, parts))) for one in self.shown["chosen"]]

    def _run(self) -> None:
        self.app.run()
        assert not self.app.exception


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """An item, another one in Austria, a set, and a name."""
    kit = open_desk({ITEM: {"4000001000012"}, OTHER: {"4000001000029", "4000001000036"}})
    kit.desk.sets.make("Online shops", ["4000001000029", "4000001000043"])
    put_names(kit.records.directory, items=[(OTHER, "", "Oat biscuits")], recipients=[("4711", "Le Panier")])
    return kit


@pytest.mark.usefixtures("kit")
def test_save_gets_single_recipients_and_all_of_each_group() -> None:
    """A set, another item and a name; each is one chip."""
    page = AddPage()
    page.act("grouped", "set:Online shops")
    page.act("grouped", COPY)
    page.act("entered", "le panier")
    assert page.chips == [
        "Set Online shops 2",
        "Same recipients as Oat biscuits · Austria 2",
        "Le Panier 4711",
    ]
    assert page.save() == [
        "Saved: 4000001000029, 4000001000036, 4000001000043, 4711",
        "Chips: 4711",
        "Sets: Online shops",
        "Undecided:",
    ]
    assert page.chips == []


@pytest.mark.usefixtures("kit")
def test_a_group_that_is_taken_back_adds_nothing() -> None:
    """Its chip goes, and its recipients with it."""
    page = AddPage()
    page.act("grouped", "set:Online shops")
    page.act("ungrouped", "set:Online shops")
    assert page.save()[0] == "Saved:"


def test_a_group_that_cannot_be_read_says_so_and_adds_nothing(kit: DeskKit) -> None:
    """The service refuses to show the other item; a set was deleted meanwhile."""

    def refuse_other(call: FakeCall) -> None:
        if call.item == OTHER:
            raise refused(call.operation)

    page = AddPage()
    kit.fake.before_call = refuse_other
    page.act("grouped", COPY)
    assert page.shown["note"].startswith("Could not be read, so nothing was added: ")
    kit.desk.sets.delete("Online shops")
    page.act("grouped", "set:Online shops")
    assert page.shown["note"].startswith("Could not be read, so nothing was added: This recipient set")
    assert page.chips == []


@pytest.mark.usefixtures("kit")
def test_what_is_listed_already_and_what_looks_wrong_is_marked() -> None:
    """Neither is blocked."""
    page = AddPage()
    page.act("entered", "4000001000012, 4000001000044")
    assert page.chips == [
        "4000001000012 already can see this item",
        "4000001000044 check digit does not fit: 4000001000043 would",
    ]
    assert page.shown["note"] == "1 already listed"


@pytest.mark.usefixtures("kit")
def test_prose_is_ignored_and_reported() -> None:
    """It never keeps anything from being saved."""
    page = AddPage()
    page.act("entered", "Dear colleagues, please add Le Panier to it. Kind regards, Anna Schmidt")
    assert page.chips == ["Le Panier 4711"]
    ignored = "Ignored: Dear colleagues … please add … to it. Kind regards … Anna Schmidt"
    assert page.shown["note"] == ignored
    assert page.save()[-1] == "Undecided:"


@pytest.mark.usefixtures("kit")
def test_words_that_nobody_is_called_wait_for_a_decision() -> None:
    """So does text that was left in the field; a text that no request can carry is never an id."""
    page = AddPage()
    page.act("entered", "Zzyxx Handel, Panier, ..")
    asked = [(one["before"], one["shown"], one["after"], one["use"]) for one in page.shown["questions"][:2]]
    assert asked == [
        ("Nobody is called", "Zzyxx Handel", "", "Add it as an id"),
        ("Nobody is called", "Panier", "", "Add it as an id"),
    ]
    assert page.shown["questions"][2]["use"] == ""
    assert [one["name"] for one in page.shown["questions"][1]["alike"]] == ["Le Panier"]
    page.app.session_state[typed_key(KEY)] = "half a na"
    assert page.save()[-1] == "Undecided: Zzyxx Handel, Panier, .., half a na"
    page.app.session_state[typed_key(KEY)] = ""
    page.act("used", "Zzyxx Handel")
    page.act("named", "Panier", "4711")
    page.act("used", "..")
    page.act("dropped", "..")
    assert page.chips == ["Zzyxx Handel", "Le Panier 4711"]
    assert page.save()[-1] == "Undecided:"


@pytest.mark.usefixtures("kit")
def test_nothing_is_found_after_the_sign_in_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window stays open, so that Save can carry the changes; names are no longer read for it."""
    page = AddPage()
    page.app.session_state[typed_key(KEY)] = "panier"
    page.act("removed", "4712")
    assert [one["id"] for one in page.shown["options"]] == ["4711"]
    monkeypatch.setattr(combobox, "may_look_here", lambda: False)
    page.act("removed", "4712")
    assert page.shown["options"] == []
    assert page.shown["moreWords"].startswith("Your sign-in has ended. Press Save")
