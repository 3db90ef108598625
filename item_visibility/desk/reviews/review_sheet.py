"""The review of a supplier's items: keep or remove, recipient by recipient, and the changes that follow."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.decision import Decision, KeepOrRemove, NextReview
from item_visibility.changes.end_date import utc_day
from item_visibility.desk.bulk.jobs import BulkDesk
from item_visibility.errors import ReviewError
from item_visibility.evidence.redaction import redactor_for
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.directory.named_rows import Kind
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment

__all__ = ["Decision", "KeepOrRemove", "NextReview", "ReviewDesk", "SheetItem"]


MOST_ITEMS = 2_000
"""A sheet is gone through by a person: more known items of one supplier are not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetItem:
    """One item of a sheet: when it is to be looked at again, and how many it is to be taken away from."""

    item: ItemKey
    review_on: date | None
    is_due: bool
    to_remove: int


class ReviewDesk:
    """The reviews of one environment. Decisions are ours: nothing is sent before a job of theirs is applied.

    Methods that decide raise ReviewError, ReadOnlyError, RecordsError, SignInError and RoleError.
    """

    def __init__(
        self,
        environment: Environment,
        records: ServiceRecords,
        *,
        bulk: BulkDesk,
        doorkeeper: Doorkeeper,
        clock: Callable[[], datetime],
    ) -> None:
        self._environment = environment
        self._reviews = records.reviews
        self._items = records.directory[Kind.ITEM]
        self._bulk = bulk
        self._doorkeeper = doorkeeper
        self._clock = clock

    def sheet(self, supplier: str) -> tuple[SheetItem, ...]:
        """Return at most MOST_ITEMS known items of the supplier, by their numbers. Raises RecordsError."""
        today = utc_day(self._clock())
        planned = self._reviews.next_reviews(supplier)
        counts: dict[ItemKey, int] = {}
        for one in self._reviews.to_remove(supplier):
            counts[one.item] = counts.get(one.item, 0) + 1
        known = {ItemKey(*row.ids) for row in self._items.find("", limit=MOST_ITEMS, supplier=supplier)}
        found = sorted(known | planned.keys() | counts.keys(), key=lambda item: item.supplier_item_id)
        days = {item: planned[item].review_on for item in planned}
        return tuple(
            SheetItem(
                item=item,
                review_on=days.get(item),
                is_due=item in days and days[item] <= today,
                to_remove=counts.get(item, 0),
            )
            for item in found
        )

    def due(self, *, limit: int | None = None) -> tuple[NextReview, ...]:
        """Return the items of all suppliers whose day has come, the first one first. Raises RecordsError."""
        return self._reviews.due(utc_day(self._clock()), limit=limit)

    def decisions(self, item: ItemKey) -> dict[str, Decision]:
        """Return the decisions about an item, by recipient. Raises RecordsError."""
        return self._reviews.decisions(item)

    def decide(
        self,
        item: ItemKey,
        recipients: Collection[str],
        choice: KeepOrRemove,
        *,
        reason: str = "",
        seen: Mapping[str, Decision],
    ) -> tuple[Decision, ...]:
        """Keep a decision about these recipients; return those that others made meanwhile, which stay.

        `seen` are the decisions that the person saw. A secret that somebody gave as a reason is not kept.
        Nothing is sent.
        """
        self._environment.refuse_when_read_only()
        person = self._doorkeeper.admit(Role.EDITOR)
        now = self._clock()
        kept_reason = redactor_for(self._environment.credentials).text(reason)
        return self._reviews.decide(
            [
                Decision(
                    item=item,
                    recipient_id=one,
                    choice=choice,
                    reason=kept_reason,
                    decided_by=person.name,
                    decided_at=now,
                )
                for one in recipients
            ],
            decided_by_key=person.key,
            seen={one: decision.decided_at for one, decision in seen.items()},
        )

    def plan_next(self, item: ItemKey, review_on: date) -> None:
        """Keep the day from which the item is to be looked at again."""
        self._environment.refuse_when_read_only()
        person = self._doorkeeper.admit(Role.EDITOR)
        now = self._clock()
        if review_on <= utc_day(now):
            raise ReviewError(
                f"The next review on {review_on.isoformat()} would be due at once.",
                advice="The day was not kept. Choose a later one.",
            )
        planned = NextReview(item=item, review_on=review_on, set_by=person.name, set_at=now)
        self._reviews.put_next(planned)

    def preview_removals(self, supplier: str, *, title: str) -> str:
        """Start a job that takes away what was decided to be removed, and return its key.

        Nothing is sent before it is applied. Raises BulkError when there is no such decision.
        """
        self._doorkeeper.admit(Role.EDITOR)
        decided = self._reviews.to_remove(supplier)
        by_item: dict[ItemKey, set[str]] = {}
        for one in decided:
            by_item.setdefault(one.item, set()).add(one.recipient_id)
        reasons = {one.reason for one in decided}
        return self._bulk.start_preview(
            (BulkItem(item=item, remove=frozenset(ids)) for item, ids in by_item.items()),
            title=title,
            reason=reasons.pop() if len(reasons) == 1 else "",
            nothing="No recipient was chosen to be removed.",
        )
