"""Undo of a whole job: exactly what it did to each item, and nothing that others changed since."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.in_words import many
from item_visibility.saving.outcome import Outcome, StepResult
from item_visibility.saving.plan import ChangeStep, Goal, recipients_of


@dataclass(frozen=True, slots=True)
class JobUndo:
    """The items that undo a job, and a message about what is left alone; empty when everything is undone."""

    items: tuple[BulkItem, ...]
    message: str = ""


def undo_of(saves: Iterable[tuple[HistoryEntry, frozenset[str]]]) -> JobUndo:
    """Undo all saves of a job and its retries, each given with the recipients that others changed after it.

    The saves of one item are in the order of its attempts.
    """
    done: dict[ItemKey, _Made] = defaultdict(_Made)
    still_ours: dict[ItemKey, _Made] = defaultdict(_Made)
    for entry, changed in saves:
        item = entry.request.item
        done[item].add(entry, entry.steps)
        still_ours[item].add(entry, (one for one in entry.steps if one.step.recipient_id not in changed))
    left_alone = [count for item, made in done.items() if (count := len(made.done - still_ours[item].done))]
    message = ""
    if left_alone:
        recipients, items = many(sum(left_alone), "recipient"), many(len(left_alone), "item")
        message = f"Left alone, because they were changed again after the job: {recipients} of {items}."
    return JobUndo(tuple(_undo(item, made.done) for item, made in still_ours.items() if made.done), message)


class _Made:
    """The changes that the saves of one item made.

    A change that one attempt may have made, and a later one found in place, counts as made: the job said
    so. All changes of an unfinished attempt count as made too: the job was stopped just now, and the
    attempt began with a list that did not show them.
    """

    def __init__(self) -> None:
        self.done: set[ChangeStep] = set()
        self._perhaps: set[ChangeStep] = set()

    def add(self, entry: HistoryEntry, steps: Iterable[StepResult]) -> None:
        """Add these steps of a save."""
        for step, outcome in ((one.step, one.outcome) for one in steps):
            is_found = outcome is Outcome.IN_PLACE and step in self._perhaps
            is_unfinished = outcome is Outcome.UNKNOWN and entry.verdict is None
            if outcome is Outcome.DONE or is_found or is_unfinished:
                self.done.add(step)
            if outcome is Outcome.UNKNOWN:
                self._perhaps.add(step)


def _undo(item: ItemKey, steps: set[ChangeStep]) -> BulkItem:
    return BulkItem(
        item=item,
        add=recipients_of(steps, Goal.NOT_VISIBLE),
        remove=recipients_of(steps, Goal.VISIBLE),
    )
