"""The store of bulk jobs: wanted changes of each item, results of reads, and outcomes of rows."""

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Update,
    and_,
    bindparam,
    func,
    insert,
    literal,
    or_,
    select,
    true,
    tuple_,
    update,
)

from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import ItemPreview, Job, JobItem, JobRow, JobState, RowOutcome, SkippedRow
from item_visibility.records.ground.connecting import Database
from item_visibility.records.ground.types import ExactText, storable
from item_visibility.records.ground.upsert import pieces
from item_visibility.records.jobs.job_rows import (
    ListsToKeep,
    NamedItem,
    Values,
    item_values,
    job_values,
    lists_of,
    preview_values,
    read_intent,
    read_item,
    read_job,
    read_named,
    read_row,
    row_values,
)
from item_visibility.records.jobs.job_tables import OUTCOME_COLUMNS, job, job_item, job_row
from item_visibility.records.jobs.preview_rows import (
    ItemsShown,
    PreviewSummary,
    counted,
    is_shown,
    read_summary,
)
from item_visibility.records.jobs.skipped_rows import read_skipped_rows, save_skipped_rows

PIECE = 1_000
"""The number of items held in memory at once while a job is saved."""


class Jobs:
    """The jobs of one environment at one service. The job runner and the previews work with it.

    Jobs read from another service are hidden while the environment names this one: what they asked of a
    test service must not be done to another. Jobs of another environment at the same service are hidden
    too, as it may have another client: a job goes on with the rights with which it was applied.
    """

    def __init__(self, database: Database, *, service: str, environment: str) -> None:
        self._database = database
        self._service = service
        self._environment = environment

    def create(self, job_: Job, intents: Iterable[BulkItem], skipped: Iterable[SkippedRow] = ()) -> None:
        """Save a new job with its items in this order, with positions from 0; count the items.

        Items are saved in pieces, so that no writer waits long. The job is hidden until all are saved.
        """
        owner = {"service": self._service, "environment": self._environment}
        row = job_values(job_, item_count=0, skipped=0) | owner | {"state": None}
        with self._database.write() as connection:
            job_id = connection.scalar(insert(job).values(row).returning(job.c.id))
        count = 0
        for some in pieces(enumerate(intents), PIECE):
            lists = ListsToKeep()
            rows = [item_values(position, intent, lists) | {"job_id": job_id} for position, intent in some]
            with self._database.write() as connection:
                lists.put(connection)
                connection.execute(insert(job_item), rows)
            count += len(rows)
        not_taken = save_skipped_rows(self._database, job_id, skipped)
        complete = {"item_count": count, "skipped": not_taken, "state": job_.state}
        with self._database.write() as connection:
            connection.execute(update(job).where(job.c.id == job_id).values(complete))

    def job(self, key: str) -> Job | None:
        """Return the job with its counts; None when there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(job).where(self._is(key))).first()
            return None if row is None else read_job(row)

    def jobs(self, *, limit: int) -> tuple[Job, ...]:
        """Return the jobs, newest first."""
        query = select(job).where(self._is_here()).order_by(job.c.id.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(read_job(row) for row in connection.execute(query))

    def in_state(self, states: Collection[JobState]) -> tuple[Job, ...]:
        """Return the jobs in one of these states, oldest first."""
        query = select(job).where(self._is_here(), _is_in(states)).order_by(job.c.id)
        with self._database.read() as connection:
            return tuple(read_job(row) for row in connection.execute(query))

    def move(  # noqa: PLR0913  (one argument a fact)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        at: datetime,
        message: str = "",
        confirmed_count: int | None = None,
    ) -> bool:
        """Move the job to a state if it is in an expected one; otherwise return False and change nothing."""
        is_over = state in {JobState.ENDED, JobState.CANCELLED}
        values: Values = {"state": state, "message": message, "ended_at": at if is_over else None}
        if state is JobState.RUNNING:
            values["started_at"] = func.coalesce(job.c.started_at, at)
        if confirmed_count is not None:
            values["confirmed_count"] = confirmed_count
        with self._database.write() as connection:
            moved = connection.execute(update(job).where(self._is(key), _is_in(expected)).values(values))
            return moved.rowcount == 1

    def give_reason(self, key: str, reason: str) -> None:
        """Save the reason for the job, replacing the earlier one."""
        with self._database.write() as connection:
            connection.execute(update(job).where(self._is(key)).values(reason=reason))

    def summary(self, key: str) -> PreviewSummary | None:
        """Return the summary of all previews; None when there is no such job."""
        with self._database.read() as connection:
            row = connection.execute(select(job).where(self._is(key))).first()
        if row is None:
            return None
        return read_summary(row)

    def items(
        self,
        key: str,
        *,
        after: int = -1,
        limit: int,
        is_open: bool = False,
        shown: ItemsShown = ItemsShown.ALL,
    ) -> tuple[JobItem, ...]:
        """Return items after position `after`, in order; with `is_open`, only those that have not ended."""
        query = (
            select(job_item)
            .where(self._is_of(job_item.c.job_id, key), job_item.c.position > after, is_shown(shown))
            .where(job_item.c.is_ended == literal(value=False) if is_open else true())
            .order_by(job_item.c.position)
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = lists_of(connection, rows)
        return tuple(read_item(row, lists) for row in rows)

    def unread(self, key: str, *, after: int, limit: int) -> tuple[JobItem, ...]:
        """Return the items without a preview after position `after`, in order."""
        return self.items(key, after=after, limit=limit, shown=ItemsShown.UNREAD)

    def intents_at(self, key: str, positions: Iterable[int]) -> dict[int, BulkItem]:
        """Return the changes that the job wants for the items at these positions."""
        intents: dict[int, BulkItem] = {}
        with self._database.read() as connection:
            for some in pieces(positions, PIECE):
                rows = connection.execute(self._items_at(key, some)).all()
                lists = lists_of(connection, rows)
                intents.update((row.position, read_intent(row, lists)) for row in rows)
        return intents

    def named_at(self, key: str, positions: Iterable[int]) -> dict[int, NamedItem]:
        """Return the items at these positions, without their lists."""
        named: dict[int, NamedItem] = {}
        with self._database.read() as connection:
            for some in pieces(positions, PIECE):
                rows = connection.execute(self._items_at(key, some))
                named.update((row.position, read_named(row)) for row in rows)
        return named

    def put_previews(self, key: str, previews: Mapping[int, ItemPreview]) -> None:
        """Save the results of reads by position, replacing earlier ones, and update the counts.

        A read that comes too late is dropped: a job that a person applied stays as they saw it.
        """
        is_cancelled = and_(_is_in({JobState.CANCELLED}), job.c.started_at.is_(None))
        is_being_read = or_(_is_in({JobState.READING}), is_cancelled)
        with self._database.write() as connection:
            job_id = connection.scalar(select(job.c.id).where(self._is(key), is_being_read).with_for_update())
            if job_id is None:
                return
            for positions in pieces(sorted(previews), PIECE):
                lists = ListsToKeep()
                rows = [preview_values(previews[one], lists) | {"at": one} for one in positions]
                lists.put(connection)
                before = counted(connection, job_id, positions)
                connection.execute(_preview_at(job_id), rows)
                after = counted(connection, job_id, positions)
                changes = {name: job.c[name] + after[name] - before[name] for name in after}
                connection.execute(update(job).where(job.c.id == job_id).values(changes))

    def settle_item(self, key: str, position: int, rows: Iterable[JobRow]) -> bool:
        """Save the final rows of an item and end it, in one transaction; return False if already ended."""
        is_open = and_(job_item.c.position == position, job_item.c.is_ended == literal(value=False))
        kept = tuple(rows)
        with self._database.write() as connection:
            job_id = connection.scalar(
                update(job_item)
                .where(self._is_of(job_item.c.job_id, key), is_open)
                .values(is_ended=True)
                .returning(job_item.c.job_id)
            )
            if job_id is None:
                return False
            if kept:
                connection.execute(insert(job_row), row_values(job_id, kept))
            counts = {"ended_items": job.c.ended_items + 1}
            for outcome, name in OUTCOME_COLUMNS.items():
                if count := sum(row.outcome is outcome for row in kept):
                    counts[name] = job.c[name] + count
            connection.execute(update(job).where(job.c.id == job_id).values(counts))
        return True

    def rows(
        self,
        key: str,
        *,
        outcomes: Collection[RowOutcome] = frozenset(RowOutcome),
        after: tuple[int, str] = (-1, ""),
        limit: int,
    ) -> tuple[JobRow, ...]:
        """Return rows with one of these outcomes after `after`, by position and recipient.

        Looks up each outcome separately in the index, so that a few rows are found fast among many.
        """
        with self._database.read() as connection:
            found = [self._rows(connection, key, outcome, after, limit) for outcome in outcomes]
        merged = heapq.merge(*found, key=lambda row: (row.position, storable(row.recipient_id)))
        return tuple(islice(merged, limit))

    def skipped_rows(self, key: str, *, after: int = -1, limit: int) -> tuple[SkippedRow, ...]:
        """Return the skipped rows of the job's list, in list order, from the position after `after`."""
        with self._database.read() as connection:
            return read_skipped_rows(connection, self._id_of(key), after=after, limit=limit)

    def _rows(
        self, connection: Connection, key: str, outcome: RowOutcome, after: tuple[int, str], limit: int
    ) -> Iterator[JobRow]:
        cursor = tuple_(job_row.c.position, job_row.c.recipient_id)
        is_after = cursor > tuple_(literal(after[0]), literal(after[1], ExactText))
        found = connection.execute(
            select(job_row)
            .where(self._is_of(job_row.c.job_id, key), job_row.c.outcome == outcome.value)
            .where(job_row.c.position >= after[0], is_after)
            .order_by(job_row.c.position, job_row.c.recipient_id)
            .limit(limit)
        ).all()
        return map(read_row, found)

    def _is_here(self) -> ColumnElement[bool]:
        return and_(
            job.c.service == self._service,
            job.c.environment == self._environment,
            job.c.state.is_not(None),
        )

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(self._is_here(), job.c.key == key)

    def _items_at(self, key: str, positions: Collection[int]) -> Select[tuple[object, ...]]:
        return select(job_item).where(self._is_of(job_item.c.job_id, key), job_item.c.position.in_(positions))

    def _is_of(self, job_id: ColumnElement[int], key: str) -> ColumnElement[bool]:
        return job_id == self._id_of(key)

    def _id_of(self, key: str) -> ColumnElement[int]:
        return select(job.c.id).where(self._is(key)).scalar_subquery()


def _is_in(states: Collection[JobState]) -> ColumnElement[bool]:
    return job.c.state.in_(states)


def _preview_at(job_id: int) -> Update:
    is_at = and_(job_item.c.job_id == job_id, job_item.c.position == bindparam("at"))
    return update(job_item).where(is_at)
