"""The store of bulk jobs: wanted changes of each item, results of reads, and outcomes of rows."""

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain, islice

from sqlalchemy import (
    ColumnElement,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    func,
    insert,
    literal,
    not_,
    or_,
    select,
    true,
    tuple_,
    update,
)

from item_visibility.access.access import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import (
    FINISHED,
    ItemPreview,
    Job,
    JobItem,
    JobRow,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.columns import ExactText, Values, pieces, storable, values_of
from item_visibility.storage.database import Database
from item_visibility.storage.jobs.job_rows import (
    ListsToKeep,
    count_columns,
    intent_values,
    lists_of,
    outcome_values,
    preview_values,
    read_intent,
    read_item,
    read_job,
    read_outcome,
    read_skipped,
    skipped_values,
)
from item_visibility.storage.jobs.job_tables import job, job_item, job_row, job_skipped_row
from item_visibility.storage.jobs.preview_rows import (
    IS_SHOWN,
    ItemsShown,
    PreviewSummary,
    counted,
    read_summary,
)

PIECE = 1_000
"""The number of items held in memory at once while a job is saved."""
_MOST_JOBS = 50
"""The limit of jobs returned for an item: each preview that was never applied is one."""


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
        hidden = {"state": None, "service": self._service, "environment": self._environment}
        with self._database.write() as connection:
            row = values_of(job_, job) | hidden
            job_id = connection.scalar(insert(job).values(row).returning(job.c.id))
        item_count = skipped_count = 0
        for some in pieces(enumerate(intents), PIECE):
            lists = ListsToKeep()
            rows = [intent_values(position, intent, lists) | {"job_id": job_id} for position, intent in some]
            with self._database.write() as connection:
                lists.put(connection)
                connection.execute(insert(job_item), rows)
            item_count += len(rows)
        for more in pieces(enumerate(skipped), PIECE):
            rows = [skipped_values(position, row) | {"job_id": job_id} for position, row in more]
            with self._database.write() as connection:
                connection.execute(insert(job_skipped_row), rows)
            skipped_count += len(rows)
        complete = {"item_count": item_count, "skipped": skipped_count, "state": job_.state}
        self._database.change(update(job).where(job.c.id == job_id).values(complete))

    def job(self, key: str) -> Job | None:
        """Return the job with its counts; None when there is none."""
        row = self._database.row(select(job).where(self._is(key)))
        return None if row is None else read_job(row)

    def attempts(self, key: str) -> tuple[Job, ...]:
        """Return all jobs for the same list, oldest first: this job, what it retries, and their retries."""
        first = self.job(key)
        while first is not None and first.retry_of and (earlier := self.job(first.retry_of)) is not None:
            first = earlier
        attempts = [first] if first is not None else []
        for one in attempts:
            retries = select(job).where(self._is_here(), job.c.retry_of == one.key).order_by(job.c.id)
            attempts.extend(map(read_job, self._database.rows(retries)))
        return tuple(attempts)

    def jobs(self, *, limit: int = 20) -> tuple[Job, ...]:
        """Return the jobs, newest first."""
        query = select(job).where(self._is_here()).order_by(job.c.id.desc()).limit(limit)
        return tuple(map(read_job, self._database.rows(query)))

    def in_state(self, states: Collection[JobState]) -> tuple[Job, ...]:
        """Return the jobs in one of these states, oldest first."""
        query = select(job).where(self._is_here(), job.c.state.in_(states)).order_by(job.c.id)
        return tuple(map(read_job, self._database.rows(query)))

    def count_by_state(self) -> dict[JobState, int]:
        """Return how many jobs are in each state that any job is in."""
        query = select(job.c.state, func.count().label("jobs")).where(self._is_here()).group_by(job.c.state)
        return {row.state: row.jobs for row in self._database.rows(query)}

    def move(  # noqa: PLR0913  (one argument a fact)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        at: datetime,
        message: str = "",
        confirmed_count: int | None = None,
        applied_role: Role | None = None,
    ) -> bool:
        """Move the job to a state if it is in an expected one; otherwise return False and change nothing."""
        is_over = state in FINISHED
        values: Values = {"state": state, "message": message, "waiting_since": None, "next_try_at": None}
        values["ended_at"] = at if is_over else None
        if state is JobState.RUNNING:
            values["started_at"] = func.coalesce(job.c.started_at, at)
        if confirmed_count is not None:
            values["confirmed_count"] = confirmed_count
        if applied_role is not None:
            values["applied_role"] = applied_role.value
        is_expected = and_(self._is(key), job.c.state.in_(expected))
        return self._database.change(update(job).where(is_expected).values(values)) == 1

    def note_outage(self, key: str, state: JobState, outage: Outage | None) -> bool:
        """Record that a job at work waits for the service, or no longer; False when it is not at work.

        While it waits, a job that is applied is WAITING; a preview stays READING.
        """
        values: Values = {"waiting_since": None, "next_try_at": None}
        if outage is not None:
            values = {"waiting_since": outage.since, "next_try_at": outage.next_try_at}
        at_work = {JobState.READING}
        if state is not JobState.READING:
            at_work = {JobState.RUNNING, JobState.WAITING}
            values["state"] = JobState.RUNNING if outage is None else JobState.WAITING
            values["message"] = "" if outage is None else outage.message
        is_at_work = and_(self._is(key), job.c.state.in_(at_work))
        return self._database.change(update(job).where(is_at_work).values(values)) == 1

    def give_reason(self, key: str, reason: str) -> None:
        """Save the reason for the job, replacing the earlier one."""
        self._database.change(update(job).where(self._is(key)).values(reason=reason))

    def summary(self, key: str) -> PreviewSummary | None:
        """Return the summary of all previews; None when there is no such job."""
        row = self._database.row(select(job).where(self._is(key)))
        return None if row is None else read_summary(row)

    def items(
        self,
        key: str,
        *,
        after: int = -1,
        limit: int = 50,
        is_open: bool = False,
        shown: ItemsShown = ItemsShown.ALL,
    ) -> tuple[JobItem, ...]:
        """Return items after position `after`, in order; with `is_open`, only those that have not ended."""
        query = (
            self._of_job(job_item, key)
            .where(job_item.c.position > after, IS_SHOWN[shown])
            .where(not_(job_item.c.is_ended) if is_open else true())
            .limit(limit)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = lists_of(connection, rows)
        return tuple(read_item(row, lists) for row in rows)

    def items_at(self, key: str, positions: Iterable[int]) -> dict[int, JobItem]:
        """Return the items at these positions."""
        items: dict[int, JobItem] = {}
        for some in pieces(positions, PIECE):
            with self._database.read() as connection:
                query = self._of_job(job_item, key).where(job_item.c.position.in_(some))
                rows = connection.execute(query).all()
                lists = lists_of(connection, rows)
            items.update((row.position, read_item(row, lists)) for row in rows)
        return items

    def unfinished(self, item: ItemKey) -> tuple[tuple[Job, BulkItem], ...]:
        """Return the newest jobs that are still to work on the item, and what each is to do to it."""
        query = (
            select(job_item)
            .join(job)
            .where(
                job_item.c.supplier_item_id == item.supplier_item_id,
                job_item.c.supplier == item.supplier,
                not_(job_item.c.is_ended),
                self._is_here(),
                job.c.state.in_(frozenset(JobState) - FINISHED),
            )
            .order_by(job_item.c.job_id.desc())
            .limit(_MOST_JOBS)
        )
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = lists_of(connection, rows)
            is_one = job.c.id.in_([row.job_id for row in rows])
            jobs = {row.id: read_job(row) for row in connection.execute(select(job).where(is_one))}
        return tuple((jobs[row.job_id], read_intent(row, lists)) for row in rows)

    def put_previews(self, key: str, previews: Mapping[int, ItemPreview]) -> None:
        """Save the results of reads by position, replacing earlier ones, and update the counts.

        A read that comes too late is dropped: a job that a person applied stays as they saw it.
        """
        is_cancelled = and_(job.c.state == JobState.CANCELLED, job.c.started_at.is_(None))
        is_being_read = or_(job.c.state == JobState.READING, is_cancelled)
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
        is_it = and_(job_item.c.job_id == self._id_of(key), job_item.c.position == position)
        end = update(job_item).where(is_it, not_(job_item.c.is_ended)).values(is_ended=True)
        settled = tuple(rows)
        with self._database.write() as connection:
            job_id = connection.scalar(end.returning(job_item.c.job_id))
            if job_id is None:
                return False
            if settled:
                values = [outcome_values(row) | {"job_id": job_id} for row in settled]
                connection.execute(insert(job_row), values)
            ended = Counter(chain.from_iterable(map(count_columns, settled))) + Counter(ended_items=1)
            counts = {name: job.c[name] + count for name, count in ended.items()}
            connection.execute(update(job).where(job.c.id == job_id).values(counts))
        return True

    def rows(
        self,
        key: str,
        *,
        outcomes: Collection[Outcome] = frozenset(Outcome),
        after: tuple[int, str] = (-1, ""),
        limit: int = 50,
    ) -> tuple[JobRow, ...]:
        """Return rows with one of these outcomes after `after`, by position and recipient.

        Looks up each outcome separately in the index, so that a few rows are found fast among many.
        """
        found = [self._rows(key, outcome, after, limit) for outcome in outcomes]
        merged = heapq.merge(*found, key=lambda row: (row.position, storable(row.recipient_id)))
        return tuple(islice(merged, limit))

    def skipped_rows(self, key: str, *, after: int = -1, limit: int = 50) -> tuple[SkippedRow, ...]:
        """Return the skipped rows of the job's list, in list order, from the position after `after`."""
        query = self._of_job(job_skipped_row, key).where(job_skipped_row.c.position > after).limit(limit)
        return tuple(map(read_skipped, self._database.rows(query)))

    def _rows(self, key: str, outcome: Outcome, after: tuple[int, str], limit: int) -> Iterator[JobRow]:
        cursor = tuple_(job_row.c.position, job_row.c.recipient_id)
        is_after = cursor > tuple_(literal(after[0]), literal(after[1], ExactText))
        query = (
            self._of_job(job_row, key)
            .where(job_row.c.outcome == outcome, job_row.c.position >= after[0], is_after)
            .order_by(job_row.c.recipient_id)
            .limit(limit)
        )
        return map(read_outcome, self._database.rows(query))

    def _is_here(self) -> ColumnElement[bool]:
        return and_(
            job.c.service == self._service,
            job.c.environment == self._environment,
            job.c.state.is_not(None),
        )

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(self._is_here(), job.c.key == key)

    def _of_job(self, table: Table, key: str) -> Select[tuple[object, ...]]:
        """Return the query for the job's rows of a table, in order."""
        return select(table).where(table.c.job_id == self._id_of(key)).order_by(table.c.position)

    def _id_of(self, key: str) -> ColumnElement[int]:
        return select(job.c.id).where(self._is(key)).scalar_subquery()


def _preview_at(job_id: int) -> Update:
    is_at = and_(job_item.c.job_id == job_id, job_item.c.position == bindparam("at"))
    return update(job_item).where(is_at)
