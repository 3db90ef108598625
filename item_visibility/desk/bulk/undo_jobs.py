"""Undo of a whole job: exactly what it did to each item, and nothing that others changed since."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.in_words import many
from item_visibility.changes.outcome import StepOutcome
from item_visibility.changes.plan import ChangeStep, Goal, recipients_of


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The items that undo a job, and how many recipients, of how many items, are left alone.

    `lost` counts the changes that are no longer in the history.
    """

    items: tuple[BulkItem, ...]
    left_alone: int = 0
    left_alone_items: int = 0
    lost: int = 0

    @property
    def message(self) -> str:
        """A message about what is not undone; empty when everything is."""
        told = []
        if self.left_alone:
            recipients = many(self.left_alone, "recipient")
            items = many(self.left_alone_items, "item")
            told.append(
                f"Left alone, because they were changed again after the job: {recipients} of {items}."
            )
        if self.lost:
            told.append(
                f"Not taken back, because the history no longer holds them: {many(self.lost, 'change')}."
            )
        return " ".join(told)


def taken_back(saves: Iterable[tuple[HistoryEntry, frozenset[str]]], *, verified: int = 0) -> TakenBack:
    """Undo all saves of a job, each given with the recipients that others changed after it.

    The saves of one item are in the order of its attempts. `verified` is how many changes the job is
    known to have made.
    """
    items: list[tuple[int, BulkItem]] = []
    left_alone: list[int] = []
    found = 0
    for position, group in groupby(saves, key=lambda save: _position(save[0])):
        attempts = tuple(group)
        own = tuple(_without(entry, changed) for entry, changed in attempts)
        made = _count(undo_items(entry for entry, _ in attempts))
        left = made - _count(kept := undo_items(own))
        found += made
        items.extend((position, one) for one in kept)
        left_alone += [left] if left else []
    in_order = tuple(one for _, one in sorted(items, key=lambda pair: pair[0]))
    return TakenBack(in_order, sum(left_alone), len(left_alone), lost=max(0, verified - found))


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


def _position(entry: HistoryEntry) -> int:
    """Return the item's position in its job, from the key of its save."""
    return int(entry.request.key.rsplit(":", 2)[1])


def _without(entry: HistoryEntry, changed: frozenset[str]) -> HistoryEntry:
    steps = tuple(result for result in entry.steps if result.step.recipient_id not in changed)
    return replace(entry, steps=steps)


def _count(items: tuple[BulkItem, ...]) -> int:
    return sum(len(one.add) + len(one.remove) for one in items)
