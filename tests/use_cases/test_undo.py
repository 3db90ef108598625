"""What can be undone: a change that this dashboard certainly made, and no other."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from item_visibility.model.change import ChangeKind, ChangeStep, Goal
from item_visibility.model.job import JobState
from item_visibility.model.outcome import (
    HistoryEntry,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.model.read_item import ReadItem
from item_visibility.use_cases.undo import undo_items, undo_request
from tests.saving.saving import ask
from tests.storage.entries import a_job
from tests.support.desk import ITEM
from tests.support.fake_visibilities import START

READING = ReadItem(item=ITEM, recipients=frozenset("A"), asked_at=START, read_at=START)
OUTCOMES = pytest.mark.parametrize(
    ("outcome", "is_undoable"),
    [(outcome, outcome is Outcome.DONE) for outcome in Outcome],
)


def result_of(outcome: Outcome) -> SaveResult:
    """Return the result of a save that was to add the recipient A."""
    return SaveResult(
        item=ITEM,
        verdict=Verdict.DIFFERS,
        steps=(StepResult(ChangeStep("A", Goal.VISIBLE), outcome),),
        started_at=START,
        ended_at=START,
    )


def entry_of(outcome: Outcome) -> HistoryEntry:
    result = result_of(outcome)
    return HistoryEntry(
        service="s",
        request=ask(key="save-1"),
        started_at=START,
        steps=result.steps,
        result=result,
    )


def removed_by_undo(entry: HistoryEntry) -> frozenset[str]:
    history = Mock(
        changed_since=Mock(return_value=frozenset()), count_undos=Mock(return_value=0)
    )
    return undo_request(history, entry, READING).request.remove


@OUTCOMES
def test_a_result_is_undoable_if_a_change_was_certainly_made(
    outcome: Outcome, *, is_undoable: bool
) -> None:
    assert result_of(outcome).is_undoable is is_undoable


@OUTCOMES
def test_the_undo_of_an_entry_changes_something_if_the_entry_is_undoable(
    outcome: Outcome, *, is_undoable: bool
) -> None:
    entry = entry_of(outcome)
    assert entry.is_undoable is is_undoable
    assert bool(removed_by_undo(entry)) is is_undoable


@OUTCOMES
def test_the_undo_of_a_job_changes_something_if_the_job_is_undoable(
    outcome: Outcome, *, is_undoable: bool
) -> None:
    job = a_job(state=JobState.ENDED, outcomes={outcome: 1})
    items, _ = undo_items([(entry_of(outcome), frozenset())])
    assert job.is_undoable is is_undoable
    assert bool(items) is is_undoable


def test_a_change_that_was_made_elsewhere_is_not_undone() -> None:
    entry = entry_of(Outcome.DONE)
    observed = replace(entry, request=replace(entry.request, kind=ChangeKind.OBSERVED))
    assert not observed.is_undoable
    assert removed_by_undo(observed) == frozenset()
