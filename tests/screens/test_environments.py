"""Several environments: what belongs to one never shows up in, or reaches, another."""

from dataclasses import replace
from pathlib import Path

import pytest

from components import session
from item_visibility.settings import Settings
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, a_request
from tests.support.fake_visibilities import Fault, not_sent
from tests.support.screens import CHECK_PAGE, HISTORY_PAGE, ITEM_PAGE, Window

LIVE = replace(TEST_ENVIRONMENT, name="live", base_url="https://live.example.com/v1", color="red")
LOCKED = replace(TEST_ENVIRONMENT, name="locked", base_url="https://locked.example.com/v1", is_read_only=True)
ABC = frozenset("ABC")


@pytest.fixture
def kits(open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, DeskKit]:
    """Three environments on one database, each with a service of its own; the same item is in all of them."""
    environments = (TEST_ENVIRONMENT, LIVE, LOCKED)
    kits = {one.name: open_desk({ITEM: ABC}, environment=one) for one in environments}
    settings = Settings(environments=environments, database_url="", data_folder=tmp_path)
    monkeypatch.setattr(session, "read_settings", lambda *_, **__: settings)
    monkeypatch.setattr(session, "open_desk", lambda one, **__: kits[one.environment().name].desk)
    return kits


def writes(kits: dict[str, DeskKit]) -> dict[str, int]:
    return {name: len(kit.fake.writes) for name, kit in kits.items()}


@pytest.mark.usefixtures("kits")
def test_a_link_opens_its_environment() -> None:
    assert Window(ITEM).address["env"] == "test"
    window = Window(ITEM, env="live")
    assert window.says(":red-badge[:material/cloud: live]")
    window.go_to(CHECK_PAGE)
    assert window.address == {"env": "live"}
    assert window.says(":red-badge[:material/cloud: live]")


def test_a_link_to_an_environment_that_is_not_here_opens_none(kits: dict[str, DeskKit]) -> None:
    window = Window(ITEM, env="gone ![x](http://evil)")
    assert window.alerts == [
        "The environment in this link is not configured here. Nothing was read or changed."
    ]
    assert "gone ![x](http://evil)" in window.texts
    assert [kit.fake.calls for kit in kits.values()] == [[], [], []]
    window.click("enter_1")
    assert window.address == {"env": "live"}
    assert window.says(":red-badge[:material/cloud: live]")


@pytest.mark.usefixtures("kits")
def test_a_late_address_of_another_environment_changes_nothing() -> None:
    window = Window(ITEM)
    window.switch("environment_choice", "live")
    window.send_address(env="test", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.leave()
    assert window.address == {"env": "live"}
    assert window.says(":red-badge[:material/cloud: live]")
    assert window.editors == 0


def test_nothing_of_a_form_follows_a_switch(kits: dict[str, DeskKit]) -> None:
    window = Window(ITEM)
    window.add_as_number("N1")
    for name in ("live", "test"):
        window.untick("A")
        window.untick("B")
        window.save()
        assert window.plan["remove"] == ["A", "B"]
        assert window.value_of("plan_count") == ""
        window.type("plan_count", "2")
        window.type_half("N2")
        window.go_back_to(env=name, supplier=ITEM.supplier, item=ITEM.supplier_item_id)
        assert (window.plan, window.ticks) == ({}, dict.fromkeys("ABC", True))
        assert window.found()["chosen"] == []
        window.save()
    assert writes(kits) == {"test": 0, "live": 0, "locked": 0}


def test_an_undo_asked_for_in_one_environment_is_not_shown_in_another(kits: dict[str, DeskKit]) -> None:
    test = kits["test"]
    test.save(a_request(ITEM, base=ABC, remove="A"))
    window = Window.on(HISTORY_PAGE, env="test", entry="key-1")
    test.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window.click("undo_entry")
    window.stay_on(ITEM_PAGE)
    assert window.plan == {}
    window.go_back_to(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.plan == {}
    window.go_back_to(env="test", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.plan == {}
    assert writes(kits) == {"test": 1, "live": 0, "locked": 0}


def test_a_save_reaches_one_environment_and_is_no_history_and_no_undo_of_another(
    kits: dict[str, DeskKit],
) -> None:
    window = Window(ITEM)
    window.untick("A")
    window.save()
    entry = kits["test"].records.history.latest(ITEM)
    assert entry is not None
    window.go_back_to(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert "undo" not in window.keys
    window.go_to(HISTORY_PAGE, env="live", entry=entry.request.key)
    assert "undo_entry" not in window.keys
    assert kits["live"].records.history.entry(entry.request.key) is None
    assert kits["test"].fake.recipients_of(ITEM) == ABC - {"A"}
    assert kits["live"].fake.recipients_of(ITEM) == ABC
