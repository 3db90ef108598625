"""Bulk jobs and scans: the requested changes to each item, what was read, and the outcomes of rows.

A job belongs to one service and one environment. Two environments can use the same service with different
clients.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    ForeignKey,
    Index,
    Integer,
    Select,
    Table,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    func,
    insert,
    literal,
    not_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.schema import SchemaItem

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.job import (
    FINISHED,
    BulkItem,
    ItemPreview,
    Job,
    JobItem,
    JobKind,
    JobRow,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.storage.column_types import (
    DIGEST,
    ITEM,
    ROW_ID,
    AnyRow,
    ExactText,
    UtcTime,
    Values,
    filled,
    insert_all,
    insert_new,
    item_values,
    keys,
    list_digest,
    metadata,
    one_of,
    optional,
    put_list,
    put_lists,
    read_item_key,
    read_lists,
    read_value,
    values_of,
)
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_id
from item_visibility.storage.seen_lists import KNOWN_ITEM, is_known_item
from item_visibility.timeouts import SCAN_DEAD_AFTER

BATCH = 1_000
"""This many rows are read at a time."""
_MOST_JOBS = 50


class ItemsShown(StrEnum):
    """A filter for the items of a preview."""

    ALL = "all"
    CHANGES = "changes"
    LARGE_REMOVALS = "large removals"
    REFUSED = "refused"
    UNREAD = "not read"
    NOTHING_TO_DO = "nothing to do"


OUTCOME_COLUMNS = {outcome: f"rows_{outcome.value.replace(' ', '_')}" for outcome in Outcome}
"""The columns that store the number of rows for each outcome, because counting 200,000 rows is slow."""

job = Table(
    "job",
    metadata,
    *keys(ROW_ID, "id"),
    *filled(ExactText, "service", "environment", "key", "title", "person", "reason", "message"),
    *filled(ExactText, "person_key", default=""),
    Column("kind", one_of(JobKind), nullable=False),
    Column("state", one_of(JobState), nullable=False),
    *filled(UtcTime, "created_at"),
    *optional(UtcTime, "started_at", "ended_at", "waiting_since", "next_try_at", "beat_at"),
    *optional(ExactText, "undo_of", "retry_of"),
    *optional(Integer, "confirmed_count", "applied_role"),
    *filled(Integer, "item_count", "ended_items", "skipped", "repeated", default=0),
    *filled(Integer, "read_items", "to_add", "to_remove", "in_place", default=0),
    *filled(Integer, "changing", "refused", "large_removals", "removals_to_confirm", default=0),
    *filled(Integer, *OUTCOME_COLUMNS.values(), default=0),
    UniqueConstraint("service", "environment", "key"),
    Index("ix_job_newest", "service", "environment", "kind", "id"),
    Index("ix_job_state", "service", "environment", "kind", "state", "id"),
    comment="One row a bulk job or scan, with its counts: what the previews show, and how rows ended.",
)


def _of_job(name: str, *columns: SchemaItem, comment: str) -> Table:
    return Table(
        name,
        metadata,
        Column("job_id", ROW_ID, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
        *keys(Integer, "position"),
        *columns,
        comment=comment,
        sqlite_with_rowid=False,
    )


job_item = _of_job(
    "job_item",
    *filled(ExactText, *ITEM),
    *filled(ExactText, "refusal", default=""),
    *filled(Text, "rows"),
    Column("shown", one_of(ItemsShown), nullable=False, default=ItemsShown.UNREAD),
    *filled(Boolean, "is_ended", default=False),
    *optional(UtcTime, "read_at"),
    *filled(DIGEST, "add_digest", "remove_digest"),
    *optional(DIGEST, "exactly_digest", "current_digest"),
    Index("ix_job_item_open", "job_id", "is_ended", "position"),
    Index(
        "ix_job_item_of_item",
        "supplier_item_id",
        "job_id",
        sqlite_where=text("is_ended = 0"),
        postgresql_where=text("NOT is_ended"),
    ),
    comment="What a job asks of one item, and what a read showed. The lists are kept in recipient_list.",
)

job_row = _of_job(
    "job_row",
    *keys(Integer, "number"),
    *filled(ExactText, "recipient_id", "message"),
    Column("goal", one_of(Goal), nullable=False),
    Column("outcome", one_of(Outcome), nullable=False),
    comment="How one recipient of one item of a job ended; those of an item are in the order of their ids.",
)

job_skipped_row = _of_job(
    "job_skipped_row",
    *filled(Integer, "number"),
    *filled(ExactText, *ITEM, "recipients", "action", "reason"),
    comment="Rows of the list that a job does not take, and why.",
)


class Jobs:
    """The jobs of one kind, for one environment and its service.

    When an environment is given another service, its earlier jobs are hidden, because a job that was made for
    a test service must not change a real one. Jobs of another environment at the same service are hidden too,
    because they must run with the client of that environment.
    """

    def __init__(
        self, database: Database, *, service: str, environment: str, kind: JobKind = JobKind.CHANGES
    ) -> None:
        self._database = database
        self._service = service
        self._of_all: Values = {"service": service, "environment": environment, "kind": kind}
        self._is_here = and_(*(job.c[name] == value for name, value in self._of_all.items()))

    def create(self, new: Job, intents: Sequence[BulkItem], skipped: Sequence[SkippedRow] = ()) -> None:
        """Save a new job with its items in this order. Their positions begin at 0."""
        row = values_of(new, job) | self._of_all | {"item_count": len(intents), "skipped": len(skipped)}
        with self._database.write() as connection:
            job_id = connection.scalar(insert(job).values(row).returning(job.c.id))
            lists = ((one.add, one.remove, one.exactly) for one in intents)
            put_lists(connection, chain.from_iterable(lists))
            items = (
                item_values(one.item)
                | {
                    "job_id": job_id,
                    "position": position,
                    "add_digest": list_digest(one.add),
                    "remove_digest": list_digest(one.remove),
                    "exactly_digest": None if one.exactly is None else list_digest(one.exactly),
                    "rows": ";".join(",".join(map(str, numbers)) for numbers in one.rows),
                }
                for position, one in enumerate(intents)
            )
            insert_all(connection, job_item, items)
            rows = (
                values_of(one, job_skipped_row) | {"job_id": job_id, "position": position}
                for position, one in enumerate(skipped)
            )
            insert_all(connection, job_skipped_row, rows)

    def begin_scan(self, scan: Job, supplier: str | None) -> bool:
        """Replace the previous scan. The new one reads the supplier's known items; None means all suppliers.

        While the previous scan is running, change nothing and return False. The position of an item is its
        row id in the directory. An item thus has the same position in the next scan, and a late read of the
        previous scan is saved for the right item.
        """
        is_over = not_(self._is_alive())
        with self._database.write() as connection:
            connection.execute(delete(job).where(self._is(scan.key), is_over))
            row = values_of(scan, job) | self._of_all | {"beat_at": func.current_timestamp()}
            job_id = connection.scalar(insert_new(connection, job).values(row).returning(job.c.id))
            if job_id is None:
                return False
            no_change = literal(put_list(connection, frozenset()))
            columns = ("job_id", "position", *ITEM, "rows", "add_digest", "remove_digest")
            items = select(literal(job_id), known_id.c.number, *KNOWN_ITEM, literal(""), no_change, no_change)
            is_known = is_known_item(self._service, supplier)
            insertion = insert(job_item).from_select(columns, items.where(is_known))
            added = connection.execute(insertion, execution_options={"preserve_rowcount": True})
            connection.execute(update(job).where(job.c.id == job_id).values(item_count=added.rowcount))
        return True

    def is_alive(self, key: str) -> bool:
        """Return True if a process reads the job's items and has sent a heartbeat recently."""
        return self._database.row(select(job.c.id).where(self._is(key), self._is_alive())) is not None

    def job(self, key: str) -> Job | None:
        """Return the job with its counts, or None."""
        return next(iter(self._jobs(select(job).where(self._is(key)))), None)

    def attempts(self, key: str) -> tuple[Job, ...]:
        """Return this job, the jobs that it retries and all their retries, oldest first."""
        first = self.job(key)
        while first is not None and first.retry_of and (earlier := self.job(first.retry_of)) is not None:
            first = earlier
        attempts = [first] if first is not None else []
        for one in attempts:
            attempts += self._jobs(select(job).where(job.c.retry_of == one.key).order_by(job.c.id))
        return tuple(attempts)

    def jobs(self, *, limit: int = 20) -> tuple[Job, ...]:
        """Return the jobs, newest first."""
        return self._jobs(select(job).order_by(job.c.id.desc()).limit(limit))

    def in_state(self, states: Collection[JobState]) -> tuple[Job, ...]:
        """Return the jobs in one of these states, oldest first."""
        return self._jobs(select(job).where(job.c.state.in_(states)).order_by(job.c.id))

    def count_by_state(self) -> dict[JobState, int]:
        """Map each state to its number of jobs. States without jobs are missing."""
        query = select(job.c.state, func.count().label("jobs")).where(self._is_here).group_by(job.c.state)
        return {row.state: row.jobs for row in self._database.rows(query)}

    def count_rows(self) -> dict[Outcome, int]:
        """Map each outcome to its number of rows in all jobs."""
        sums = [func.coalesce(func.sum(job.c[name]), 0).label(name) for name in OUTCOME_COLUMNS.values()]
        (row,) = self._database.rows(select(*sums).where(self._is_here))
        return {outcome: int(getattr(row, name)) for outcome, name in OUTCOME_COLUMNS.items()}

    def move(  # noqa: PLR0913  (one argument a fact)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        at: datetime,
        message: str = "",
        outage: Outage | None = None,
        reason: str | None = None,
        confirmed_count: int | None = None,
        applied_role: Role | None = None,
    ) -> bool:
        """Move the job to a state if its state is expected. Otherwise return False and change nothing.

        Without an `outage`, the service counts as up. If another argument is None, its stored value is kept.
        """
        values: Values = {"state": state, "message": message} | _outage_values(outage)
        values["beat_at"] = func.current_timestamp() if state is JobState.READING else None
        values["ended_at"] = at if state in FINISHED else None
        if state is JobState.RUNNING:
            values["started_at"] = func.coalesce(job.c.started_at, at)
        given = {"reason": reason, "confirmed_count": confirmed_count, "applied_role": applied_role}
        values |= {name: value for name, value in given.items() if value is not None}
        is_expected = and_(self._is(key), job.c.state.in_(expected))
        return self._database.change(update(job).where(is_expected).values(values)) == 1

    def items(
        self,
        key: str,
        *,
        after: int = -1,
        limit: int = 50,
        is_open: bool = False,
        shown: ItemsShown = ItemsShown.ALL,
    ) -> tuple[JobItem, ...]:
        """Return the items after this position, in order. With `is_open`, omit items that have ended."""
        query = self._of_job(job_item, key).where(job_item.c.position > after).limit(limit)
        if is_open:
            query = query.where(not_(job_item.c.is_ended))
        if shown is ItemsShown.CHANGES:
            query = query.where(job_item.c.shown.in_({shown, ItemsShown.LARGE_REMOVALS}))
        elif shown is not ItemsShown.ALL:
            query = query.where(job_item.c.shown == shown)
        return self._items(query)

    def items_at(self, key: str, positions: Collection[int]) -> dict[int, JobItem]:
        """Map each of these positions to its item."""
        found = self._items(self._of_job(job_item, key).where(job_item.c.position.in_(positions)))
        return {one.position: one for one in found}

    def unfinished(self, item: ItemKey) -> tuple[tuple[Job, BulkItem], ...]:
        """Return the newest jobs in which this item is still open, each with its changes to the item."""
        query = (
            select(job_item, job)
            .join(job)
            .where(
                job_item.c.supplier_item_id == item.supplier_item_id,
                job_item.c.supplier == item.supplier,
                not_(job_item.c.is_ended),
                self._is_here,
                job.c.state.in_(frozenset(JobState) - FINISHED),
            )
            .order_by(job_item.c.job_id.desc())
            .limit(_MOST_JOBS)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = _lists_of(connection, rows)
        return tuple((_read_job(row), _read_intent(row, lists)) for row in rows)

    def put_previews(
        self, key: str, previews: Mapping[int, ItemPreview], outage: Outage | None = None
    ) -> bool:
        """Save previews by position, and send a heartbeat. An item keeps its first preview.

        Return False and save nothing when the reading must stop.
        """
        beat = _outage_values(outage) | {"beat_at": func.current_timestamp()}
        is_being_read = and_(self._is(key), job.c.state == JobState.READING)
        with self._database.write() as connection:
            query = update(job).where(is_being_read).values(beat).returning(job.c.id)
            job_id = connection.scalar(query)
            if job_id is None:
                return False
            is_unread = and_(job_item.c.job_id == job_id, job_item.c.read_at.is_(None))
            unread = select(job_item.c.position).where(is_unread, job_item.c.position.in_(previews))
            if new := {position: previews[position] for position in connection.scalars(unread)}:
                put_lists(connection, (one.current for one in new.values()))
                rows: list[Values] = [
                    {
                        "at": position,
                        "read_at": one.read_at,
                        "current_digest": None if one.current is None else list_digest(one.current),
                        "refusal": one.refusal,
                        "shown": _shown(one),
                    }
                    for position, one in new.items()
                ]
                is_it = and_(is_unread, job_item.c.position == bindparam("at"))
                connection.execute(update(job_item).where(is_it), rows)
                _add(connection, job_id, sum(map(_counts, new.values()), Counter()))
        return True

    def settle_item(self, key: str, position: int, rows: Iterable[JobRow]) -> bool:
        """Save the final rows of an item and mark it as ended. Return False if it has already ended."""
        is_it = and_(job_item.c.job_id == self._id_of(key), job_item.c.position == position)
        end = update(job_item).where(is_it, not_(job_item.c.is_ended)).values(is_ended=True)
        settled = sorted(rows, key=lambda row: row.recipient_id)
        with self._database.write() as connection:
            job_id = connection.scalar(end.returning(job_item.c.job_id))
            if job_id is None:
                return False
            values = (
                values_of(row, job_row) | {"job_id": job_id, "number": number}
                for number, row in enumerate(settled)
            )
            insert_all(connection, job_row, values)
            ended = Counter(["ended_items", *(OUTCOME_COLUMNS[one.outcome] for one in settled)])
            _add(connection, job_id, ended)
        return True

    def rows(self, key: str, *, outcomes: Collection[Outcome] = frozenset(Outcome)) -> Iterator[JobRow]:
        """Yield the rows with these outcomes, sorted by position and recipient."""
        place, after = tuple_(job_row.c.position, job_row.c.number), (-1, -1)
        is_wanted = job_row.c.outcome.in_(outcomes)
        query = self._of_job(job_row, key).where(is_wanted).order_by(job_row.c.number).limit(BATCH)
        while rows := self._database.rows(query.where(place > after)):
            yield from (read_value(JobRow, job_row, row) for row in rows)
            after = (rows[-1].position, rows[-1].number)

    def skipped_rows(self, key: str, *, after: int = -1, limit: int = 50) -> tuple[SkippedRow, ...]:
        """Return the skipped rows of the list after this position, in order."""
        query = self._of_job(job_skipped_row, key).where(job_skipped_row.c.position > after).limit(limit)
        return tuple(read_value(SkippedRow, job_skipped_row, row) for row in self._database.rows(query))

    def _jobs(self, query: Select[tuple[object, ...]]) -> tuple[Job, ...]:
        return tuple(map(_read_job, self._database.rows(query.where(self._is_here))))

    def _items(self, query: Select[tuple[object, ...]]) -> tuple[JobItem, ...]:
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = _lists_of(connection, rows)
        return tuple(_read_item(row, lists) for row in rows)

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(self._is_here, job.c.key == key)

    def _is_alive(self) -> ColumnElement[bool]:
        """All heartbeats and this comparison use the database's clock, because machines' clocks differ."""
        return and_(job.c.state == JobState.READING, job.c.beat_at >= self._database.now() - SCAN_DEAD_AFTER)

    def _of_job(self, table: Table, key: str) -> Select[tuple[object, ...]]:
        return select(table).where(table.c.job_id == self._id_of(key)).order_by(table.c.position)

    def _id_of(self, key: str) -> ColumnElement[int]:
        return select(job.c.id).where(self._is(key)).scalar_subquery()


def _read_job(row: AnyRow) -> Job:
    counts = {outcome: getattr(row, name) for outcome, name in OUTCOME_COLUMNS.items()}
    return read_value(
        Job,
        job,
        row,
        outcomes={outcome: count for outcome, count in counts.items() if count},
        applied_role=None if row.applied_role is None else Role(row.applied_role),
    )


def _lists_of(connection: Connection, rows: Sequence[AnyRow]) -> dict[str, frozenset[str]]:
    names = ("add_digest", "remove_digest", "exactly_digest", "current_digest")
    return read_lists(connection, (getattr(row, name) for row in rows for name in names))


def _read_intent(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> BulkItem:
    return BulkItem(
        item=read_item_key(row),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=None if row.exactly_digest is None else lists[row.exactly_digest],
        rows=tuple(tuple(map(int, numbers.split(","))) for numbers in filter(None, row.rows.split(";"))),
    )


def _read_item(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> JobItem:
    intent, preview = _read_intent(row, lists), None
    if row.read_at is not None:
        current = None if row.current_digest is None else lists[row.current_digest]
        preview = ItemPreview.of(intent, current, read_at=row.read_at, refusal=row.refusal)
    return read_value(JobItem, job_item, row, intent=intent, preview=preview)


def _shown(preview: ItemPreview) -> ItemsShown:
    if preview.refusal:
        return ItemsShown.REFUSED
    if preview.is_large_removal:
        return ItemsShown.LARGE_REMOVALS
    return ItemsShown.CHANGES if preview.add or preview.remove else ItemsShown.NOTHING_TO_DO


def _counts(preview: ItemPreview) -> Counter[str]:
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


def _outage_values(outage: Outage | None) -> Values:
    return {"waiting_since": outage and outage.since, "next_try_at": outage and outage.next_try_at}


def _add(connection: Connection, job_id: int, counts: Mapping[str, int]) -> None:
    values = {name: job.c[name] + count for name, count in counts.items()}
    connection.execute(update(job).where(job.c.id == job_id).values(values))
