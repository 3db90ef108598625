"""Taking a whole job back: exactly what it did to each item, over all its attempts."""

from collections.abc import Iterable, Iterator

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import Job
from item_visibility.changes.journal import HistoryEntry, Journal
from item_visibility.changes.outcome import StepOutcome
from item_visibility.changes.plan import ChangeStep, Goal
from item_visibility.jobs.item import attempts_of


def entries_of(journal: Journal, job: Job) -> Iterator[HistoryEntry]:
    """Every save that a job made, by item, its attempts in order. Raises RecordsError."""
    for position in range(job.item_count):
        yield from attempts_of(journal, job.key, position)


def undo_items(entries: Iterable[HistoryEntry]) -> tuple[BulkItem, ...]:
    """What takes back the saves of a job, item by item; items that it did not change are left out.

    What an attempt may have done, and a later one found so, counts as done: the job said it was.
    Against the list as it is then, recipients that somebody changed since need nothing, and so are
    left alone. The entries of an item come in the order of its attempts.
    """
    done: dict[ItemKey, set[ChangeStep]] = {}
    perhaps: dict[ItemKey, set[ChangeStep]] = {}
    for entry in entries:
        item_done, item_perhaps = done.setdefault(entry.item, set()), perhaps.setdefault(entry.item, set())
        for result in entry.steps:
            if result.outcome is StepOutcome.UNKNOWN:
                item_perhaps.add(result.step)
            elif result.outcome is StepOutcome.DONE or (
                result.outcome is StepOutcome.ALREADY_SO and result.step in item_perhaps
            ):
                item_done.add(result.step)
    return tuple(_taking_back(item, steps) for item, steps in done.items() if steps)


def _taking_back(item: ItemKey, steps: set[ChangeStep]) -> BulkItem:
    return BulkItem(
        item=item,
        add=frozenset(step.recipient_id for step in steps if step.goal is Goal.NOT_VISIBLE),
        remove=frozenset(step.recipient_id for step in steps if step.goal is Goal.VISIBLE),
    )
