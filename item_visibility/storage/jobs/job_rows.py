"""Reads and writes of the rows of bulk jobs."""

from collections import Counter

from item_visibility.access.access import Role
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobItem, JobRow
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.columns import (
    AnyRow,
    Values,
    item_values,
    list_digest,
    read_item_key,
    read_value,
)
from item_visibility.storage.jobs.job_tables import OUTCOME_COLUMNS, ItemsShown, job, job_item

Lists = dict[str, frozenset[str]]
"""Recipient lists by digest."""

LIST_COLUMNS = ("add_digest", "remove_digest", "exactly_digest", "current_digest")
"""The columns of an item that refer to lists."""
_TAKEN_AWAY = {Outcome.DONE: "removed", Outcome.IN_PLACE: "already_without"}


def read_job(row: AnyRow) -> Job:
    """Return the job of a row."""
    counts = {outcome: getattr(row, name) for outcome, name in OUTCOME_COLUMNS.items()}
    return read_value(
        Job,
        job,
        row,
        outcomes={outcome: count for outcome, count in counts.items() if count},
        applied_role=None if row.applied_role is None else Role(row.applied_role),
    )


def count_columns(row: JobRow) -> tuple[str, ...]:
    """Return the columns of its job that count this row: by outcome, and as one that takes away."""
    by_outcome = OUTCOME_COLUMNS[row.outcome]
    taken_away = _TAKEN_AWAY.get(row.outcome) if row.goal is Goal.NOT_VISIBLE else None
    return (by_outcome, taken_away) if taken_away else (by_outcome,)


def intent_values(position: int, intent: BulkItem) -> Values:
    """Return the row of a new item."""
    return item_values(intent.item) | {
        "position": position,
        "add_digest": list_digest(intent.add),
        "remove_digest": list_digest(intent.remove),
        "exactly_digest": None if intent.exactly is None else list_digest(intent.exactly),
        "rows": ";".join(",".join(map(str, numbers)) for numbers in intent.rows),
    }


def preview_values(preview: ItemPreview) -> Values:
    """Return the columns that a preview sets in the row of its item."""
    return {
        "read_at": preview.read_at,
        "current_digest": None if preview.current is None else list_digest(preview.current),
        "refusal": preview.refusal,
        "shown": _shown(preview),
    }


def preview_counts(preview: ItemPreview) -> Counter[str]:
    """Return what a preview adds to the counts of its job."""
    shown = _shown(preview)
    is_large = shown is ItemsShown.LARGE_REMOVALS
    return Counter(
        read_items=1,
        to_add=len(preview.add),
        to_remove=len(preview.remove),
        in_place=len(preview.in_place),
        changing=int(is_large or shown is ItemsShown.CHANGES),
        refused=int(shown is ItemsShown.REFUSED),
        large_removals=int(is_large),
        removals_to_confirm=len(preview.remove) if is_large else 0,
    )


def _shown(preview: ItemPreview) -> ItemsShown:
    if preview.refusal:
        return ItemsShown.REFUSED
    if preview.is_large_removal:
        return ItemsShown.LARGE_REMOVALS
    return ItemsShown.CHANGES if preview.add or preview.remove else ItemsShown.NOTHING_TO_DO


def read_intent(row: AnyRow, lists: Lists) -> BulkItem:
    """Return the changes that the job wants for the item of a row."""
    return BulkItem(
        item=read_item_key(row),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=None if row.exactly_digest is None else lists[row.exactly_digest],
        rows=tuple(tuple(map(int, numbers.split(","))) for numbers in filter(None, row.rows.split(";"))),
    )


def read_item(row: AnyRow, lists: Lists) -> JobItem:
    """Return the item of a row. What it changes follows from the list that was read."""
    intent, preview = read_intent(row, lists), None
    if row.read_at is not None:
        current = None if row.current_digest is None else lists[row.current_digest]
        preview = ItemPreview.of(intent, current, read_at=row.read_at, refusal=row.refusal)
    return read_value(JobItem, job_item, row, intent=intent, preview=preview)
