"""The history: what changed, when and by whom; find, open and undo an entry."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
import time_machine

from components import history
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeKind
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, DeskKit, a_request, put_names
from tests.support.fake_visibilities import Fault, refused
from tests.support.screens import HISTORY_PAGE, ITEM_PAGE, Window

ENTRIES = "History of changes, newest first"
look = partial(Window.on, HISTORY_PAGE)
STEPS = "How the change ended for each recipient"
SAVED_AT = datetime(2026, 11, 21, 14, 10, 0, tzinfo=UTC)
NEXT_DAY = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


def save(
    kit: DeskKit, key: str, *, item: ItemKey = ITEM, **changes: Iterable[str]
) -> None:
    """Save ten minutes after the previous save. The reason is the key."""
    wait(kit)
    kit.save(replace(a_request(item, key=key, **changes), reason=key))


def wait(kit: DeskKit) -> None:
    kit.fake.time.move(600)


def test_an_older_save_is_undone_from_the_item_page(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"A", "B"}})
    window = Window(ITEM)
    window.unfold_history()
    assert window.says("No changes to this item are known yet.")

    save(kit, "k1", base="AB", add="CD")
    save(kit, "k2", base="ABCD", remove="B")
    window.leave()
    window.select(ENTRIES, 1)
    window.click("undo_entry")
    assert window.plan == {"remove": ["C", "D"]}

    wait(kit)
    window.confirm("2")
    assert kit.fake.recipients_of(ITEM) == {"A"}
    latest = kit.records.history.latest(ITEM)
    assert latest is not None
    assert latest.request.kind is ChangeKind.UNDO
    assert latest.request.undo_of == "k1"


def test_an_undo_on_the_history_page_opens_its_plan_on_the_item_page(
    open_desk: OpenDesk,
) -> None:
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="C")
    window = look(entry="k1")
    window.click("undo_entry")
    assert window.address == {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert window.plan == {"remove": ["C"]}
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")

    window.stay_on(ITEM_PAGE)
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == frozenset("AB")


def test_undoing_a_save_again_says_that_it_was_undone(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="C")
    kit.fake.put(ITEM, {"A", "B"})
    window = look(entry="k1")
    window.click("undo_entry")
    assert window.plan == {}
    reason = "Not undone, because these recipients were changed again later:"
    assert window.alerts == [reason]
    assert "C" in window.texts


def test_a_change_made_elsewhere_is_shown_when_a_read_shows_it(
    open_desk: OpenDesk,
) -> None:
    kit = open_desk({ITEM: {"A", "B"}})
    Window(ITEM)
    wait(kit)
    kit.fake.put(ITEM, {"A", "X"})
    Window(ITEM)
    window = look()
    assert window.rows(ENTRIES, "Who", "Kind", "Change", "Outcome") == [
        (
            "somebody elsewhere",
            "Made elsewhere",
            "+ X, \N{MINUS SIGN} B",
            "Seen by a read",
        )
    ]

    window.select(ENTRIES, 0)
    assert window.says("Made elsewhere · somebody elsewhere")
    assert window.says("Between TIME and TIME")
    assert "undo_entry" not in window.keys


def test_an_entry_shows_everything_about_its_save(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"A", "X"}})
    kit.fake.faults.append(Fault("addVisibility", refused(), recipient_id="C"))
    save(kit, "k1", base="AB", add="CD")
    window = look()
    assert window.rows(ENTRIES, "When", "Who", "Kind", "Change", "Outcome") == [
        (SAVED_AT, PERSON, "Change", "+ D", "Not everything")
    ]

    window.select(ENTRIES, 0)
    assert window.address == {"entry": "k1"}
    assert window.rows(STEPS) == [
        ("", "C", "Add", "Refused", "1", refused().message),
        ("", "D", "Add", "Done", "1", ""),
    ]
    assert window.says("recipients: 2 before, 3 after")
    assert window.says("Added meanwhile: `X`")
    assert window.says("Removed meanwhile: `B`")
    assert "A title" in window.texts


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ({"person": "eve"}, []),
        ({"outcome": "Not everything"}, ["k2"]),
        ({"kind": "Change"}, ["k2", "k1"]),
        ({"kind": "unknown"}, ["k2", "k1"]),
        ({"since": "2026-11-21", "until": "2026-11-21"}, ["k2", "k1"]),
        ({"since": "2026-11-22"}, []),
        ({"until": "2026-11-20"}, []),
        ({"since": "x", "until": "9999-12-31"}, ["k2", "k1"]),
    ],
)
def test_a_filter_can_be_opened_with_a_link(
    open_desk: OpenDesk, address: dict[str, str], found: list[str]
) -> None:
    kit = open_desk({ITEM: {"A"}, OTHER_ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    kit.fake.faults.append(Fault("addVisibility", refused(), recipient_id="Z"))
    save(kit, "k2", item=OTHER_ITEM, base="A", add="YZ")
    assert keys_of(look(**address)) == found


def test_my_changes_and_the_last_seven_days_take_one_click_each(
    open_desk: OpenDesk,
) -> None:
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    with time_machine.travel(SAVED_AT + timedelta(days=6)):
        window = look(until="2026-11-01")
        assert keys_of(window) == []

        window.click("history_week")
        assert keys_of(window) == ["k1"]

        window.click("history_mine")
        assert keys_of(window) == ["k1"]
        assert window.address["person"] == PERSON

    with time_machine.travel(SAVED_AT + timedelta(days=7)):
        window = look()
        window.click("history_week")
        assert keys_of(window) == []


def test_a_filter_is_found_by_name(open_desk: OpenDesk) -> None:
    kit = open_desk({ITEM: {"A"}, OTHER_ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    save(kit, "k2", item=OTHER_ITEM, base="A", add="YZ")
    put_names(
        kit.records.directory,
        suppliers=[(ITEM.supplier, "Nordmilch")],
        items=[(ITEM, "276", "Whole milk")],
        recipients=[("Z", "Sonnenhof")],
    )
    window = look()
    assert window.found("history_item")["isOff"]

    window.find("entered", "nordmilch", key="history_supplier")
    assert window.address == {"supplier": ITEM.supplier}
    assert keys_of(window) == ["k2", "k1"]

    window.find("entered", "whole milk", key="history_item")
    assert window.address == {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert keys_of(window) == ["k1"]
    (chosen,) = window.found("history_item")["chosen"]
    assert chosen["name"] == "Whole milk"

    window.find("removed", ITEM.supplier_item_id, key="history_item")
    window.find("entered", "Sonnenhof", key="history_recipient")
    assert keys_of(window) == ["k2"]

    window.find("entered", "Supermarkets", key="history_recipient")
    assert window.address == {"supplier": ITEM.supplier}
    (question,) = window.found("history_recipient")["questions"]
    assert question["shown"] == "Supermarkets"


@pytest.mark.parametrize(
    ("day", "rows"),
    [
        (
            21,
            [
                ("Anna", "A", "", ""),
                ("", "B", "", "yesterday 14:10"),
                ("", "C", "yesterday 14:10", ""),
            ],
        ),
        (22, [("Anna", "A", "", ""), ("", "C", "", "")]),
    ],
)
def test_the_history_answers_who_could_see_an_item_on_a_day(
    open_desk: OpenDesk, day: int, rows: list[tuple[str, ...]]
) -> None:
    kit = open_desk({ITEM: {"A", "B"}})
    put_names(kit.records.directory, recipients=[("A", "Anna")])
    save(kit, "k1", base="AB", add="C", remove="B")
    with time_machine.travel(NEXT_DAY):
        window = look(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
        window.app.date_input(key="history_day").set_value(date(2026, 11, day))
        window.leave()
        assert window.rows("Who could see the item on that day") == rows

        window.app.date_input(key="history_day").set_value(date(2026, 11, 20))
        window.leave()
        assert window.says("The history of this item starts after this day.")


def test_a_page_without_all_changes_says_what_to_do(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "LINES", 2)
    kit = open_desk({ITEM: {"A"}})
    assert look().says("No change is recorded yet.")

    for number in range(3):
        save(kit, f"k{number}", item=ItemKey("S", str(number)), add="A")
    window = look()
    assert keys_of(window) == ["k2", "k1"]
    assert window.says(
        "The newest 2 are shown. To find older ones, filter or download all."
    )
    assert keys_of(look(person="nobody", kind="edit")) == []


def keys_of(window: Window) -> list[str]:
    """Return the keys of the shown entries.

    In these tests, a key is also the reason.
    """
    if window.says("No change matches these filters. Clear one of them."):
        return []
    return [str(key) for (key,) in window.rows(ENTRIES, "Why")]
