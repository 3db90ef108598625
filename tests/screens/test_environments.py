"""Several environments: what belongs to one never shows up in, or reaches, another."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from components import wiring
from item_visibility.errors import SettingsError
from item_visibility.settings.values import Environment, Settings
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, FakeService, open_kit
from tests.support.screens import CHECK_PAGE, ROOT, Window

pytestmark = pytest.mark.screen

LIVE = replace(TEST_ENVIRONMENT, name="live", base_url="https://live.example.com/v1", color="red")
LOCKED = replace(TEST_ENVIRONMENT, name="locked", base_url="https://locked.example.com/v1", is_read_only=True)
HISTORY_PAGE = str(ROOT / "pages/support/history.py")
ABC = frozenset("ABC")


@dataclass(frozen=True, slots=True)
class Places:
    """The desks of all environments, with one database for all records."""

    kits: dict[str, DeskKit]

    def recipients(self, name: str) -> frozenset[str]:
        """The item's recipients there."""
        return self.kits[name].fake.recipients_of(ITEM)

    def writes(self, name: str) -> int:
        """The number of changes sent there."""
        return len(self.kits[name].fake.writes)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Places]:
    """Three environments, each with a service of its own; the same item is in all of them."""
    wiring.close_desk()
    environments = (TEST_ENVIRONMENT, LIVE, LOCKED)
    with ExitStack() as opened:

        def kit_of(environment: Environment) -> DeskKit:
            fake = FakeService({ITEM: ABC})
            return opened.enter_context(open_kit(tmp_path, environment=environment, fake=fake))

        places = Places({environment.name: kit_of(environment) for environment in environments})
        settings = Settings(environments=environments, database_url="", data_folder=tmp_path)
        monkeypatch.setattr(wiring, "read_settings", lambda *_, **__: settings)
        monkeypatch.setattr(wiring, "open_desk", lambda one, **__: places.kits[one.environment().name].desk)
        yield places
        wiring.close_desk()


@pytest.mark.usefixtures("places")
def test_the_first_environment_is_the_one_to_begin_with() -> None:
    """The address names it, so that a copied link opens the same."""
    window = Window(ITEM)
    assert window.address == {"env": "test", "supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert window.says("test")


@pytest.mark.usefixtures("places")
def test_a_link_opens_its_environment() -> None:
    """Its name stands on every screen, in its colour."""
    window = Window(ITEM, env="live")
    assert window.says(":red-badge[:material/cloud: live]")
    window.go_to(CHECK_PAGE)
    assert window.address == {"env": "live"}
    assert window.says(":red-badge[:material/cloud: live]")


def test_a_link_to_an_environment_that_is_not_here_opens_none(places: Places) -> None:
    """It is said, nothing is read, and the ones that are here are offered."""
    window = Window(ITEM, env="gone ![x](http://evil)")
    assert window.alerts == [
        "This link names an environment that is not configured here. Nothing was read or changed."
    ]
    assert "gone ![x](http://evil)" in window.texts
    assert [kit.fake.calls for kit in places.kits.values()] == [[], [], []]
    window.click("enter_1")
    assert window.address == {"env": "live"}
    assert window.says(":red-badge[:material/cloud: live]")


def test_what_is_staged_in_one_is_not_staged_in_another(places: Places) -> None:
    """Neither after a switch in this window, nor in a new one; back again, it is there."""
    window = Window(ITEM)
    window.untick("A")
    window.switch("environment_choice", "live")
    assert window.address == {"env": "live"}
    window.go_back_to(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.staged == []
    assert Window(ITEM, env="live").staged == []
    assert Window(ITEM, env="test").staged == ["Remove `A`"]
    window.go_back_to(env="test", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.staged == ["Remove `A`"]
    window.click("save")
    assert (places.recipients("test"), places.recipients("live")) == (frozenset("BC"), ABC)


def test_a_save_reaches_one_environment_only(places: Places) -> None:
    """The same window, the same item, one after the other."""
    window = Window(ITEM)
    window.add_as_number("N1")
    window.click("save")
    window.go_back_to(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.staged == []
    window.add_as_number("N2")
    window.click("save")
    assert (places.recipients("test"), places.recipients("live")) == (ABC | {"N1"}, ABC | {"N2"})


def test_what_was_typed_in_one_is_gone_in_another(places: Places) -> None:
    """A count that confirms, and ids that were not added yet."""
    window = Window(ITEM)
    window.untick("A")
    window.untick("B")
    window.click("save")
    window.type("confirm_count", "2")
    window.type_half("N1")
    window.go_back_to(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert "confirm" not in window.keys
    window.untick("A")
    window.untick("B")
    window.click("save")
    assert window.value_of("confirm_count") == ""
    assert window.is_off("confirm")
    assert (places.writes("test"), places.writes("live")) == (0, 0)


def test_a_save_of_one_environment_is_no_history_and_no_undo_of_another(places: Places) -> None:
    """Nor can a link take it there."""
    window = Window(ITEM)
    window.untick("A")
    window.click("save")
    entry = places.kits["test"].records.history.latest(ITEM)
    assert entry is not None
    other = Window(ITEM, env="live")
    assert "undo" not in other.keys
    other.go_to(HISTORY_PAGE, env="live", entry=entry.request.key)
    assert "undo_entry" not in other.keys
    assert places.kits["live"].records.history.entry(entry.request.key) is None


def test_one_environment_is_read_only_and_the_others_are_not(places: Places) -> None:
    """Each says so itself."""
    locked, open_one = Window(ITEM, env="locked"), Window(ITEM, env="live")
    assert [window.found()["isOff"] for window in (locked, open_one)] == [True, False]
    assert places.writes("locked") == 0


@pytest.mark.usefixtures("places")
def test_a_link_to_a_question_carries_its_environment() -> None:
    """Its reader asks the same service."""
    window = Window()
    window.go_to(CHECK_PAGE, env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id, recipient="A")
    assert any("?env=live&supplier=" in text for text in window.texts)


@pytest.mark.usefixtures("places")
def test_names_are_looked_up_in_the_settings_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a desk cannot be opened: then they are read again."""
    assert wiring.environment_names() == ("test", "live", "locked")

    def fail(_settings: Settings, **_: object) -> None:
        raise SettingsError("Nothing here.", advice="Configure it.")

    monkeypatch.setattr(wiring, "open_desk", fail)
    assert not wiring.is_ready()
    changed = Settings(environments=(LIVE,), database_url="", data_folder=Path())
    monkeypatch.setattr(wiring, "read_settings", lambda *_, **__: changed)
    assert wiring.environment_names() == ("live",)


def test_an_environment_at_another_address_says_so_until_it_was_read(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    """Everything looks empty there: where it was before, and that nothing was changed."""
    with open_kit(tmp_path):
        pass
    open_desk({ITEM: "A"}, environment=replace(TEST_ENVIRONMENT, base_url="https://b.example.com/v1"))
    window = Window(ITEM)
    assert (
        "This environment has another address now. What is recorded for each is kept apart." in window.alerts
    )
    assert window.says(
        "test is at https://b.example.com/v1 now. Before it was at https://api.example.com/v1."
    )
    window.click("other_address_read")
    assert not window.says("another address")
    assert not Window(ITEM).says("another address")
