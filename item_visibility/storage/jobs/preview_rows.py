"""The items and totals that the previews of a job show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, and_, case, func, not_, select, true

from item_visibility.storage.columns import AnyRow, read_value
from item_visibility.storage.jobs.job_tables import job, job_item


class ItemsShown(StrEnum):
    """The choice of items to show in a preview."""

    ALL = "all"
    CHANGES = "changes"
    LARGE_REMOVALS = "large removals"
    REFUSED = "refused"
    UNREAD = "not read"
    NOTHING_TO_DO = "nothing to do"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSummary:
    """The changes that a job would make, for the items read so far.

    `add`, `remove` and `in_place` count recipients, item by item. The other fields count items, except
    `removals_to_confirm`: the recipients that large removals take away. A person must type that number.
    """

    items: int
    add: int
    remove: int
    in_place: int
    changing: int
    refused: int
    unread: int
    large_removals: int
    removals_to_confirm: int

    @property
    def nothing_to_do(self) -> int:
        """The number of items that were read and need no change."""
        return self.items - self.unread - self.refused - self.changing

    @property
    def is_nothing_to_do(self) -> bool:
        """True when all items were read and nothing is to be changed."""
        return not self.unread and not self.changing

    @property
    def is_applicable(self) -> bool:
        """True when all items were read and something is to be changed."""
        return not self.unread and bool(self.changing)

    @property
    def is_applied_unasked(self) -> bool:
        """True when what was confirmed before needs no further decision here."""
        return self.is_applicable and not self.removals_to_confirm


_IS_READ = job_item.c.read_at.is_not(None)
_IS_REFUSED = job_item.c.refusal != ""
_CHANGES = and_(job_item.c.to_add + job_item.c.to_remove > 0, not_(_IS_REFUSED))
IS_SHOWN: Mapping[ItemsShown, ColumnElement[bool]] = {
    ItemsShown.ALL: true(),
    ItemsShown.CHANGES: _CHANGES,
    ItemsShown.LARGE_REMOVALS: job_item.c.is_large_removal,
    ItemsShown.REFUSED: _IS_REFUSED,
    ItemsShown.UNREAD: not_(_IS_READ),
    ItemsShown.NOTHING_TO_DO: and_(_IS_READ, not_(_IS_REFUSED), not_(_CHANGES)),
}
"""The condition for the items of each choice."""


def counted(connection: Connection, job_id: int, positions: Sequence[int]) -> Mapping[str, int]:
    """Return the amounts that the previews of these items add to the counts of their job."""
    sums = {
        "read_items": case((_IS_READ, 1), else_=0),
        "to_add": job_item.c.to_add,
        "to_remove": job_item.c.to_remove,
        "in_place": job_item.c.in_place,
        "changing": case((_CHANGES, 1), else_=0),
        "refused": case((_IS_REFUSED, 1), else_=0),
        "large_removals": case((job_item.c.is_large_removal, 1), else_=0),
        "removals_to_confirm": case((job_item.c.is_large_removal, job_item.c.to_remove), else_=0),
    }
    columns = [func.sum(value).label(name) for name, value in sums.items()]
    is_one = and_(job_item.c.job_id == job_id, job_item.c.position.in_(positions))
    row = connection.execute(select(*columns).where(is_one)).one()
    return {name: getattr(row, name) or 0 for name in sums}


def read_summary(row: AnyRow) -> PreviewSummary:
    """Return the summary from the row of a job."""
    totals = {"items": row.item_count, "unread": row.item_count - row.read_items}
    return read_value(PreviewSummary, job, row, add=row.to_add, remove=row.to_remove, **totals)
