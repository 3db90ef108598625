"""An entry of the history."""

from dataclasses import replace

import pytest

from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal
from item_visibility.saving.request import ChangeKind
from tests.saving.saving import ask
from tests.support.fake_visibilities import START


@pytest.mark.parametrize(
    ("kind", "outcome", "is_undoable"),
    [
        (ChangeKind.EDIT, Outcome.DONE, True),
        (ChangeKind.UNDO, Outcome.DONE, True),
        (ChangeKind.EDIT, Outcome.UNKNOWN, False),
        (ChangeKind.OBSERVED, Outcome.DONE, False),
    ],
)
def test_a_save_is_undoable_when_it_was_made_here_and_changed_something(
    kind: ChangeKind, outcome: Outcome, *, is_undoable: bool
) -> None:
    """An undo, too; not what others made elsewhere."""
    step = StepResult(ChangeStep("D", Goal.VISIBLE), outcome)
    request = replace(ask(base="AB", add="D"), kind=kind)
    entry = HistoryEntry(service="", request=request, started_at=START, steps=(step,))
    assert entry.is_undoable is is_undoable
