"""The history of saves. A save is recorded before its first write, in case it is interrupted."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import sqlalchemy as sa

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail
from item_visibility.saving.outcome import HistoryEntry, SaveResult, Verdict, steps_begun
from item_visibility.saving.plan import ChangeKind, ChangePlan, ChangeRequest
from item_visibility.storage.column_types import (
    Values,
    item_digest,
    item_values,
    put_lists,
    values_of,
)
from item_visibility.storage.database import Database
from item_visibility.storage.history import changes_made, entries, history, history_step, put_entry, put_steps
from item_visibility.storage.seen_lists import ReadItem, SeenLists


class History:
    """The saves at one service. Recording a save also updates the lists in `seen`."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service
        self._is_here = history.c.service == service
        self.seen = SeenLists(database, service=service)

    def begin(self, request: ChangeRequest, plan: ChangePlan, *, started_at: datetime) -> HistoryEntry | None:
        """Record the request and the list before the save, and return None.

        If a save with this key exists, keep and return it. But if the earlier save sent nothing, replace it.
        """
        read = ReadItem(item=request.item, recipients=plan.current, asked_at=started_at, read_at=started_at)
        is_it = self._is(request.key)
        with self._database.write() as connection:
            self.seen.record_reads_in(connection, [read])
            connection.execute(sa.delete(history).where(is_it, history.c.verdict == Verdict.NOTHING_SENT))
            values: Values = {
                **values_of(request, history),
                **item_values(self._service, request.item),
                "started_at": started_at,
                "before_digest": put_lists(connection, [plan.current])[plan.current],
            }
            is_new = put_entry(connection, values, steps_begun(plan))
            return None if is_new else self._entry(connection, is_it)

    def settle(self, key: str, result: SaveResult, *, is_late: bool = False) -> bool:
        """Record the result of a save, and replace any earlier result.

        `is_late` is True for an interrupted save. If the save has a result, keep the result and return False.
        """
        is_it = sa.and_(self._is(key), history.c.ended_at.is_(None)) if is_late else self._is(key)
        exchanges = [asdict(call) | {"sent_at": call.sent_at.isoformat()} for call in result.exchanges]
        with self._database.write() as connection:
            self.seen.lock(connection, result.item)
            values: Values = {
                "ended_at": result.ended_at,
                "verdict": result.verdict,
                "after_digest": put_lists(connection, [result.after])[result.after],
                "others_added": result.others.added,
                "others_removed": result.others.removed,
                "message": result.message,
                "advice": result.advice,
                "was_settled_later": is_late,
                "exchanges": exchanges or None,
                **changes_made(result.steps),
            }
            settled = sa.update(history).where(is_it).values(values)
            row = connection.execute(settled.returning(history.c.id, history.c.started_at)).first()
            if row is None:
                return False
            connection.execute(sa.delete(history_step).where(history_step.c.history_id == row.id))
            put_steps(connection, row.id, result.steps, started_at=row.started_at)
            self.seen.record_save(connection, result)
        return True

    def entry(self, key: str) -> HistoryEntry | None:
        """Return the save with this key, or None."""
        with self._database.read() as connection:
            return self._entry(connection, self._is(key))

    def exchanges(self, key: str) -> tuple[CallRecord, ...]:
        """Return the requests that this save sent, with the answers."""
        row = self._database.row(sa.select(history.c.exchanges).where(self._is(key)))
        return tuple(
            CallRecord(
                **call
                | {
                    "problem": call["problem"] and ProblemDetail(**call["problem"]),
                    "sent_at": datetime.fromisoformat(call["sent_at"]),
                }
            )
            for call in (row and row.exchanges) or ()
        )

    def latest(self, item: ItemKey) -> HistoryEntry | None:
        """Return the save of this item that started last, or None."""
        is_save = sa.and_(history.c.item_digest == item_digest(item), history.c.kind != ChangeKind.OBSERVED)
        newest = sa.select(history.c.id).where(self._is_here, is_save)
        newest = newest.order_by(history.c.started_at.desc(), history.c.id.desc()).limit(1)
        with self._database.read() as connection:
            return self._entry(connection, history.c.id.in_(newest))

    def unsettled(self, item: ItemKey | None = None) -> Sequence[HistoryEntry]:
        """Return the saves without a result, of this item or of all items, oldest first."""
        is_of_item = sa.true() if item is None else history.c.item_digest == item_digest(item)
        with self._database.read() as connection:
            return entries(connection, sa.and_(self._is_here, history.c.ended_at.is_(None), is_of_item))

    def _is(self, key: str) -> sa.ColumnElement[bool]:
        return sa.and_(self._is_here, history.c.key == key)

    def _entry(self, connection: sa.Connection, is_it: sa.ColumnElement[bool]) -> HistoryEntry | None:
        return next(iter(entries(connection, is_it)), None)
