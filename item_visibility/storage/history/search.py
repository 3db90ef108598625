"""Searches in the history: filters and pages, the saves of jobs, and one recipient of one item."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import eq, ge, lt

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Tuple,
    and_,
    func,
    literal,
    not_,
    null,
    select,
    true,
    tuple_,
)

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.history_entry import HistoryEntry
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.columns import (
    AnyRow,
    ExactText,
    UtcTime,
    digest,
    item_digest,
    read_item_key,
    read_value,
)
from item_visibility.storage.database import Database
from item_visibility.storage.history.entries import entries
from item_visibility.storage.history.tables import history, history_step, recipient_list, seen_list

PIECE = 500
"""The number of entries held in memory at once when all are wanted."""
_later = history.alias("later")
_OF_ENTRY = ("key", "person", "kind", "reason", "verdict", "started_at", "ended_at", "seen_before_at")

FIRST_IDS = 3
"""The number of recipients that a line names for each of added and removed."""


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
    """A summary of one entry.

    `added` and `removed` count the recipients that it really changed; `added_ids` and `removed_ids` are the
    first of them.
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
    added_ids: tuple[str, ...] = ()
    removed_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """One page of entries, newest first, with the keys (cursors) of the next pages; None if there is none."""

    lines: tuple[HistoryLine, ...] = ()
    newer_than: str | None = field(default=None, kw_only=True)
    older_than: str | None = field(default=None, kw_only=True)


class HistorySearch:
    """Searches in the history of one service.

    A page starts at the cursor where the last one ended, without counting. So the last page costs as
    much as the first.
    """

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def newest(self, wanted: HistoryFilter, *, limit: int) -> HistoryPage:
        """Return the newest entries."""
        return self._older(wanted, limit=limit)

    def older(self, wanted: HistoryFilter, *, than: str, limit: int) -> HistoryPage:
        """Return the entries before this one; the newest entries if it no longer exists."""
        entry = self._database.row(self._entry(than))
        if entry is None:
            return self.newest(wanted, limit=limit)
        page = self._older(wanted, _cursor(wanted) < _cursor_of(entry), limit=limit)
        return replace(page, newer_than=page.lines[0].key if page.lines else than)

    def newer(self, wanted: HistoryFilter, *, than: str, limit: int) -> HistoryPage:
        """Return the entries after this one; the newest if at most a page is left, or it no longer exists."""
        entry = self._database.row(self._entry(than))
        if entry is None:
            return self.newest(wanted, limit=limit)
        query = self._query(wanted, _cursor(wanted) > _cursor_of(entry)).order_by(*_order(wanted))
        with self._database.read() as connection:
            rows = connection.execute(query.limit(limit + 1)).all()
            lines = _lines(connection, rows[:limit][::-1])
        if len(rows) <= limit:
            return self.newest(wanted, limit=limit)
        return HistoryPage(lines, newer_than=lines[0].key, older_than=lines[-1].key)

    def all(self, wanted: HistoryFilter) -> Iterator[HistoryEntry]:
        """Yield every entry, newest first, with its steps and lists. Reads in pieces."""
        is_further: ColumnElement[bool] = true()
        while True:
            query = self._newest_first(wanted, is_further).limit(PIECE)
            with self._database.read() as connection:
                rows = connection.execute(query).all()
                found = entries(connection, history.c.id.in_([row.id for row in rows])) if rows else ()
            yield from reversed(found)
            if len(rows) < PIECE:
                return
            is_further = _cursor(wanted) < _cursor_of(rows[-1])

    def changed_since(self, key: str) -> frozenset[str]:
        """Return the recipients of the entry's item that later entries changed."""
        with self._database.read() as connection:
            return _changed_since(connection, self._service, (), [key]).get(key, frozenset())

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
            yield from _saves_of_job(self._database, self._service, job_key, job_keys)

    def _older(self, wanted: HistoryFilter, *further: ColumnElement[bool], limit: int) -> HistoryPage:
        with self._database.read() as connection:
            rows = connection.execute(self._newest_first(wanted, *further).limit(limit + 1)).all()
            lines = _lines(connection, rows[:limit])
        return HistoryPage(lines, older_than=lines[-1].key if len(rows) > limit else None)

    def _newest_first(
        self, wanted: HistoryFilter, *further: ColumnElement[bool]
    ) -> Select[tuple[object, ...]]:
        return self._query(wanted, *further).order_by(*(column.desc() for column in _order(wanted)))

    def _query(self, wanted: HistoryFilter, *further: ColumnElement[bool]) -> Select[tuple[object, ...]]:
        chosen = select(history)
        if wanted.recipient_id is not None:
            chosen = chosen.join(history_step, history_step.c.history_id == history.c.id)
        return chosen.where(self._are(wanted), *further)

    def _entry(self, key: str) -> Select[tuple[object, ...]]:
        return select(history).where(self._is_here(), history.c.key == key)

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


def _cursor(wanted: HistoryFilter) -> Tuple:
    return tuple_(*_order(wanted))


def _cursor_of(row: AnyRow) -> Tuple:
    """Return the sort position of a row, as the database compares it."""
    return tuple_(literal(row.started_at, UtcTime), literal(row.id))


def _lines(connection: Connection, rows: Sequence[AnyRow]) -> tuple[HistoryLine, ...]:
    of_goal = (history_step.c.history_id, history_step.c.goal)
    done = (
        select(
            history_step.c.history_id,
            history_step.c.goal,
            history_step.c.recipient_id,
            func.count().over(partition_by=of_goal).label("steps"),
            func.row_number().over(partition_by=of_goal, order_by=history_step.c.position).label("number"),
        )
        .where(
            history_step.c.history_id.in_([row.id for row in rows]),
            history_step.c.outcome == Outcome.DONE,
        )
        .subquery()
    )
    first = select(done).where(done.c.number <= FIRST_IDS).order_by(done.c.number)
    counts: dict[tuple[int, Goal], int] = {}
    ids: defaultdict[tuple[int, Goal], list[str]] = defaultdict(list)
    for step in connection.execute(first):
        counts[step.history_id, step.goal] = step.steps
        ids[step.history_id, step.goal].append(step.recipient_id)
    return tuple(
        read_value(
            HistoryLine,
            history,
            row,
            item=read_item_key(row),
            added=counts.get((row.id, Goal.VISIBLE), 0),
            removed=counts.get((row.id, Goal.NOT_VISIBLE), 0),
            added_ids=tuple(ids[row.id, Goal.VISIBLE]),
            removed_ids=tuple(ids[row.id, Goal.NOT_VISIBLE]),
        )
        for row in rows
    )


def _saves_of_job(
    database: Database, service: str, job_key: str, own_keys: Sequence[str]
) -> Iterator[tuple[HistoryEntry, frozenset[str]]]:
    after = f"{job_key}:"
    while True:
        is_next = and_(history.c.service == service, _is_of_job(history.c.key, job_key))
        keys = select(history.c.key).where(is_next, history.c.key > literal(after, ExactText))
        with database.read() as connection:
            some = connection.scalars(keys.order_by(history.c.key).limit(PIECE)).all()
            is_one = and_(history.c.service == service, history.c.key.in_(some))
            found = {entry.request.key: entry for entry in entries(connection, is_one)} if some else {}
            changed = _changed_since(connection, service, own_keys, some) if some else {}
        for key in some:
            yield found[key], changed.get(key, frozenset())
        if len(some) < PIECE:
            return
        after = some[-1]


def _is_of_job(key: ColumnElement[str], job_key: str) -> ColumnElement[bool]:
    """True for keys that begin with the job's key and a colon; a semicolon is the next code point."""
    return and_(key > literal(f"{job_key}:", ExactText), key < literal(f"{job_key};", ExactText))


def _changed_since(
    connection: Connection, service: str, own_keys: Sequence[str], keys: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Return, by key of save, the recipients changed after it by anything but these jobs."""
    is_later = tuple_(_later.c.started_at, _later.c.id) > tuple_(history.c.started_at, history.c.id)
    rows = connection.execute(
        select(history.c.key, history_step.c.recipient_id)
        .join(_later, and_(_later.c.service == service, _later.c.item_digest == history.c.item_digest))
        .join(history_step, history_step.c.history_id == _later.c.id)
        .where(history.c.service == service, history.c.key.in_(keys))
        .where(is_later, *(not_(_is_of_job(_later.c.key, one)) for one in own_keys))
        .where(history_step.c.outcome == Outcome.DONE)
    )
    changed: defaultdict[str, set[str]] = defaultdict(set)
    for key, recipient_id in rows:
        changed[key].add(recipient_id)
    return {key: frozenset(recipients) for key, recipients in changed.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStep:
    """One step of a save, with what its entry in the history says.

    While the save is open, `ended_at` and `verdict` are None and the outcome is unknown or in place. Of a
    change made elsewhere `seen_before_at` is the time before it, and `person` is empty.
    """

    key: str
    goal: Goal
    outcome: Outcome
    message: str
    person: str
    kind: ChangeKind
    reason: str
    verdict: Verdict | None
    started_at: datetime
    ended_at: datetime | None
    seen_before_at: datetime | None


@dataclass(frozen=True, slots=True)
class LastSeen:
    """The last read or save that showed the list, and whether the recipient could see the item."""

    seen_at: datetime
    could_see: bool


class PairSteps:
    """The steps of one service's history, looked up by item and recipient."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def newest(self, item: ItemKey, recipient_id: str, *, limit: int) -> tuple[PairStep, ...]:
        """Return the last steps about this recipient of this item, the newest first."""
        step = (history_step.c.goal, history_step.c.outcome, history_step.c.message)
        query = (
            select(*(history.c[name] for name in _OF_ENTRY), *step)
            .join(history_step, history_step.c.history_id == history.c.id)
            .where(
                history.c.service == self._service,
                history.c.item_digest == item_digest(item),
                history_step.c.recipient_digest == digest(recipient_id),
            )
            .order_by(history_step.c.started_at.desc(), history_step.c.history_id.desc())
            .limit(limit)
        )
        return tuple(PairStep(**row._mapping) for row in self._database.rows(query))  # noqa: SLF001  (SQLAlchemy's public name for it)

    def last_seen(self, item: ItemKey, recipient_id: str) -> LastSeen | None:
        """Return how the pair was seen last; None when it was not, or a change of ours is in doubt."""
        query = (
            select(seen_list.c.seen_at, seen_list.c.unsure, recipient_list.c.recipients)
            .join(recipient_list, recipient_list.c.digest == seen_list.c.list_digest)
            .where(seen_list.c.service == self._service, seen_list.c.item_digest == item_digest(item))
        )
        row = self._database.row(query)
        if row is None or recipient_id in row.unsure:
            return None
        return LastSeen(row.seen_at, recipient_id in row.recipients)
