"""Searches in the history: filters and pages, the saves of jobs, and one recipient of one item."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import eq, ge, lt

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    literal,
    not_,
    null,
    select,
    tuple_,
)

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import HistoryEntry, Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.columns import (
    ExactText,
    digest,
    item_digest,
    pieces,
    read_item_key,
    read_value,
)
from item_visibility.storage.database import Database
from item_visibility.storage.history.entries import entries, history, history_step

PIECE = 500
"""The number of entries held in memory at once when all are wanted."""
_later = history.alias("later")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """The wanted entries. A field that is None matches anything. `since` is included, `until` is not.

    `supplier_item_id` counts only together with a supplier. `is_open` selects saves with no known end.
    """

    person: str | None = None
    supplier: str | None = None
    supplier_item_id: str | None = None
    recipient_id: str | None = None
    verdict: Verdict | None = None
    is_open: bool = False
    kind: ChangeKind | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def item(self) -> ItemKey | None:
        """The one wanted item; None when any item is wanted."""
        if self.supplier is None or self.supplier_item_id is None:
            return None
        return ItemKey(self.supplier, self.supplier_item_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """A summary of one entry. `ended_at` and `verdict` are None while the save is open.

    `added` and `removed` count the recipients that it really changed; `added_ids` and `removed_ids` are the
    first of them. Of a change made elsewhere `seen_before_at` is the time before it, and `person` is empty.
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
    """An entry with its step about one recipient. While it is open, `outcome` is unknown or in place."""

    goal: Goal
    outcome: Outcome
    message: str


class HistorySearch:
    """Searches in the history of one service."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def lines(self, wanted: HistoryFilter, *, limit: int) -> tuple[HistoryLine, ...]:
        """Return the newest entries, newest first."""
        query = self._newest_first(wanted, select(history)).limit(limit)
        rows = self._database.rows(query)
        return tuple(read_value(HistoryLine, history, row, item=read_item_key(row)) for row in rows)

    def all(self, wanted: HistoryFilter) -> Iterator[HistoryEntry]:
        """Yield every entry, newest first, with its steps and lists. Reads in pieces."""
        ids = [row.id for row in self._database.rows(self._newest_first(wanted, select(history.c.id)))]
        for some in pieces(ids, PIECE):
            with self._database.read() as connection:
                found = entries(connection, history.c.id.in_(some))
            yield from reversed(found)

    def changed_since(self, key: str) -> frozenset[str]:
        """Return the recipients of the entry's item that later entries changed."""
        with self._database.read() as connection:
            return self._changed_since(connection, [key]).get(key, frozenset())

    def steps(self, item: ItemKey, recipient_id: str, *, limit: int) -> tuple[PairStep, ...]:
        """Return the last steps about this recipient of this item, the newest first."""
        wanted = HistoryFilter(
            supplier=item.supplier, supplier_item_id=item.supplier_item_id, recipient_id=recipient_id
        )
        words = history_step.c.message.label("words")
        chosen = select(history, history_step.c.goal, history_step.c.outcome, words)
        rows = self._database.rows(self._newest_first(wanted, chosen).limit(limit))
        return tuple(
            read_value(
                PairStep, history, row, item=item, goal=row.goal, outcome=row.outcome, message=row.words
            )
            for row in rows
        )

    def count_undos(self, entry: HistoryEntry) -> int:
        """Return how often the entry was undone, at least in part, or its undo was refused."""
        query = (
            select(func.count())
            .select_from(history)
            .where(self._is_here(), history.c.item_digest == item_digest(entry.request.item))
            .where(history.c.undo_of == entry.request.key, history.c.verdict != Verdict.NOTHING_SENT)
        )
        with self._database.read() as connection:
            return connection.scalars(query).one()

    def of_jobs(self, job_keys: Sequence[str]) -> Iterator[tuple[HistoryEntry, frozenset[str]]]:
        """Yield every save of these bulk jobs, with the recipients that others changed after it.

        They come job by job; the saves of one item in the order of its attempts.
        """
        for job_key in job_keys:
            query = select(history.c.key).where(self._is_here(), _is_of_job(history.c.key, job_key))
            keys = [row.key for row in self._database.rows(query.order_by(history.c.key))]
            for some in pieces(keys, PIECE):
                with self._database.read() as connection:
                    found = entries(connection, and_(self._is_here(), history.c.key.in_(some)))
                    changed = self._changed_since(connection, some, own_keys=job_keys)
                by_key = {entry.request.key: entry for entry in found}
                yield from ((by_key[key], changed.get(key, frozenset())) for key in some)

    def _changed_since(
        self, connection: Connection, keys: Sequence[str], *, own_keys: Sequence[str] = ()
    ) -> dict[str, frozenset[str]]:
        """Return, by key of save, the recipients changed after it by anything but these jobs."""
        is_same_item = and_(_later.c.service == self._service, _later.c.item_digest == history.c.item_digest)
        is_later = tuple_(_later.c.started_at, _later.c.id) > tuple_(history.c.started_at, history.c.id)
        rows = connection.execute(
            select(history.c.key, history_step.c.recipient_id)
            .join(_later, is_same_item)
            .join(history_step, history_step.c.history_id == _later.c.id)
            .where(self._is_here(), history.c.key.in_(keys))
            .where(is_later, *(not_(_is_of_job(_later.c.key, one)) for one in own_keys))
            .where(history_step.c.outcome == Outcome.DONE)
        )
        changed: defaultdict[str, set[str]] = defaultdict(set)
        for key, recipient_id in rows:
            changed[key].add(recipient_id)
        return {key: frozenset(recipients) for key, recipients in changed.items()}

    def _newest_first(
        self, wanted: HistoryFilter, chosen: Select[tuple[object, ...]]
    ) -> Select[tuple[object, ...]]:
        if wanted.recipient_id is not None:
            chosen = chosen.join(history_step, history_step.c.history_id == history.c.id)
        order = (column.desc() for column in _order(wanted))
        return chosen.where(self._are(wanted)).order_by(*order)

    def _is_here(self) -> ColumnElement[bool]:
        return history.c.service == self._service

    def _are(self, wanted: HistoryFilter) -> ColumnElement[bool]:
        """True for wanted entries."""
        item, recipient_id = wanted.item, wanted.recipient_id
        time, _ = _order(wanted)
        asked = (
            (history.c.person, eq, wanted.person),
            (history.c.verdict, eq, wanted.verdict),
            (history.c.ended_at, eq, null() if wanted.is_open else None),
            (history.c.kind, eq, wanted.kind),
            (time, ge, wanted.since),
            (time, lt, wanted.until),
            (history.c.supplier, eq, None if item else wanted.supplier),
            (history.c.item_digest, eq, item_digest(item) if item else None),
            (history_step.c.recipient_digest, eq, None if recipient_id is None else digest(recipient_id)),
        )
        compared = (compare(column, value) for column, compare, value in asked if value is not None)
        return and_(self._is_here(), *compared)


def _order(wanted: HistoryFilter) -> tuple[Column[datetime], Column[int]]:
    """Return the time and id to sort by: the step's when one recipient's entries are wanted."""
    if wanted.recipient_id is None:
        return history.c.started_at, history.c.id
    return history_step.c.started_at, history_step.c.history_id


def _is_of_job(key: ColumnElement[str], job_key: str) -> ColumnElement[bool]:
    """True for keys that begin with the job's key and a colon; a semicolon is the next code point."""
    return and_(key > literal(f"{job_key}:", ExactText), key < literal(f"{job_key};", ExactText))
