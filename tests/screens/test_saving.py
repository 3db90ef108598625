"""From the press of Save to what is known afterwards: nothing staged is lost, nothing is said too early."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from unittest.mock import Mock

import pytest

from item_visibility.changes.request import ChangeKind, Origin
from item_visibility.changes.saving.save import Saver
from item_visibility.errors import ItemVisibilityError, RecordsError
from tests.screens.conftest import OpenDesk
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    TEST_ENVIRONMENT,
    DeskKit,
    a_request,
    break_records,
    ended_save,
)
from tests.support.fake_visibilities import (
    FakeCall,
    Fault,
    no_token,
    not_sent,
    refused,
    unknown_outcome,
)
from tests.support.screens import CHECK_PAGE, ITEM_PAGE, Window

pytestmark = pytest.mark.screen

FIVE = frozenset({"R1", "R2", "R3", "R4", "R5"})
OUTCOMES = "How the change ended for each recipient"
OTHER_LINK = {"supplier": OTHER_ITEM.supplier, "item": OTHER_ITEM.supplier_item_id}
LINK = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """An item with five recipients."""
    return open_desk({ITEM: FIVE, OTHER_ITEM: {"R9"}})


@pytest.fixture
def gate(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> Event:
    """Writes wait until this is set, and the screen waits for none of them."""
    opened = Event()

    def hold(call: FakeCall) -> None:
        assert call.operation == "getVisibilities" or opened.wait(60)

    kit.fake.before_call = hold
    monkeypatch.setattr("components.saving.press.WAIT_FOR_SAVE_S", 0.1)
    return opened


def wait_for_save(kit: DeskKit) -> None:
    """Return when the newest save of the item has ended."""
    status = kit.desk.latest_save(ITEM)
    assert status is not None
    ended_save(kit.worker, status.request.key)


def test_save_pressed_twice_saves_once(kit: DeskKit, gate: Event) -> None:
    """The second press, made before the screen could lock, is the same save."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.click_again_at_once("save")
    gate.set()
    wait_for_save(kit)
    window.leave()
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert [call.recipient_id for call in kit.fake.writes] == ["R1"]


def test_a_save_that_takes_long_is_followed_with_everything_locked(kit: DeskKit, gate: Event) -> None:
    """The screen says that it is saving, and shows the outcome when there is one."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    assert window.says("Saving, then reading the list back …")
    assert [window.is_off(key) for key in ("save", "discard", "load_again")] == [True] * 3
    assert window.found()["isOff"] is True
    assert window.staged == ["Remove `R1`"]
    gate.set()
    wait_for_save(kit)
    window.leave()
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert window.staged == []
    assert window.label_of("save") == "Save"


def test_a_save_that_sent_nothing_leaves_everything_staged_also_in_the_table(
    kit: DeskKit, gate: Event
) -> None:
    """The table was locked meanwhile, and Streamlit then forgets its ticks: it shows the staged ones."""
    kit.fake.faults.append(Fault("removeVisibility", refused("removeVisibility", 400)))
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    assert window.ticks["R1"] is False
    gate.set()
    wait_for_save(kit)
    window.leave()
    window.leave()
    assert window.staged == ["Remove `R1`"]
    assert window.ticks["R1"] is False


def test_a_page_switch_during_a_save_finds_the_outcome_on_return(kit: DeskKit, gate: Event) -> None:
    """The save goes on in its worker."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.go_to(CHECK_PAGE)
    gate.set()
    wait_for_save(kit)
    window.go_to(ITEM_PAGE)
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert window.staged == []
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1"}


def test_the_outcome_is_there_for_whoever_comes_back(kit: DeskKit) -> None:
    """Also in another window, with Undo."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    another = Window(ITEM)
    assert another.alerts == ["Removed R1 · verified TIME"]
    another.click("undo")
    another.click("save")
    assert kit.fake.recipients_of(ITEM) == FIVE


def test_a_service_that_is_down_loses_nothing_staged(kit: DeskKit) -> None:
    """Nothing was changed, why, and Save works when the service is back."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    window.click("save")
    assert window.alerts == ["Nothing was changed · TIME"]
    assert window.says("The service cannot be reached.")
    assert window.says("Try again later.")
    assert window.staged == ["Remove `R1`"]
    assert kit.fake.recipients_of(ITEM) == FIVE
    window.click("save")
    assert window.alerts == ["Removed R1 · verified TIME"]


def test_without_a_token_nothing_is_lost(kit: DeskKit) -> None:
    """The token endpoint is part of the service."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults.append(Fault("getVisibilities", no_token()))
    window.click("save")
    assert window.alerts == ["Nothing was changed · TIME"]
    assert window.says("There is no access token.")
    assert window.staged == ["Remove `R1`"]


def test_a_history_that_cannot_be_written_stops_the_save(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """History first: nothing is sent that could not be taken back later."""
    window = Window(ITEM)
    window.untick("R1")
    cannot = Mock(side_effect=RecordsError("The database is full.", advice="Ask."))
    monkeypatch.setattr(kit.records.history, "begin", cannot)
    window.click("save")
    assert "Nothing was changed · TIME" in window.alerts
    assert window.staged == ["Remove `R1`"]
    assert kit.fake.writes == []


def test_while_our_database_is_away_nothing_is_sent(kit: DeskKit, tmp_path: Path) -> None:
    """And what is staged stays staged."""
    window = Window(ITEM)
    window.untick("R1")
    break_records(tmp_path)
    window.click("save")
    assert "Nothing was changed · TIME" in window.alerts
    assert window.staged == ["Remove `R1`"]
    assert kit.fake.writes == []


def test_a_refusal_is_told_for_each_recipient(kit: DeskKit) -> None:
    """Finished changes stay, missing ones are still staged, and the service's words can be read."""
    window = Window(ITEM)
    window.add("N1")
    window.untick("R1")
    kit.fake.faults += [Fault("addVisibility", refused("addVisibility")) for _ in range(4)]
    window.click("save")
    assert window.alerts == ["Removed R1, not everything · TIME. Missing changes stay staged."]
    assert [row[1:4] for row in window.rows(OUTCOMES)] == [
        ("N1", "Add", "Refused"),
        ("R1", "Remove", "Done"),
    ]
    assert window.says("HTTP status 400")
    assert window.says("A title")
    assert window.staged == ["Add `N1`"]
    assert "undo" not in window.keys
    window.click("discard")
    assert "undo" in window.keys


def test_a_refusal_of_everything_says_that_nothing_changed(kit: DeskKit) -> None:
    """There is then nothing to undo."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.faults += [Fault("removeVisibility", refused("removeVisibility", 403)) for _ in range(4)]
    window.click("save")
    assert window.alerts == ["Nothing was changed · TIME. Missing changes stay staged."]
    assert window.staged == ["Remove `R1`"]
    assert "undo" not in window.keys
    assert kit.fake.recipients_of(ITEM) == FIVE


def test_what_could_not_be_read_back_is_not_called_saved(kit: DeskKit) -> None:
    """The change was sent; whether the list shows it is not known."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.before_call = lambda _call: (
        kit.fake.faults.append(Fault("getVisibilities", unknown_outcome("getVisibilities")))
        if kit.fake.writes
        else None
    )
    window.click("save")
    assert window.alerts == [
        "Not yet confirmed: 1 accepted, but not read back · TIME. Unconfirmed changes stay staged."
    ]
    assert window.staged == ["Remove `R1`"]
    assert OUTCOMES in window.tables


def test_more_than_half_is_confirmed_by_its_count(kit: DeskKit) -> None:
    """Save asks; a wrong count saves nothing and keeps what is staged."""
    window = Window(ITEM)
    window.untick("R1")
    window.untick("R2")
    window.untick("R3")
    window.click("save")
    assert window.says("**Remove:** R1, R2 and R3")
    assert window.says("That is more than half.")
    assert window.is_off("confirm")
    window.confirm("2")
    assert kit.fake.writes == []
    window.confirm(" 3 ")
    assert window.alerts == ["Removed R1, R2 and R3 · verified TIME"]
    assert kit.fake.recipients_of(ITEM) == {"R4", "R5"}
    assert "confirm" not in window.keys


def test_more_than_a_hundred_additions_are_confirmed_by_their_count(kit: DeskKit) -> None:
    """Perhaps the wrong column was pasted; a hundred are saved at once."""
    window = Window(ITEM)
    window.add(", ".join(f"N{number}" for number in range(101)))
    assert window.label_of("save") == "Save: add 101"
    window.click("save")
    assert window.says("That is more than 100 at once.")
    assert kit.fake.writes == []
    window.confirm("101")
    assert len(kit.fake.recipients_of(ITEM)) == len(FIVE) + 101


@pytest.mark.parametrize("way", ["confirm_cancel", "discard"])
def test_a_large_change_that_is_not_confirmed_is_not_saved(kit: DeskKit, way: str) -> None:
    """Cancel keeps it staged; Discard drops it; neither asks again by itself."""
    window = Window(ITEM)
    for recipient in ("R1", "R2", "R3"):
        window.untick(recipient)
    window.click("save")
    window.click(way)
    assert "confirm" not in window.keys
    assert len(window.staged) == {"confirm_cancel": 3, "discard": 0}[way]
    assert kit.fake.writes == []


def test_a_question_belongs_to_its_item(kit: DeskKit) -> None:
    """On another item it is dropped, and does not come back."""
    window = Window(OTHER_ITEM)
    window.untick("R9")
    window.click("save")
    assert "confirm" in window.keys
    window.go_back_to(**LINK)
    assert "confirm" not in window.keys
    window.go_back_to(**OTHER_LINK)
    assert "confirm" not in window.keys
    assert kit.fake.writes == []


def test_what_was_asked_about_is_saved_or_nothing(kit: DeskKit) -> None:
    """A tick that arrives with the answer makes it another change."""
    window = Window(ITEM)
    for recipient in ("R1", "R2", "R3"):
        window.untick(recipient)
    window.click("save")
    window.forge_along({"edited_rows": {0: {"visible": False}, 1: {"visible": False}}})
    window.confirm("3")
    assert kit.fake.writes == []
    assert window.alerts == ["Nothing was saved: the staged changes have changed. Check them, then save."]
    assert window.staged == ["Remove `R1`", "Remove `R2`"]


def test_a_list_that_changed_since_takes_the_green_result_away(kit: DeskKit) -> None:
    """The save is told as past, and Undo is where the history is."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    kit.fake.time.sleep(1)
    kit.fake.put(ITEM, FIVE)
    window.click("load_again")
    assert window.alerts == [
        "Last save here TIME: Removed R1 · verified then. The list has changed since.",
        "The list has changed since it was read here. What you staged is kept.",
    ]
    assert "undo" not in window.keys


def test_a_result_does_not_stand_for_what_a_job_did_since(kit: DeskKit) -> None:
    """A job saved after this window did: the window says so, and its green line and its Undo are gone."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    kit.fake.time.sleep(1)
    save_as_a_job(kit, add="J1")
    window.leave()
    assert window.alerts == [
        (
            "The last save here ended TIME, after the list below was read: Added J1 · verified then. "
            "Load the list again before you change anything."
        )
    ]
    assert "undo" not in window.keys
    kit.fake.time.sleep(1)
    window.click("load_again")
    assert window.alerts[0].startswith("Added J1 · verified TIME")


def save_as_a_job(kit: DeskKit, *, add: str) -> None:
    """Save as the workers of jobs do, beside the worker of the screens."""
    hands = kit.fake.time
    saver = Saver(kit.fake, kit.records.history, clock=hands.now, sleep=hands.sleep)
    request = a_request(ITEM, key="job/1", add={add})
    assert saver.save(replace(request, origin=Origin(kind=ChangeKind.BULK))).is_saved


def test_a_green_result_goes_when_something_is_staged(kit: DeskKit) -> None:
    """It would stand above changes that it knows nothing of; it is told as the last save, with Undo."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.untick("R2")
    assert window.alerts == []
    assert window.says("Last save here TIME: Removed R1 · verified then.")
    assert "undo" in window.keys
    window.click("discard")
    assert window.alerts == ["Removed R1 · verified TIME"]
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1"}


def test_an_undo_shows_its_plan_before_it_is_saved(kit: DeskKit) -> None:
    """Nothing is sent before Save."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.click("undo")
    assert window.says("**Undo:** add R1 · not saved yet")
    assert window.label_of("save") == "Save: add 1"
    assert window.staged == ["Add `R1`"]
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R1"}


def test_an_undo_beside_other_changes_is_offered_by_itself(kit: DeskKit) -> None:
    """It says what stays staged, saves the undo alone, and says nothing of what stayed."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.untick("R2")
    window.click("undo")
    assert window.says("**Add:** R1")
    assert window.says("This stays staged, and is not saved now: remove R2.")
    window.click("confirm")
    assert kit.fake.recipients_of(ITEM) == FIVE
    assert window.staged == ["Remove `R2`"]
    assert window.alerts == ["Added R1 · verified TIME"]
    undone = kit.records.history.latest(ITEM)
    assert undone is not None
    assert undone.request.origin.kind is ChangeKind.UNDO
    window.click("save")
    assert kit.fake.recipients_of(ITEM) == FIVE - {"R2"}


def test_an_undo_beside_others_that_is_refused_mixes_with_nothing(kit: DeskKit) -> None:
    """The staged changes stay, and nothing else is staged."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    window.untick("R2")
    window.click("undo")
    kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    window.click("confirm")
    assert window.alerts == ["Nothing was saved."]
    assert window.staged == ["Remove `R2`"]


def test_an_undo_is_recorded_as_one(kit: DeskKit) -> None:
    """The history tells an undo from an edit, and which save it takes back."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    first = kit.records.history.latest(ITEM)
    window.click("undo")
    window.click("save")
    undone = kit.records.history.latest(ITEM)
    assert first is not None
    assert undone is not None
    assert undone.request.origin == Origin(kind=ChangeKind.UNDO, undo_of=first.request.key)


def test_changes_of_many_others_are_cut_short(kit: DeskKit) -> None:
    """Five are named, the rest counted."""
    window = Window(ITEM)
    window.untick("R1")
    kit.fake.put(ITEM, FIVE | {f"X{number}" for number in range(1, 8)})
    window.click("save")
    assert window.alerts[1].endswith("Added meanwhile: `X1`, `X2`, `X3`, `X4`, `X5` and 2 more")


def test_what_looks_damaged_is_shown_before_it_is_saved(kit: DeskKit) -> None:
    """It is staged with a remark; a suspicion holds nothing up."""
    window = Window(ITEM)
    window.add("4000001000006")
    assert window.says("1 to check")
    assert kit.fake.writes == []
    window.click("save")
    assert window.alerts == ["Added 4000001000006 · verified TIME"]


def test_save_is_off_while_nothing_is_staged(kit: DeskKit) -> None:
    """A press that is made all the same sends nothing, and takes no later change along."""
    window = Window(ITEM)
    assert (window.label_of("save"), window.is_off("save")) == ("Save", True)
    window.click_again_at_once("save")
    window.untick("R1")
    assert (window.label_of("save"), window.is_off("save")) == ("Save: remove 1", False)
    assert kit.fake.writes == []


def test_a_read_only_environment_shows_and_changes_nothing(open_desk: OpenDesk) -> None:
    """Everything that writes is off, and the frame says why."""
    kit = open_desk({ITEM: FIVE}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    window = Window(ITEM)
    assert window.says(":orange-badge[:material/lock: Read only]")
    assert window.is_off("save")
    assert window.found()["isOff"] is True
    assert window.ticks == dict.fromkeys(sorted(FIVE), True)
    window.untick("R1")
    assert kit.fake.writes == []


def test_an_empty_item_of_a_read_only_environment_asks_for_no_addition(open_desk: OpenDesk) -> None:
    """Nobody could make it."""
    open_desk({}, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    window = Window(ITEM)
    assert window.says("**Nothing is recorded for this item")
    assert not window.says("Nobody yet")


def test_an_environment_that_became_read_only_refuses_a_save(kit: DeskKit) -> None:
    """A press that the screen still offered meets the core, and what is staged is kept."""
    window = Window(ITEM)
    window.untick("R1")
    kit.desk.environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    window.click("save")
    assert kit.fake.writes == []
    assert window.alerts == ["Nothing was saved."]
    assert window.staged == ["Remove `R1`"]
    assert window.says("test is read-only here: nothing was changed.")


def test_a_save_of_another_window_right_behind_ours_is_not_taken_for_ours(kit: DeskKit, gate: Event) -> None:
    """Each window is told of its own save, and what it stages next is saved, not taken for sent."""
    ours, theirs = Window(ITEM), Window(ITEM)
    theirs.untick("R2")
    ours.untick("R1")
    ours.click("save")
    theirs.click("save")
    gate.set()
    wait_for_save(kit)
    ours.leave()
    assert (ours.alerts, ours.staged) == (["Removed R1 · verified TIME"], [])
    assert list(ours.ticks) == ["R2", "R3", "R4", "R5"]
    ours.untick("R3")
    ours.click("save")
    wait_for_save(kit)
    assert kit.fake.recipients_of(ITEM) == {"R4", "R5"}


@pytest.mark.parametrize("press", ["undo", "load_again", "save"])
def test_a_press_that_comes_after_a_new_session_does_no_harm(kit: DeskKit, press: str) -> None:
    """A window that lost its session opens the item anew."""
    window = Window(ITEM)
    window.untick("R1")
    window.click("save")
    before = kit.fake.recipients_of(ITEM)
    fresh = Window(ITEM)
    fresh.click_again_at_once(press)
    assert kit.fake.recipients_of(ITEM) == before


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (lambda: refused("getVisibilities", 403), "The service refused it (403)."),
        (lambda: unknown_outcome("getVisibilities"), "The service did not answer."),
    ],
    ids=["refused", "no answer"],
)
def test_the_services_words_about_a_read_can_be_opened(
    kit: DeskKit, broken: Callable[[], ItemVisibilityError], words: str
) -> None:
    """The problem detail stands in a fold of its own below."""
    kit.fake.faults.append(Fault("getVisibilities", broken()))
    window = Window(ITEM)
    assert window.says(words)
    assert window.says("What the service answered")
    assert window.says("A title")
    assert window.says("Request id f00d")
