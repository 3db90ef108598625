"""Taking a save back."""

from item_visibility.changes.outcome import StepOutcome, StepResult
from item_visibility.changes.plan import ChangeStep, Goal
from item_visibility.desk.history.undo_saves import UndoChanges, undo_changes


def test_what_was_done_is_taken_back() -> None:
    """The added one goes, the removed one returns."""
    steps = [
        StepResult(ChangeStep("A", Goal.VISIBLE), StepOutcome.DONE),
        StepResult(ChangeStep("B", Goal.NOT_VISIBLE), StepOutcome.DONE),
    ]
    undo = undo_changes(steps, current=frozenset({"A", "C"}))
    assert (undo.add, undo.remove, undo.left_alone) == (frozenset({"B"}), frozenset({"A"}), ())


def test_what_the_save_did_not_do_is_not_taken_back() -> None:
    """Already in place, refused, not sent, unknown: none of them was this save's doing for certain."""
    others = [outcome for outcome in StepOutcome if outcome is not StepOutcome.DONE]
    steps = [StepResult(ChangeStep(outcome, Goal.VISIBLE), outcome) for outcome in others]
    undo = undo_changes(steps, current=frozenset(others))
    assert undo == UndoChanges(frozenset(), frozenset(), ())


def test_what_somebody_changed_since_is_left_alone_and_named() -> None:
    """A was taken away again, B was added again: both stay as they are now."""
    steps = [
        StepResult(ChangeStep("A", Goal.VISIBLE), StepOutcome.DONE),
        StepResult(ChangeStep("B", Goal.NOT_VISIBLE), StepOutcome.DONE),
    ]
    undo = undo_changes(steps, current=frozenset({"B"}))
    assert undo == UndoChanges(frozenset(), frozenset(), ("A", "B"))
