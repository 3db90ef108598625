"""The history: what changed, when and by whom; found, opened, undone."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from streamlit.testing.v1.element_tree import Dataframe

from components.history import entries as history_entries
from components.verbatim import showable
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.plan import plan_changes
from item_visibility.saving.request import ChangeKind
from tests.screens.conftest import OpenDesk, on_both_databases
from tests.screens.test_hostile_texts import HARMFUL, outside_code
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, TEST_ENVIRONMENT, DeskKit, a_request
from tests.support.fake_visibilities import Fault, refused, unknown_outcome
from tests.support.hostile_texts import LISTABLE
from tests.support.known_names import put_names
from tests.support.screens import HISTORY_PAGE, ITEM_PAGE, Window
from tests.support.thorough import sample

pytestmark = pytest.mark.screen

ENTRIES = "History of changes, newest first"
STEPS = "How the change ended for each recipient"
SAVED_AT = datetime(2026, 11, 21, 14, 10, 0, tzinfo=UTC)
NEXT_DAY = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


def save(  # noqa: PLR0913  (a save has many sides)
    kit: DeskKit,
    key: str,
    *,
    item: ItemKey = ITEM,
    base: Iterable[str] = (),
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
) -> None:
    """A save, some minutes after the one before, whose key is its reason, too."""
    wait(kit)
    kit.save(replace(a_request(item, key=key, base=base, add=add, remove=remove), reason=key))


def wait(kit: DeskKit) -> None:
    """Let some minutes pass."""
    kit.fake.time.now_at += timedelta(minutes=10)


def look(**address: str) -> Window:
    """A window on the history page."""
    window = Window()
    window.go_to(HISTORY_PAGE, **address)
    return window


def entries(window: Window) -> Dataframe:
    """The table of entries."""
    return next(table for table in window.app.dataframe if table.proto.alt == ENTRIES)


def shown(window: Window, *columns: str) -> list[tuple[object, ...]]:
    """These columns of the entries that are shown."""
    return [tuple(row) for row in entries(window).value[list(columns)].itertuples(index=False)]


def choose(window: Window, *rows: int) -> None:
    """Choose a row of the entries; none lets go of the one that is chosen."""
    selection = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    window.app.session_state[str(entries(window).key)] = selection
    window.actions += 1
    window.app.run()


@on_both_databases
def test_s3_what_changed_when_and_by_whom_takes_one_action(open_desk: OpenDesk) -> None:
    """S3: the history of the open item is unfolded."""
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="C", remove="A")
    with time_machine.travel(NEXT_DAY):
        window = Window(ITEM)
        window.unfold_history()
    assert window.actions == 1
    assert shown(window, "When", "Who", "Kind", "Change", "Outcome") == [
        (SAVED_AT, PERSON, "Change", "+ C, \N{MINUS SIGN} A", "Verified")
    ]


def test_an_item_without_history_says_so(open_desk: OpenDesk) -> None:
    """Nothing is not an empty table."""
    open_desk({ITEM: {"A"}})
    window = Window(ITEM)
    window.unfold_history()
    assert window.says("Nothing was changed here yet, and no change made elsewhere was seen.")


@on_both_databases
def test_b3_an_older_save_is_undone_from_the_item_page(open_desk: OpenDesk) -> None:
    """The plan is shown first; it is saved like every change, and recorded as its undo."""
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="CD")
    save(kit, "k2", base="ABCD", remove="B")
    window = Window(ITEM)
    window.unfold_history()
    choose(window, 1)
    window.click("undo_entry")
    assert window.plan == {"remove": ["C", "D"]}
    wait(kit)
    window.confirm("2")
    assert kit.fake.recipients_of(ITEM) == {"A"}
    latest = kit.records.history.latest(ITEM)
    assert latest is not None
    assert (latest.request.kind, latest.request.undo_of) == (ChangeKind.UNDO, "k1")


def test_a_save_made_after_the_item_was_opened_is_undone_from_its_page(open_desk: OpenDesk) -> None:
    """The history is newer than the form, so the list is read again."""
    kit = open_desk({ITEM: {"A", "B", "E"}})
    window = Window(ITEM)
    save(kit, "k1", base="ABE", add="C")
    window.unfold_history()
    choose(window, 0)
    window.click("undo_entry")
    assert window.plan == {"remove": ["C"]}
    window.confirm()
    assert window.alerts == ["Removed C · verified TIME"]


def test_an_undo_that_failed_in_part_is_done_again_for_the_rest(open_desk: OpenDesk) -> None:
    """The second undo is a save of its own."""
    kit = open_desk({ITEM: {"A", "B", "C"}})
    save(kit, "k1", base="ABC", remove="A")
    save(kit, "k2", base="BC", add="XYZ")
    kit.fake.faults.append(Fault("removeVisibility", refused("removeVisibility")))
    window = Window(ITEM)
    window.unfold_history()
    choose(window, 0)
    window.click("undo_entry")
    window.confirm("3")
    assert len(kit.fake.recipients_of(ITEM)) == 3
    window.click("reload")
    choose(window, 1)
    window.click("undo_entry")
    assert len(window.plan["remove"]) == 1
    window.confirm()
    assert kit.fake.recipients_of(ITEM) == {"B", "C"}


@pytest.mark.parametrize("is_open", [False, True], ids=["item not opened before", "item open before"])
def test_an_undo_on_the_history_page_opens_its_plan_on_the_item_page(
    open_desk: OpenDesk, *, is_open: bool
) -> None:
    """Nothing is sent before Confirm."""
    kit = open_desk({ITEM: {"A", "B"}})
    window = Window(*[ITEM][: int(is_open)])
    save(kit, "k1", base="AB", add="C")
    window.go_to(HISTORY_PAGE, entry="k1")
    window.click("undo_entry")
    assert window.address == {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert window.plan == {"remove": ["C"]}
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")
    window.stay_on(ITEM_PAGE)
    window.confirm()
    assert window.alerts == ["Removed C · verified TIME"]
    assert kit.fake.recipients_of(ITEM) == frozenset("AB")


def test_the_undo_of_an_undo_is_a_redo(open_desk: OpenDesk) -> None:
    """It shows the plan of the first change again."""
    kit = open_desk({ITEM: {"A", "B", "C"}})
    save(kit, "k1", base="ABC", add="D")
    wait(kit)
    kit.save(
        replace(
            a_request(ITEM, key="k2", base="ABCD", remove="D"),
            kind=ChangeKind.UNDO,
            undo_of="k1",
        )
    )
    window = look()
    choose(window, 0)
    assert window.says("Redo this change")
    window.click("undo_entry")
    assert window.plan == {"add": ["D"]}


def test_an_undo_of_what_is_undone_already_says_so(open_desk: OpenDesk) -> None:
    """There is no plan to confirm."""
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="C")
    kit.fake.put(ITEM, {"A", "B"})
    window = look(entry="k1")
    window.click("undo_entry")
    assert window.plan == {}
    assert window.alerts == ["Not undone, because they were changed again since:"]
    assert "C" in window.texts


def test_a_change_made_elsewhere_is_shown_when_a_read_shows_it(open_desk: OpenDesk) -> None:
    """With the times between which it happened, by nobody that is known, and not for us to take back."""
    kit = open_desk({ITEM: {"A", "B"}})
    Window(ITEM)
    wait(kit)
    kit.fake.put(ITEM, {"A", "X"})
    Window(ITEM)
    window = look()
    assert shown(window, "Who", "Kind", "Change", "Outcome") == [
        ("somebody elsewhere", "Made elsewhere", "+ X, \N{MINUS SIGN} B", "Seen by a read")
    ]
    choose(window, 0)
    assert window.says("Made elsewhere · somebody elsewhere")
    assert window.says("Between TIME and TIME")
    assert "undo_entry" not in window.keys


def test_the_reason_for_a_save_is_shown_without_spaces_around_it(open_desk: OpenDesk) -> None:
    """In the history entry."""
    kit = open_desk({ITEM: {"A", "B"}})
    window = Window(ITEM)
    window.add_as_number("C1")
    window.give_reason(" ticket 4711 ")
    window.save()
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert look(entry=entry.request.key).says("Why: ticket 4711")


def test_an_entry_tells_everything_about_its_save(open_desk: OpenDesk) -> None:
    """Outcomes, calls and words for each recipient, and the sizes of the list."""
    fake_error = refused("addVisibility")
    kit = open_desk({ITEM: {"A", "B"}})
    kit.fake.faults.append(Fault("addVisibility", fake_error, recipient_id="C"))
    save(kit, "k1", base="AB", add="CD")
    window = look(entry="k1")
    assert window.rows(STEPS) == [
        ("", "C", "Add", "Refused", "1", fake_error.message),
        ("", "D", "Add", "Done", "1", ""),
    ]
    assert window.says("recipients: 2 before, 3 after")
    assert "A title" in window.texts


def test_others_changes_are_shown(open_desk: OpenDesk) -> None:
    """Between the read and the save."""
    kit = open_desk({ITEM: {"A", "X"}})
    kit.save(a_request(ITEM, key="k1", base="AB", add="C"))
    window = look(entry="k1")
    assert window.says("Added meanwhile: `X`")
    assert window.says("Removed meanwhile: `B`")


def test_a_save_whose_end_was_read_later_says_so(open_desk: OpenDesk) -> None:
    """It was open, and is settled."""
    kit = open_desk({ITEM: {"A", "B"}})
    kit.fake.faults.append(Fault("addVisibility", unknown_outcome("addVisibility"), is_applied=True))
    save(kit, "k1", base="AB", add="C")
    entry = kit.records.history.entry("k1")
    assert entry is not None
    assert entry.result is not None
    plan = plan_changes(ITEM, current=frozenset("AB"), add=frozenset("C"), remove=frozenset())
    kit.records.history.begin(replace(entry.request, key="k2"), plan, started_at=entry.started_at)
    assert look(entry="k2").says("Begun TIME · Not known yet")
    kit.records.history.settle_open("k2", entry.result)
    assert look(entry="k2").says("The program stopped during this save. Its outcome was read later.")


@pytest.mark.parametrize(
    ("field", "words", "found"),
    [
        ("person", "eve", []),
        ("outcome", "Not everything", ["k2"]),
        ("outcome", "Not known yet", []),
        ("kind", "Change", ["k2", "k1"]),
        ("kind", "unknown", ["k2", "k1"]),
    ],
)
def test_a_filter_can_be_opened_with_a_link(
    open_desk: OpenDesk, field: str, words: str, found: list[str]
) -> None:
    """Streamlit writes the address when the field changes: each field is bound to it."""
    kit = open_desk({ITEM: {"A"}, OTHER_ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility"), recipient_id="Z"))
    save(kit, "k2", item=OTHER_ITEM, base="A", add="YZ")
    assert keys_of(look(**{field: words})) == found


def test_mine_and_the_last_seven_days_are_one_click_each(open_desk: OpenDesk) -> None:
    """Seven days: today and the six before it."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    with time_machine.travel(SAVED_AT + timedelta(days=6)):
        window = look(until="2026-11-01")
        assert keys_of(window) == []
        window.click("history_week")
        assert keys_of(window) == ["k1"]
        window.click("history_mine")
        assert (keys_of(window), window.address["person"]) == (["k1"], PERSON)
    with time_machine.travel(SAVED_AT + timedelta(days=7)):
        window = look()
        window.click("history_week")
        assert keys_of(window) == []


@pytest.mark.parametrize(
    ("day", "rows"),
    [
        (21, [("Anna", "A", "", ""), ("", "B", "", "yesterday 14:10"), ("", "C", "yesterday 14:10", "")]),
        (22, [("Anna", "A", "", ""), ("", "C", "", "")]),
    ],
)
def test_who_could_see_an_item_on_a_day(open_desk: OpenDesk, day: int, rows: list[tuple[str, ...]]) -> None:
    """With the times of the changes on that day."""
    kit = open_desk({ITEM: {"A", "B"}})
    put_names(kit.records.directory, recipients=[("A", "Anna")])
    save(kit, "k1", base="AB", add="C", remove="B")
    with time_machine.travel(NEXT_DAY):
        assert look_at_day(day).rows("Who could see the item on that day") == rows


def test_before_the_first_entry_nobody_knows_who_could_see_an_item(open_desk: OpenDesk) -> None:
    """What was not read is not "nobody"."""
    save(open_desk({ITEM: {"A", "B"}}), "k1", base="AB", add="C")
    assert look_at_day(20).says("This is not on record here: the first entry is later.")


def look_at_day(day: int) -> Window:
    """A window on the history of the item, and who could see it on this day of November."""
    window = look(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.app.date_input(key="history_day").set_value(date(2026, 11, day))
    window.leave()
    return window


def test_a_line_names_the_first_three_and_counts_the_rest(open_desk: OpenDesk) -> None:
    """By name, where there is one."""
    kit = open_desk({ITEM: {"A"}})
    put_names(kit.records.directory, recipients=[("D", "Le Panier")])
    save(kit, "k1", base="A", add="BCDEF")
    assert str(shown(look(), "Change")[0][0]).endswith(" and 2 more")
    save(kit, "k2", base="ABCDEF", add=["G"], remove=["D"])
    assert shown(look(), "Change")[0] == ("+ G, \N{MINUS SIGN} Le Panier",)


def test_a_filter_is_found_by_name(open_desk: OpenDesk) -> None:
    """Supplier, item and recipient stand in the address; a name that nobody has filters nothing."""
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
    assert (window.address, keys_of(window)) == ({"supplier": ITEM.supplier}, ["k2", "k1"])
    window.find("entered", "whole milk", key="history_item")
    both = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
    assert (window.address, keys_of(window)) == (both, ["k1"])
    assert [one["name"] for one in window.found("history_item")["chosen"]] == ["Whole milk"]
    window.find("removed", ITEM.supplier_item_id, key="history_item")
    window.find("entered", "Sonnenhof", key="history_recipient")
    assert keys_of(window) == ["k2"]
    window.find("entered", "Supermarkets", key="history_recipient")
    assert window.address == {"supplier": ITEM.supplier}
    assert [one["shown"] for one in window.found("history_recipient")["questions"]] == ["Supermarkets"]


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        ("2026-11-21", "2026-11-21", ["k1"]),
        ("2026-11-22", "", []),
        ("", "2026-11-20", []),
        ("x", "9999-12-31", ["k1"]),
    ],
)
def test_days_are_whole_days(open_desk: OpenDesk, since: str, until: str, found: list[str]) -> None:
    """The last one is included; what is no day asks for nothing."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    assert keys_of(look(since=since, until=until)) == found


def test_without_entries_the_page_says_what_to_do(open_desk: OpenDesk) -> None:
    """For a filter that finds nothing, and for an empty history."""
    kit = open_desk({ITEM: {"A"}})
    assert look().says("No change is on record yet.")
    save(kit, "k1", base="A", add="B")
    assert look(person="nobody", kind="edit").says("No change matches these filters: clear one of them.")


def test_the_newest_entries_are_shown(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says how to find the older ones."""
    monkeypatch.setattr(history_entries, "LINES", 2)
    kit = open_desk({ITEM: {"A"}})
    for number in range(3):
        save(kit, f"k{number}", item=ItemKey("S", str(number)), add="A")
    window = look()
    assert keys_of(window) == ["k2", "k1"]
    assert window.says("The newest 2 are shown. Filter for older ones, or download all.")


def test_a_chosen_row_is_opened_and_is_in_the_address(open_desk: OpenDesk) -> None:
    """A link opens the same entry."""
    kit = open_desk({ITEM: {"A"}})
    save(kit, "k1", base="A", add="B")
    window = look()
    choose(window, 0)
    assert "history_entry" in window.keys
    assert window.address == {"entry": "k1"}


def test_a_read_only_environment_offers_no_undo(open_desk: OpenDesk) -> None:
    """It shows what was done."""
    kit = open_desk({ITEM: {"A", "B"}})
    save(kit, "k1", base="AB", add="C")
    open_desk({ITEM: {"A", "B", "C"}}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    window = look(entry="k1")
    assert "history_entry" in window.keys
    assert "undo_entry" not in window.keys


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=name) for name, text in sample([*LISTABLE.items()], 8)]
)
def test_hostile_texts_are_shown_as_they_are(open_desk: OpenDesk, text: str) -> None:
    """As recipient, reason and person; nothing of it is read as Markdown."""
    kit = open_desk({ITEM: {"A", text}})
    request = a_request(ITEM, key="k1", base=["A", text], add=["B"])
    kit.save(replace(request, reason=f"({text})", person=text))
    window = look(entry="k1")
    assert window.says(f"Why: ({showable(text)})")
    assert not HARMFUL.search(outside_code(window.markdown))


def keys_of(window: Window) -> list[str]:
    """The keys of the entries that the page shows; in these tests they are the reasons."""
    return (
        []
        if window.says("No change matches these filters: clear one of them.")
        else [str(key) for (key,) in shown(window, "Why")]
    )
