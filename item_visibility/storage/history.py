"""The history of saves, and searches in it.

A save is recorded before its first write.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail
from item_visibility.model.change import ChangeKind, ChangePlan, ChangeRequest, Goal
from item_visibility.model.outcome import (
    HistoryEntry,
    Outcome,
    SaveResult,
    Verdict,
    steps_begun,
)
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.column_types import ExactText
from item_visibility.storage.database import Database
from item_visibility.storage.history_entries import (
    changes_made,
    entries,
    put_entry,
    put_steps,
)
from item_visibility.storage.recipient_lists import put_lists
from item_visibility.storage.rows import (
    Values,
    batches,
    digest,
    item_digest,
    item_values,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.schema import history, history_step
from item_visibility.storage.seen_lists import SeenLists

BATCH = 500
"""The number of entries that one query reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """A search in the history.

    A field that is None matches anything. The time `until` is excluded.

    With an `item`, `supplier` is ignored. `is_open` selects the saves that have no
    result yet.
    """

    person: str | None = None
    supplier: str | None = None
    item: ItemKey | None = None
    recipient_id: str | None = None
    verdict: Verdict | None = None
    is_open: bool = False
    kind: ChangeKind | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """A summary of one entry. `ended_at` and `verdict` are None while the save is open.

    `added` and `removed` count the recipients that were really changed. `added_ids` and
    `removed_ids` contain a few of their ids. For a change made elsewhere, `person` is
    empty, and `seen_before_at` is the time of the last read before the change.
    """

    key: str
    item: ItemKey
    person: str
    kind: ChangeKind
    reason: str
    started_at: datetime
    ended_at: datetime | None
    verdict: Verdict | None
    was_settled_later: bool
    added: int
    removed: int
    added_ids: frozenset[str]
    removed_ids: frozenset[str]
    seen_before_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStep(HistoryLine):
    """An entry with the outcome for one recipient.

    An open save has the outcome UNKNOWN or IN_PLACE.
    """

    goal: Goal
    outcome: Outcome
    message: str


class History:
    """The saves at one service. Recording a save also updates the lists in `seen`."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service
        self._is_here = history.c.service == service
        self.seen = SeenLists(database, service=service)

    def begin(
        self, request: ChangeRequest, plan: ChangePlan, *, started_at: datetime
    ) -> HistoryEntry | None:
        """Before a save, record its request and the current list, and return None.

        If a save with this key exists, keep and return it. But if the earlier save sent
        nothing, replace it.
        """
        read = ReadItem(
            item=request.item,
            recipients=plan.current,
            asked_at=started_at,
            read_at=started_at,
        )
        is_it = self._is(request.key)
        is_unsent = history.c.verdict == Verdict.NOTHING_SENT
        with self._database.write() as connection:
            self.seen.record_reads_in(connection, [read])

            # A save that sent nothing may be made again with the same key.
            connection.execute(sa.delete(history).where(is_it, is_unsent))

            digests = put_lists(connection, [plan.current])
            values: Values = {
                **values_of(request, history),
                **item_values(self._service, request.item),
                "started_at": started_at,
                "before_digest": digests[plan.current],
            }
            is_new = put_entry(connection, values, steps_begun(plan))
            return None if is_new else entries(connection, is_it)[0]

    def record_result(
        self, key: str, result: SaveResult, *, is_late: bool = False
    ) -> None:
        """Record the result of a save. If `is_late`, keep an earlier result."""
        is_it = self._is(key)
        if is_late:
            is_it = sa.and_(is_it, history.c.ended_at.is_(None))
        exchanges = [
            asdict(call) | {"sent_at": call.sent_at.isoformat()}
            for call in result.exchanges
        ]
        with self._database.write() as connection:
            self.seen.lock(connection, result.item)

            # Update the entry.
            digests = put_lists(connection, [result.after])
            values: Values = {
                "ended_at": result.ended_at,
                "verdict": result.verdict,
                "after_digest": digests[result.after],
                "others_added": result.others.added,
                "others_removed": result.others.removed,
                "message": result.message,
                "advice": result.advice,
                "was_settled_later": is_late,
                "exchanges": exchanges or None,
                **changes_made(result.steps),
            }
            update = sa.update(history).where(is_it).values(values)
            update = update.returning(history.c.id, history.c.started_at)
            row = connection.execute(update).first()
            if row is None:
                return

            # Replace its steps, and update the list last seen.
            is_of_entry = history_step.c.history_id == row.id
            connection.execute(sa.delete(history_step).where(is_of_entry))
            put_steps(connection, row.id, result.steps, started_at=row.started_at)
            self.seen.record_save(connection, result)

    def entry(self, key: str) -> HistoryEntry | None:
        """Return the save with this key, or None."""
        saves = self._entries(self._is(key))
        return saves[0] if saves else None

    def exchanges(self, key: str) -> tuple[CallRecord, ...]:
        """Return the requests that this save sent, with the answers."""
        row = self._database.row(sa.select(history.c.exchanges).where(self._is(key)))
        if row is None or row.exchanges is None:
            return ()
        return tuple(_read_call(call) for call in row.exchanges)

    def latest(self, item: ItemKey) -> HistoryEntry | None:
        """Return the save of this item that started last, or None."""
        wanted = HistoryFilter(item=item)
        ids = self._newest_first(wanted, sa.select(history.c.id))
        newest = ids.where(history.c.kind != ChangeKind.OBSERVED).limit(1)
        saves = self._entries(history.c.id.in_(newest))
        return saves[0] if saves else None

    def open_saves(self, item: ItemKey | None = None) -> Sequence[HistoryEntry]:
        """Return the saves without a result, of this or of all items, oldest first."""
        is_wanted = sa.and_(self._is_here, history.c.ended_at.is_(None))
        if item is not None:
            is_wanted = sa.and_(is_wanted, history.c.item_digest == item_digest(item))
        return self._entries(is_wanted)

    def lines(self, wanted: HistoryFilter, *, limit: int) -> tuple[HistoryLine, ...]:
        """Return the newest entries, newest first."""
        query = self._newest_first(wanted, sa.select(history)).limit(limit)
        rows = self._database.rows(query)
        return tuple(
            read_value(HistoryLine, history, row, item=read_item_key(row))
            for row in rows
        )

    def all(self, wanted: HistoryFilter) -> Iterator[HistoryEntry]:
        """Yield every matching entry with its steps and lists, newest first."""
        query = self._newest_first(wanted, sa.select(history.c.id))
        ids = [row.id for row in self._database.rows(query)]
        for batch in batches(ids, BATCH):
            yield from reversed(self._entries(history.c.id.in_(batch)))

    def changed_since(self, key: str) -> frozenset[str]:
        """Return the recipients that later entries changed for the same item."""
        with self._database.read() as connection:
            return self._changed_since(connection, [key]).get(key, frozenset())

    def steps(
        self, item: ItemKey, recipient_id: str, *, limit: int
    ) -> tuple[PairStep, ...]:
        """Return the last changes of this recipient for this item, newest first."""
        wanted = HistoryFilter(item=item, recipient_id=recipient_id)
        words = history_step.c.message.label("words")
        query = sa.select(history, history_step.c.goal, history_step.c.outcome, words)
        rows = self._database.rows(self._newest_first(wanted, query).limit(limit))
        return tuple(
            read_value(
                PairStep,
                history,
                row,
                item=item,
                goal=row.goal,
                outcome=row.outcome,
                message=row.words,
            )
            for row in rows
        )

    def count_undos(self, entry: HistoryEntry) -> int:
        """Return the number of undos of the entry, also partial and refused ones."""
        query = sa.select(history.c.id).where(
            self._is_here,
            history.c.item_digest == item_digest(entry.request.item),
            history.c.undo_of == entry.request.key,
            history.c.verdict != Verdict.NOTHING_SENT,
        )
        return len(self._database.rows(query))

    def of_jobs(
        self, job_keys: Sequence[str]
    ) -> Iterator[tuple[HistoryEntry, frozenset[str]]]:
        """Yield each save of these jobs, and its recipients that others changed later.

        The saves of one item come in the order of the attempts.
        """
        for job_key in job_keys:
            query = sa.select(history.c.key).where(
                self._is_here, _is_of_job(history.c.key, job_key)
            )
            # The key of each save ends with its position in the job and its attempt.
            rows = self._database.rows(query.order_by(history.c.key))
            keys = [row.key for row in rows]

            for batch in batches(keys, BATCH):
                is_wanted = sa.and_(self._is_here, history.c.key.in_(batch))
                with self._database.read() as connection:
                    saves = entries(connection, is_wanted)
                    changed = self._changed_since(connection, batch, own_keys=job_keys)
                by_key = {entry.request.key: entry for entry in saves}
                for key in batch:
                    yield by_key[key], changed.get(key, frozenset())

    def _is(self, key: str) -> sa.ColumnElement[bool]:
        return sa.and_(self._is_here, history.c.key == key)

    def _entries(self, is_wanted: sa.ColumnElement[bool]) -> tuple[HistoryEntry, ...]:
        with self._database.read() as connection:
            return entries(connection, is_wanted)

    def _changed_since(
        self,
        connection: sa.Connection,
        keys: Sequence[str],
        *,
        own_keys: Sequence[str] = (),
    ) -> dict[str, frozenset[str]]:
        """Map each key to the recipients changed later, not by the jobs `own_keys`."""
        later = history.alias("later")
        is_same_item = sa.and_(
            later.c.service == self._service,
            later.c.item_digest == history.c.item_digest,
        )
        begun = sa.tuple_(history.c.started_at, history.c.id)
        is_later = sa.tuple_(later.c.started_at, later.c.id) > begun
        query = (
            sa.select(history.c.key, history_step.c.recipient_id)
            .join(later, is_same_item)
            .join(history_step, history_step.c.history_id == later.c.id)
            .where(self._is_here, history.c.key.in_(keys))
            .where(is_later, history_step.c.outcome == Outcome.DONE)
        )
        for job_key in own_keys:
            query = query.where(sa.not_(_is_of_job(later.c.key, job_key)))

        changed: defaultdict[str, set[str]] = defaultdict(set)
        for key, recipient_id in connection.execute(query):
            changed[key].add(recipient_id)
        return {key: frozenset(recipients) for key, recipients in changed.items()}

    def _newest_first(
        self, wanted: HistoryFilter, chosen: sa.Select[tuple[object, ...]]
    ) -> sa.Select[tuple[object, ...]]:
        """Sort and filter the entries.

        For one recipient, use the times of the steps, which have an index.
        """
        chosen = chosen.where(self._is_here)
        time: sa.Column[datetime] = history.c.started_at
        id_: sa.Column[int] = history.c.id
        if wanted.recipient_id is not None:
            is_of_entry = history_step.c.history_id == history.c.id
            is_wanted = history_step.c.recipient_digest == digest(wanted.recipient_id)
            chosen = chosen.join(history_step, is_of_entry).where(is_wanted)
            time = history_step.c.started_at
            id_ = history_step.c.history_id

        # An item is more precise than its supplier.
        if wanted.item is not None:
            chosen = chosen.where(history.c.item_digest == item_digest(wanted.item))
        elif wanted.supplier is not None:
            chosen = chosen.where(history.c.supplier == wanted.supplier)

        for name in ("person", "verdict", "kind"):
            value = getattr(wanted, name)
            if value is not None:
                chosen = chosen.where(history.c[name] == value)

        if wanted.is_open:
            chosen = chosen.where(history.c.ended_at.is_(None))
        if wanted.since is not None:
            chosen = chosen.where(time >= wanted.since)
        if wanted.until is not None:
            chosen = chosen.where(time < wanted.until)

        return chosen.order_by(time.desc(), id_.desc())


def _read_call(call: dict[str, Any]) -> CallRecord:
    problem = call["problem"] and ProblemDetail(**call["problem"])
    sent_at = datetime.fromisoformat(call["sent_at"])
    return CallRecord(**call | {"problem": problem, "sent_at": sent_at})


def _is_of_job(key: sa.ColumnElement[str], job_key: str) -> sa.ColumnElement[bool]:
    """Match keys that begin with the job's key and `:`.

    The range ends at `;`, which follows `:` in ASCII.
    """
    return sa.and_(
        key > sa.literal(f"{job_key}:", ExactText),
        key < sa.literal(f"{job_key};", ExactText),
    )
