"""The journeys of the design, on the bundled service over HTTP, in the readings of the specification.

The same actions, the same words and the same result whatever setVisibilities, an empty item, a removal
of what is not there and the token response mean. Notes N3, N4, N5, N8, N11. Three readings hold
each meaning; `--thorough` tries all 24.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import pytest

from components import session
from item_visibility.client.identifiers import ItemKey
from item_visibility_service.server import EmbeddedService
from item_visibility_service.store import Item
from item_visibility_service.switches import Switches
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET, SharedServices
from tests.support.screens import CHECK_PAGE, Window
from tests.support.thorough import this_is_thorough

pytestmark = pytest.mark.screen

LIFETIMES = {
    "lives 3 s": (3, True),
    "lives 300 s": (300, True),
    "does not say how long it lives": (300, False),
}
READINGS = [
    pytest.param(
        Switches(
            put_merges=put_merges,
            empty_is_not_found=empty_is_not_found,
            removing_missing_is_not_found=removing_missing_is_not_found,
            token_lifetime_s=lifetime_s,
            sends_expires_in=sends_expires_in,
        ),
        id=", ".join(
            (
                "PUT merges" if put_merges else "PUT replaces",
                "empty 404" if empty_is_not_found else "empty []",
                "missing 404" if removing_missing_is_not_found else "missing 204",
                f"token {name}",
            )
        ),
    )
    for put_merges, empty_is_not_found, removing_missing_is_not_found in product((False, True), repeat=3)
    for name, (lifetime_s, sends_expires_in) in LIFETIMES.items()
]
EACH_MEANING = [READINGS[number] for number in (0, 8, 22)]
"""Each meaning of each of the four stands in one of these. Tests of the core try all together."""

FIVE = frozenset({"R1", "R2", "R3", "R4", "R5"})


@dataclass(frozen=True, slots=True)
class Pair:
    """The dashboard's core and a bundled service, joined by HTTP."""

    service: EmbeddedService

    def put(self, name: str, recipients: frozenset[str] = FIVE) -> ItemKey:
        """An item of its own for a test, seen by these."""
        item = ItemKey("S-1", name)
        self.service.service.store.replace(_stored(item), recipients)
        return item

    def recipients_of(self, item: ItemKey) -> frozenset[str]:
        """The item's recipients, as the service keeps them."""
        return frozenset(self.service.service.store.recipients(_stored(item)))

    def let_reads_lag(self) -> None:
        """Let reads stay a second behind."""
        self.service.service.switches = replace(self.service.service.switches, read_lag_s=1)


def _stored(item: ItemKey) -> Item:
    return Item(item.supplier, item.supplier_item_id)


@pytest.fixture(scope="module", params=READINGS if this_is_thorough() else EACH_MEANING)
def pair(
    request: pytest.FixtureRequest, shared_services: SharedServices, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """The real pair in one reading of the specification; each test has items of its own."""
    folder = tmp_path_factory.mktemp("pair")
    running = shared_services.fresh(switches=request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ITEM_VISIBILITY_BASE_URL", running.base_url)
        patch.setenv("ITEM_VISIBILITY_AUTH_URL", running.auth_url)
        patch.setenv("ITEM_VISIBILITY_CLIENT_ID", CLIENT_ID)
        patch.setenv("ITEM_VISIBILITY_CLIENT_SECRET", CLIENT_SECRET)
        patch.setenv("ITEM_VISIBILITY_DATABASE_URL", f"sqlite:///{folder / 'records.sqlite'}")
        session.close_desk()
        yield Pair(running)
        session.close_desk()


def test_b1_on_an_item_that_nobody_can_see(pair: Pair) -> None:
    """An item without recipients reads the same, whether the service answers 404 or an empty list."""
    item = pair.put("B1 empty", frozenset())
    window = Window(item)
    assert window.says("Nothing is recorded for this item, and it is not in your directory.")
    assert window.editors == 0
    window.add_as_number("N1")
    window.save()
    assert window.alerts == ["Added N1 · verified TIME"]
    assert window.ticks == {"N1": True}
    assert pair.recipients_of(item) == {"N1"}


def test_b2_the_last_one_takes_three_actions(pair: Pair) -> None:
    """B2: untick, Save, type 1 and Enter; before that nothing is sent."""
    item = pair.put("B2 last", frozenset({"R1"}))
    window = Window(item)
    window.untick("R1")
    window.save()
    assert window.plan == {"remove": ["R1"]}
    assert pair.recipients_of(item) == {"R1"}
    window.confirm("1")
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert window.says("Nobody can see this item")
    assert window.actions == 3
    assert pair.recipients_of(item) == frozenset()


def test_b3_undo_takes_two_actions(pair: Pair) -> None:
    """B3 after saving: Undo shows the plan, Confirm saves it."""
    item = pair.put("B3 undo")
    window = Window(item)
    window.add("N1")
    window.untick("R1")
    window.save()
    assert window.alerts == ["Added N1, removed R1 · verified TIME"]
    window.actions = 0
    window.click("undo")
    assert window.plan == {"remove": ["N1"], "add": ["R1"]}
    assert pair.recipients_of(item) == FIVE - {"R1"} | {"N1"}
    window.confirm()
    assert window.alerts == ["Added R1, removed N1 · verified TIME"]
    assert window.actions == 2
    assert pair.recipients_of(item) == FIVE


def test_b8_the_same_change_by_somebody_else_is_in_place(pair: Pair) -> None:
    """B8: both removed the same recipient; that is no error in any reading."""
    item = pair.put("B8 same")
    window = Window(item)
    window.untick("R1")
    pair.put("B8 same", FIVE - {"R1"})
    window.save()
    assert window.alerts[0] == "Nothing to change: the list is already as requested · verified TIME"
    assert pair.recipients_of(item) == FIVE - {"R1"}


def test_b8_an_item_that_was_emptied_meanwhile_is_asked_about(pair: Pair) -> None:
    """B8: the first addition to an item that somebody withdrew is confirmed once."""
    item = pair.put("B8 emptied")
    window = Window(item)
    window.add_as_number("N1")
    pair.put("B8 emptied", frozenset())
    window.save()
    assert window.plan == {"add": ["N1"]}
    assert pair.recipients_of(item) == frozenset()
    window.confirm()
    assert window.alerts == ["Added N1 · verified TIME"]
    assert pair.recipients_of(item) == {"N1"}


def test_s1_an_empty_item_is_a_no(pair: Pair) -> None:
    """S1: whether the service answers 404 or an empty list, nothing is recorded."""
    item = pair.put("S1-2")
    window = Window(item)
    pair.put("S1-2", frozenset())
    window.go_to(CHECK_PAGE)
    window.enter("question", "S-1\tS1-2\tR3")
    assert window.alerts == ["No, R3 cannot see S1-2; nobody can (read TIME)."]


@pytest.mark.parametrize(
    "pair", READINGS if this_is_thorough() else EACH_MEANING[:2], indirect=True, scope="module"
)
def test_reads_that_lag_change_nothing_but_the_waiting(pair: Pair) -> None:
    """B1 and B2 in one save: it is read back until the list shows it. Note N11."""
    item = pair.put("lag")
    pair.let_reads_lag()
    window = Window(item)
    window.add("N1")
    window.untick("R1")
    window.save()
    assert window.alerts == ["Added N1, removed R1 · verified TIME"]
    assert pair.recipients_of(item) == FIVE - {"R1"} | {"N1"}
