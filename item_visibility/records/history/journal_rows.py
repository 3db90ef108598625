"""The history of saves, which is also the journal that makes them safe to interrupt."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, select, update

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.journal import HistoryEntry
from item_visibility.changes.outcome import SaveResult, StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import ChangePlan
from item_visibility.changes.request import ChangeKind, SaveRequest
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.tables import history, history_step
from item_visibility.records.ground.types import digest
from item_visibility.records.ground.upsert import insert_new
from item_visibility.records.history.entry_rows import entries, put_list, put_steps
from item_visibility.records.history.sightings import SeenLists, Sighting


class History:
    """The saves of one service. It is the Journal of a Saver."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service
        self._seen = SeenLists(service=service)

    def begin(self, request: SaveRequest, plan: ChangePlan, *, started_at: datetime) -> HistoryEntry | None:
        """Make the intent and the list before durable, and return None.

        Returns the entry that is in the way when the key was begun before, and changes nothing.
        A key whose save ended with nothing sent may be begun again.
        """
        read = Sighting(item=request.item, recipients=plan.current, asked_at=started_at, seen_at=started_at)
        with self._database.write() as connection:
            self._seen.note_read(connection, read)
            row_id = self._new_row(connection, request, plan, started_at=started_at)
            if row_id is None:
                return self._entry(connection, request.key)
            steps = [StepResult(step, StepOutcome.UNKNOWN) for step in plan.steps]
            steps += [StepResult(step, StepOutcome.ALREADY_SO) for step in plan.already_so]
            put_steps(connection, row_id, steps, started_at=started_at)
        return None

    def settle(self, key: str, result: SaveResult) -> None:
        """Record how a save ended: the word of the one who did it, whatever stands there."""
        with self._database.write() as connection:
            self._settle(connection, self._is(key), result, was_settled_later=False)

    def settle_open(self, key: str, result: SaveResult) -> bool:
        """Record how an interrupted save was found; False when it is settled already."""
        with self._database.write() as connection:
            is_open = and_(self._is(key), history.c.ended_at.is_(None))
            return self._settle(connection, is_open, result, was_settled_later=True)

    def note_read(self, sighting: Sighting) -> None:
        """Take in what a read showed: what was changed elsewhere becomes an entry of kind OBSERVED.

        Writes nothing where nothing is new.
        """
        with self._database.read() as connection:
            is_noted = self._seen.is_noted(connection, sighting)
        if not is_noted:
            with self._database.write() as connection:
                self._seen.note_read(connection, sighting)

    def note_reads(self, sightings: Sequence[Sighting]) -> None:
        """Take in what many reads showed, in one go, as `note_read` does with each. An item is read once."""
        with self._database.read() as connection:
            new = self._seen.new_among(connection, sightings)
        if new:
            with self._database.write() as connection:
                self._seen.note_reads(connection, new)

    def entry(self, key: str) -> HistoryEntry | None:
        """The save with this key; None when there is none."""
        with self._database.read() as connection:
            return self._entry(connection, key)

    def latest(self, item: ItemKey) -> HistoryEntry | None:
        """The save of this item that was begun last; None when there is none."""
        newest = (
            select(history.c.id)
            .where(
                self._is_here(),
                history.c.item_digest == digest(item.supplier, item.supplier_item_id),
                history.c.kind != ChangeKind.OBSERVED.value,
            )
            .order_by(history.c.started_at.desc(), history.c.id.desc())
            .limit(1)
        )
        with self._database.read() as connection:
            found = entries(connection, history.c.id.in_(newest))
        return found[0] if found else None

    def unsettled(self) -> Sequence[HistoryEntry]:
        """The saves that were begun and never settled, oldest first."""
        with self._database.read() as connection:
            return entries(connection, and_(self._is_here(), history.c.ended_at.is_(None)))

    def _is_here(self) -> ColumnElement[bool]:
        return history.c.service == self._service

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(self._is_here(), history.c.key == key)

    def _entry(self, connection: Connection, key: str) -> HistoryEntry | None:
        found = entries(connection, self._is(key))
        return found[0] if found else None

    def _new_row(
        self, connection: Connection, request: SaveRequest, plan: ChangePlan, *, started_at: datetime
    ) -> int | None:
        """The row of a save that may begin; None when its key was begun before."""
        _remove_if_nothing_was_sent(connection, self._is(request.key))
        row: dict[str, object] = {
            "service": self._service,
            "key": request.key,
            "supplier": request.item.supplier,
            "supplier_item_id": request.item.supplier_item_id,
            "item_digest": digest(request.item.supplier, request.item.supplier_item_id),
            "person": request.person,
            "reason": request.reason,
            "kind": request.kind.value,
            "undo_of": request.undo_of,
            "restored_from": request.restored_from,
            "set_name": request.set_name,
            "set_recipients": request.set_recipients,
            "started_at": started_at,
            "before_digest": put_list(connection, plan.current),
            "others_added": frozenset(),
            "others_removed": frozenset(),
            "message": "",
            "advice": "",
        }
        new = insert_new(connection, history).values(row).returning(history.c.id)
        row_id: int | None = connection.scalar(new)
        return row_id

    def _settle(
        self,
        connection: Connection,
        is_it: ColumnElement[bool],
        result: SaveResult,
        *,
        was_settled_later: bool,
    ) -> bool:
        row = connection.execute(
            update(history)
            .where(is_it)
            .values(
                ended_at=result.ended_at,
                verdict=result.verdict.value,
                after_digest=None if result.after is None else put_list(connection, result.after),
                others_added=result.others.added,
                others_removed=result.others.removed,
                message=result.message,
                advice=result.advice,
                was_settled_later=was_settled_later,
            )
            .returning(history.c.id, history.c.started_at)
        ).first()
        if row is None:
            return False
        connection.execute(delete(history_step).where(history_step.c.history_id == row.id))
        put_steps(connection, row.id, result.steps, started_at=row.started_at)
        self._seen.note_save(connection, result)
        return True


def _remove_if_nothing_was_sent(connection: Connection, is_it: ColumnElement[bool]) -> None:
    """Make way for a save that is tried again: the one before changed nothing."""
    connection.execute(delete(history).where(is_it, history.c.verdict == Verdict.NOTHING_SENT.value))
