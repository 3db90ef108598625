"""Staged changes outlive the window: another one, or a restart, finds them again."""

from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.changes.request import ChangeKind
from tests.screens.conftest import OpenDesk
from tests.support.chosen_database import is_postgres
from tests.support.desk import ITEM, OTHER_ITEM, inside_records
from tests.support.fake_visibilities import Fault, refused
from tests.support.known_names import put_names
from tests.support.screens import Window

pytestmark = pytest.mark.screen

LEFT = "Staged TIME. Look at the changes, then save or discard them."
RESTARTED = "Nothing was saved: the dashboard was restarted. Look at what is staged, then press Save again."
ONLY_HERE = "What you stage is kept in this window only: the dashboard's own database cannot be used."


def test_a_new_window_goes_on_where_the_last_one_stopped(open_desk: OpenDesk) -> None:
    """Ticks and additions are as they were, and nothing was sent."""
    kit = open_desk({ITEM: "ABC"})
    first = Window(ITEM)
    first.add_as_number("N1")
    first.untick("B")
    second = Window(ITEM)
    assert second.staged == ["Add `N1`", "Remove `B`"]
    assert second.ticks == {"A": True, "B": False, "C": True}
    assert second.alerts == [LEFT]
    assert kit.fake.writes == []


def test_what_was_left_is_saved_as_if_it_had_never_been_left(open_desk: OpenDesk) -> None:
    """One action, and then no window finds a draft any more."""
    kit = open_desk({ITEM: "ABC"})
    Window(ITEM).untick("B")
    window = Window(ITEM)
    window.click("save")
    assert window.alerts == ["Removed B · verified TIME"]
    assert window.actions == 1
    assert kit.fake.recipients_of(ITEM) == frozenset("AC")
    assert Window(ITEM).staged == []


def test_a_press_of_save_that_a_restart_lost_is_told(open_desk: OpenDesk) -> None:
    """Nothing is sent, the reason is still there, and the next press saves."""
    kit = open_desk({ITEM: "ABC"})
    window = Window(ITEM)
    window.untick("B")
    window.type("reason", "ticket 4711")
    window.click_after_a_restart("save")
    assert window.staged == ["Remove `B`"]
    assert window.value_of("reason") == "ticket 4711"
    assert RESTARTED in window.alerts
    assert kit.fake.writes == []
    window.click("save")
    assert window.alerts == ["Removed B · verified TIME"]
    assert kit.desk.latest_save(ITEM).request.reason == "ticket 4711"


def test_a_changed_list_is_told_with_what_the_draft_now_means(open_desk: OpenDesk) -> None:
    """The window says what changed, and which staged changes are already in place."""
    kit = open_desk({ITEM: "ABC"})
    first = Window(ITEM)
    first.untick("A")
    first.untick("B")
    kit.fake.put(ITEM, "BCX")
    second = Window(ITEM)
    assert second.staged == ["Remove `B`"]
    assert second.alerts == [
        (
            f"{LEFT}  \nThe list has changed since.  \nAdded: `X`  \nRemoved: `A`"
            "  \nOf what you staged, this is already in place: `A`"
        )
    ]


def test_a_draft_that_is_in_place_is_told_and_over(open_desk: OpenDesk) -> None:
    """Nothing is left to save, and the next window hears nothing of it."""
    kit = open_desk({ITEM: "ABC"})
    Window(ITEM).untick("A")
    kit.fake.put(ITEM, "BC")
    window = Window(ITEM)
    assert window.alerts == ["What was staged here is already in place: nothing is left to save."]
    assert "A" in window.texts
    assert window.says("Nothing to save")
    assert Window(ITEM).alerts == []


def test_discard_takes_the_draft_away_for_good(open_desk: OpenDesk) -> None:
    """B3 in one action, also for a draft from another window."""
    open_desk({ITEM: "ABC"})
    Window(ITEM).untick("A")
    window = Window(ITEM)
    window.click("discard")
    assert (window.staged, window.alerts, window.actions) == ([], [], 1)
    assert Window(ITEM).staged == []


def test_a_save_in_part_leaves_the_rest(open_desk: OpenDesk) -> None:
    """A new window finds what is missing."""
    kit = open_desk({ITEM: "A"})
    first = Window(ITEM)
    first.add_as_number("N1")
    first.add_as_number("N2")
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility"), recipient_id="N2"))
    first.click("save")
    assert Window(ITEM).staged == ["Add `N2`"]


def test_an_undo_is_still_an_undo_after_a_refresh(open_desk: OpenDesk) -> None:
    """The history says what it was."""
    kit = open_desk({ITEM: "ABC"})
    first = Window(ITEM)
    first.untick("A")
    first.click("save")
    first.click("undo")
    second = Window(ITEM)
    assert second.staged == ["Add `A`"]
    second.click("save")
    entry = kit.records.history.latest(ITEM)
    assert entry is not None
    assert (entry.request.origin.kind, kit.fake.recipients_of(ITEM)) == (ChangeKind.UNDO, frozenset("ABC"))


def test_open_drafts_are_offered_before_an_item_is_chosen(open_desk: OpenDesk) -> None:
    """With their age, the newest first; one click opens one."""
    kit = open_desk({ITEM: "ABC", OTHER_ITEM: "AB"})
    Window(ITEM).untick("A")
    kit.fake.time.now_at += timedelta(minutes=1)
    Window(OTHER_ITEM).untick("B")
    start = Window()
    offered = [label for label in start.markdown if "staged" in label]
    start.click("staged_1")
    assert [OTHER_ITEM.supplier_item_id in label for label in offered] == [True, False]
    assert start.staged == ["Remove `A`"]
    assert start.actions == 1


def test_two_windows_of_one_person_lose_nothing(open_desk: OpenDesk) -> None:
    """A third finds what both have staged."""
    open_desk({ITEM: "ABC"})
    first, second = Window(ITEM), Window(ITEM)
    first.untick("A")
    second.untick("B")
    assert Window(ITEM).staged == ["Remove `A`", "Remove `B`"]


def test_a_draft_that_cannot_be_kept_is_told_and_can_be_saved(open_desk: OpenDesk, tmp_path: Path) -> None:
    """It lasts as long as the window."""
    open_desk({ITEM: "ABC"})
    window = Window(ITEM)
    lock_drafts(tmp_path)
    window.untick("A")
    assert any(alert.startswith(ONLY_HERE) for alert in window.alerts)
    assert window.staged == ["Remove `A`"]
    window.click("discard")
    assert window.staged == []


FULL_ON_SQLITE = "CREATE TRIGGER full_disk BEFORE INSERT ON draft BEGIN SELECT RAISE(ABORT, 'disk full'); END"
FULL_ON_POSTGRES = """
    CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON draft EXECUTE FUNCTION full_disk()
"""


def lock_drafts(folder: Path) -> None:
    """Let the table of drafts refuse every row."""
    with inside_records(folder) as connection:
        connection.exec_driver_sql(FULL_ON_POSTGRES if is_postgres() else FULL_ON_SQLITE)


def test_what_is_staged_in_another_browser_is_told_by_name(open_desk: OpenDesk) -> None:
    """Names first, numbers second."""
    kit = open_desk({ITEM: "ABC"})
    put_names(kit.records.directory, recipients=[("B", "Kaufhaus")])
    Window(ITEM, browser="ann").untick("B")
    assert Window(ITEM, browser="ben").says("To remove: Kaufhaus `B`")
