"""Undo of a whole job: reverses exactly what it did to each item, over all its attempts."""

from collections.abc import Iterable

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.outcome import StepOutcome
from item_visibility.changes.plan import ChangeStep, Goal, recipients_of


def undo_items(entries: Iterable[HistoryEntry]) -> tuple[BulkItem, ...]:
    """Return the items that undo a job, one for each item that it changed.

    A change that one attempt may have made, and a later one found in place, counts as made: the job said
    so. All changes of an unfinished attempt count as made too: the job was stopped just now, and the
    attempt began with lists that did not show them.
    Recipients that somebody changed since then need nothing and are left alone. The entries of an item
    come in the order of its attempts.
    """
    done: dict[ItemKey, set[ChangeStep]] = {}
    perhaps: dict[ItemKey, set[ChangeStep]] = {}
    for entry in entries:
        item_done, item_perhaps = (
            done.setdefault(entry.request.item, set()),
            perhaps.setdefault(entry.request.item, set()),
        )
        outcomes = {result.step: result.outcome for result in entry.steps}
        unknown = {step for step, outcome in outcomes.items() if outcome is StepOutcome.UNKNOWN}
        found_so = {step for step, outcome in outcomes.items() if outcome is StepOutcome.IN_PLACE}
        item_done |= {step for step, outcome in outcomes.items() if outcome is StepOutcome.DONE}
        item_done |= found_so & item_perhaps
        item_done |= unknown if entry.verdict is None else set()
        item_perhaps |= unknown
    return tuple(_taking_back(item, steps) for item, steps in done.items() if steps)


def _taking_back(item: ItemKey, steps: set[ChangeStep]) -> BulkItem:
    return BulkItem(
        item=item,
        add=recipients_of(steps, Goal.NOT_VISIBLE),
        remove=recipients_of(steps, Goal.VISIBLE),
    )
