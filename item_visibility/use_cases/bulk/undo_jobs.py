"""Undo of a whole job: exactly what it did to each item, and nothing that others changed since."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.in_words import many
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import ChangeStep, Goal, recipients_of


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The items that undo a job, and how many recipients, of how many items, are left alone."""

    items: tuple[BulkItem, ...]
    left_alone: int = 0
    left_alone_items: int = 0

    @property
    def message(self) -> str:
        """A message about what is not undone; empty when everything is."""
        if not self.left_alone:
            return ""
        recipients, items = many(self.left_alone, "recipient"), many(self.left_alone_items, "item")
        return f"Left alone, because they were changed again after the job: {recipients} of {items}."


def taken_back(saves: Iterable[tuple[HistoryEntry, frozenset[str]]]) -> TakenBack:
    """Undo all saves of a job and its retries, each given with the recipients that others changed after it.

    The saves of one item are in the order of its attempts.
    """
    made, own = _Made(), _Made()
    for entry, changed in saves:
        made.add(entry)
        own.add(entry, without=changed)
    left_alone = [count for item, steps in made.done.items() if (count := len(steps - own.done[item]))]
    return TakenBack(own.undo(), sum(left_alone), len(left_alone))


class _Made:
    """The changes that saves made, by item, in the order of the list.

    A change that one attempt may have made, and a later one found in place, counts as made: the job said
    so. All changes of an unfinished attempt count as made too: the job was stopped just now, and the
    attempt began with lists that did not show them.
    Recipients that somebody changed since then need nothing and are left alone.
    """

    def __init__(self) -> None:
        self.done: dict[ItemKey, set[ChangeStep]] = {}
        self._perhaps: dict[ItemKey, set[ChangeStep]] = {}
        self._position: dict[ItemKey, int] = {}

    def add(self, entry: HistoryEntry, *, without: frozenset[str] = frozenset()) -> None:
        """Add a save, but not for these recipients; those of one item in the order of its attempts."""
        item = entry.request.item
        self._position.setdefault(item, _position(entry))
        done, perhaps = self.done.setdefault(item, set()), self._perhaps.setdefault(item, set())
        steps = (result for result in entry.steps if result.step.recipient_id not in without)
        outcomes = {result.step: result.outcome for result in steps}
        unknown = {step for step, outcome in outcomes.items() if outcome is Outcome.UNKNOWN}
        found_so = {step for step, outcome in outcomes.items() if outcome is Outcome.IN_PLACE}
        done |= {step for step, outcome in outcomes.items() if outcome is Outcome.DONE}
        done |= found_so & perhaps
        done |= unknown if entry.verdict is None else set()
        perhaps |= unknown

    def undo(self) -> tuple[BulkItem, ...]:
        """Return the items that undo these changes."""
        in_order = sorted(self.done, key=self._position.__getitem__)
        return tuple(_taking_back(item, self.done[item]) for item in in_order if self.done[item])


def _taking_back(item: ItemKey, steps: set[ChangeStep]) -> BulkItem:
    return BulkItem(
        item=item,
        add=recipients_of(steps, Goal.NOT_VISIBLE),
        remove=recipients_of(steps, Goal.VISIBLE),
    )


def _position(entry: HistoryEntry) -> int:
    """Return the item's position in its job, from the key of its save."""
    return int(entry.request.key.rsplit(":", 2)[1])
