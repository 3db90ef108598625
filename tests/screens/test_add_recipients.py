"""The field Add recipients: what it accepts, and what it says about it."""

import pytest

from components.finder import combobox
from item_visibility.client.identifiers import ItemKey
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit, put_names
from tests.support.fake_visibilities import FakeCall, refused
from tests.support.screens import Window

OTHER = ItemKey(ITEM.supplier, "04012345678901:040")
COPY = f"item:{OTHER.supplier_item_id}"


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    kit = open_desk(
        {ITEM: {"4000001000012"}, OTHER: {"4000001000029", "4000001000036"}}
    )
    kit.desk.sets.make("Online shops", ["4000001000029", "4000001000043"])
    put_names(
        kit.records.directory,
        items=[(OTHER, "", "Oat biscuits")],
        recipients=[("4711", "Le Panier")],
    )
    return kit


def chips(window: Window) -> list[str]:
    parts = ("name", "note", "number", "mark")
    return [
        " ".join(filter(None, map(chip.get, parts)))
        for chip in window.found()["chosen"]
    ]


def test_a_set_and_another_item_and_a_name_are_one_chip_each(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.find("grouped", "set:Online shops")
    window.find("ungrouped", "set:Online shops")
    window.find("grouped", COPY)
    window.find("entered", "le panier, 4000001000012, 4000001000044")
    assert chips(window) == [
        "Same recipients as Oat biscuits · Austria 2",
        "Le Panier 4711",
        "4000001000012 can already see this item",
        "4000001000044 check digit does not fit: 4000001000043 would",
    ]
    assert window.found()["note"] == "1 already listed"
    window.save()
    added = {"4000001000029", "4000001000036", "4711", "4000001000044"}
    assert kit.fake.recipients_of(ITEM) == {"4000001000012", *added}
    assert chips(window) == []


def test_a_group_that_cannot_be_read_says_so_and_adds_nothing(kit: DeskKit) -> None:
    def refuse_other(call: FakeCall) -> None:
        if call.item == OTHER:
            raise refused()

    window = Window(ITEM)
    kit.fake.before_call = refuse_other
    window.find("grouped", COPY)
    assert window.found()["note"].startswith(
        "Nothing was added, because a list could not be read: "
    )
    kit.desk.sets.delete("Online shops")
    window.find("grouped", "set:Online shops")
    assert window.found()["note"].startswith(
        "Nothing was added, because a list could not be read: This recipient set"
    )
    assert chips(window) == []


@pytest.mark.usefixtures("kit")
def test_ignored_words_are_listed_until_they_are_dismissed() -> None:
    window = Window(ITEM)
    window.find(
        "entered",
        "Dear colleagues, please add Le Panier to it. Kind regards, Anna Schmidt",
    )
    ignored = "Dear colleagues … please add to it. Kind regards … Anna Schmidt"
    assert window.found()["ignored"] == ignored
    window.find("cleared")
    assert window.found()["ignored"] == ""
    (asked,) = window.found()["questions"]
    assert asked["shown"] == "Le Panier"
    assert asked["after"] == "was found in a sentence."
    assert asked["use"] == ""
    window.find("named", "Le Panier", "4711")
    window.save()
    assert window.alerts == ["Added Le Panier · verified TIME"]


def test_unknown_words_wait_for_a_decision(kit: DeskKit) -> None:
    window = Window(ITEM)
    window.find("entered", "Zzyxx Handel, Panier, ..")
    questions = window.found()["questions"]
    assert [
        (question["before"], question["shown"], question["use"])
        for question in questions[:2]
    ] == [
        ("No recipient is called", "Zzyxx Handel", "Add it as an id"),
        ("No recipient is called", "Panier", "Add it as an id"),
    ]
    assert questions[2]["use"] == ""
    assert [choice["name"] for choice in questions[1]["alike"]] == ["Le Panier"]
    window.save()
    assert kit.fake.writes == []
    window.find("named", "Zzyxx Handel", "Zzyxx Handel")
    window.find("named", "Panier", "4711")
    window.find("named", "..", "..")
    window.find("dropped", "..")
    assert chips(window) == ["Zzyxx Handel", "Le Panier 4711"]
    window.save()
    assert kit.fake.recipients_of(ITEM) == {"4000001000012", "Zzyxx Handel", "4711"}


@pytest.mark.usefixtures("kit")
def test_nothing_is_found_after_the_sign_in_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = Window(ITEM)
    window.type_half("panier")
    window.leave()
    assert [option["id"] for option in window.found()["options"]] == ["4711"]
    monkeypatch.setattr(combobox, "may_look_here", lambda: False)
    window.leave()
    assert window.found()["options"] == []
    assert window.found()["moreWords"].startswith("Your sign-in has ended. Press Save")
