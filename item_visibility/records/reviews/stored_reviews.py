"""The decisions of reviews and the days of the next ones, kept as people decide."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import ColumnElement, Connection, and_, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.decision import Decision, KeepOrRemove, NextReview
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.row_values import (
    AnyRow,
    Values,
    item_digest,
    item_values,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.records.database.types import digest
from item_visibility.records.database.upsert import insert_new, insert_or_update, pieces
from item_visibility.records.reviews.review_tables import next_review, review_decision

_PIECE = 2_000


class Reviews:
    """The reviews of one service. Everybody who reviews an item works on the same decisions."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def decide(
        self, decisions: Sequence[Decision], *, decided_by_key: str, seen: Mapping[str, datetime]
    ) -> tuple[Decision, ...]:
        """Save decisions about one item; return those of others that were not seen, and stay.

        `seen` are the times of the decisions that the person saw, by recipient.
        """
        others: list[Decision] = []
        for some in pieces(decisions, _PIECE):
            rows = {one.recipient_id: self._row(one, decided_by_key=decided_by_key) for one in some}
            with self._database.write() as connection:
                others += self._decide(connection, {one.recipient_id: one for one in some}, rows, seen)
        return tuple(others)

    def decisions(self, item: ItemKey) -> dict[str, Decision]:
        """Return the decisions about an item, by recipient."""
        is_it = review_decision.c.item_digest == item_digest(item)
        return {one.recipient_id: one for one in self._found(is_it)}

    def to_remove(self, supplier: str) -> tuple[Decision, ...]:
        """Return the decisions to remove recipients from items of the supplier, item by item."""
        is_one = review_decision.c.supplier == supplier
        return self._found(and_(is_one, review_decision.c.choice == KeepOrRemove.REMOVE))

    def put_next(self, planned: NextReview) -> None:
        """Save when an item is to be looked at again, replacing the earlier day."""
        row = values_of(planned, next_review) | item_values(planned.item)
        here = {"service": self._service, "item_digest": item_digest(planned.item)}
        self._database.put(next_review, row | here)

    def next_reviews(self, supplier: str) -> dict[ItemKey, NextReview]:
        """Return when the items of the supplier are to be looked at again."""
        return {one.item: one for one in self._planned(next_review.c.supplier == supplier)}

    def due(self, day: date, *, limit: int | None = None) -> tuple[NextReview, ...]:
        """Return the items that are to be looked at on that day or before, the first day first."""
        return self._planned(next_review.c.review_on <= day, limit=limit)

    def _decide(
        self,
        connection: Connection,
        wanted: Mapping[str, Decision],
        rows: Mapping[str, Values],
        seen: Mapping[str, datetime],
    ) -> Iterable[Decision]:
        new = [row for one, row in rows.items() if one not in seen]
        if new:
            connection.execute(insert_new(connection, review_decision), new)
        is_one = review_decision.c.recipient_digest.in_([row["recipient_digest"] for row in rows.values()])
        is_of_item = review_decision.c.item_digest == next(iter(rows.values()))["item_digest"]
        query = select(review_decision).where(self._is_here(), is_of_item, is_one).with_for_update()
        stored = {one.recipient_id: one for one in map(_read, connection.execute(query))}
        unseen = {
            one
            for one, decision in stored.items()
            if decision.decided_at not in {wanted[one].decided_at, seen.get(one)}
        }
        mine = [row for one, row in rows.items() if one not in unseen and stored.get(one) != wanted[one]]
        if mine:
            connection.execute(insert_or_update(connection, review_decision), mine)
        return [stored[one] for one in sorted(unseen) if stored[one].choice is not wanted[one].choice]

    def _found(self, is_wanted: ColumnElement[bool]) -> tuple[Decision, ...]:
        columns = ("supplier", "supplier_item_id", "recipient_id")
        query = select(review_decision).order_by(*(review_decision.c[name] for name in columns))
        return tuple(map(_read, self._database.rows(query.where(self._is_here(), is_wanted))))

    def _planned(self, is_wanted: ColumnElement[bool], *, limit: int | None = None) -> tuple[NextReview, ...]:
        columns = ("review_on", "supplier", "supplier_item_id")
        query = select(next_review).order_by(*(next_review.c[name] for name in columns)).limit(limit)
        rows = self._database.rows(query.where(next_review.c.service == self._service, is_wanted))
        return tuple(read_value(NextReview, next_review, row, item=read_item_key(row)) for row in rows)

    def _row(self, one: Decision, *, decided_by_key: str) -> Values:
        return values_of(one, review_decision) | {
            **item_values(one.item),
            "service": self._service,
            "item_digest": item_digest(one.item),
            "recipient_digest": digest(one.recipient_id),
            "decided_by_key": decided_by_key,
        }

    def _is_here(self) -> ColumnElement[bool]:
        return review_decision.c.service == self._service


def _read(row: AnyRow) -> Decision:
    return read_value(Decision, review_decision, row, item=read_item_key(row))
