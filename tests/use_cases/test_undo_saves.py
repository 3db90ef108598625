"""The undo of a save: exactly what it did, and nobody changed since."""

from collections.abc import Iterable
from unittest.mock import Mock

from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.history.undo_saves import Undo, undo_request
from tests.saving.saving import ITEM, ask
from tests.support.fake_visibilities import START

DONE = Outcome.DONE


def undo_of(*steps: tuple[str, Goal, Outcome], current: Iterable[str], changed: Iterable[str] = ()) -> Undo:
    """The undo of a save with these steps, while these recipients can see the item."""
    results = tuple(StepResult(ChangeStep(one, goal), outcome) for one, goal, outcome in steps)
    entry = HistoryEntry(service="s", request=ask(key="save-1"), started_at=START, steps=results)
    reading = ReadItem(item=ITEM, recipients=frozenset(current), asked_at=START, read_at=START)
    search = Mock(changed_since=Mock(return_value=frozenset(changed)), count_undos=Mock(return_value=0))
    return undo_request(search, entry, reading)


def changes(undo: Undo) -> tuple[set[str], set[str]]:
    """Who would be added, and who removed."""
    return set(undo.request.add), set(undo.request.remove)


def test_what_was_done_is_undone() -> None:
    """The added one is removed, the removed one returns."""
    undo = undo_of(("A", Goal.VISIBLE, DONE), ("B", Goal.NOT_VISIBLE, DONE), current="AC")
    assert changes(undo) == ({"B"}, {"A"})
    assert (undo.request.key, undo.request.base) == ("undo-save-1", frozenset("AC"))


def test_what_the_save_did_not_do_is_not_undone() -> None:
    """Already in place, refused, not sent, unknown: none of them was certainly made by this save."""
    others = [outcome for outcome in Outcome if outcome is not DONE]
    undo = undo_of(*((outcome, Goal.VISIBLE, outcome) for outcome in others), current=others)
    assert (changes(undo), undo.left_alone) == ((set(), set()), ())


def test_what_somebody_changed_since_is_left_alone_and_named() -> None:
    """A was removed and B added elsewhere; C was changed twice, and is as the save left it."""
    undo = undo_of(
        ("A", Goal.VISIBLE, DONE),
        ("B", Goal.NOT_VISIBLE, DONE),
        ("C", Goal.VISIBLE, DONE),
        current="BC",
        changed="C",
    )
    assert (changes(undo), undo.left_alone) == ((set(), set()), ("A", "B", "C"))


def test_an_id_that_no_address_can_carry_is_not_restorable() -> None:
    """It was removed with Remove all, and no single call can add it."""
    undo = undo_of(("..", Goal.NOT_VISIBLE, DONE), ("A", Goal.NOT_VISIBLE, DONE), current="")
    assert (changes(undo), undo.not_restorable) == (({"A"}, set()), ("..",))
