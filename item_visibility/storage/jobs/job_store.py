"""The store of bulk jobs and scans: wanted changes of each item, results of reads, and outcomes of rows."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    bindparam,
    delete,
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
    JobKind,
    JobRow,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.saving.outcome import Outcome
from item_visibility.storage.columns import AnyRow, Values, insert_new, pieces, read_value, values_of
from item_visibility.storage.database import Database
from item_visibility.storage.directory import known_id
from item_visibility.storage.jobs.job_tables import (
    LIST_COLUMNS,
    OUTCOME_COLUMNS,
    ItemsShown,
    intent_values,
    job,
    job_item,
    job_row,
    job_skipped_row,
    preview_counts,
    preview_values,
    read_intent,
    read_item,
    read_job,
)
from item_visibility.storage.recipient_lists import put_list, put_lists, read_lists
from item_visibility.storage.seen_lists import KNOWN_ITEM, is_known_item
from item_visibility.timeouts import SCAN_DEAD_AFTER

PIECE = 1_000
"""The number of items or rows held in memory at once while a job is saved or its rows are read."""
_MOST_JOBS = 50
"""The limit of jobs returned for an item: each preview that was never applied is one."""
_CHANGING = frozenset({ItemsShown.CHANGES, ItemsShown.LARGE_REMOVALS})


class Jobs:
    """The jobs of one kind, of one environment at one service. The job runner and the previews work with it.

    Jobs of another service are hidden while the environment names this one: a job that was made for a test
    service must not change a real one. Jobs of another environment at the same service are hidden too,
    because it may have another client: a job continues with the rights with which it was applied.
    """

    def __init__(
        self, database: Database, *, service: str, environment: str, kind: JobKind = JobKind.CHANGES
    ) -> None:
        self._database = database
        self._of_all: Values = {"service": service, "environment": environment, "kind": kind}

    def create(self, job_: Job, intents: Iterable[BulkItem], skipped: Iterable[SkippedRow] = ()) -> None:
        """Save a new job with its items in this order, with positions from 0; count the items."""
        row = values_of(job_, job) | self._of_all
        counts = Counter(item_count=0, skipped=0)
        with self._database.write() as connection:
            job_id = connection.scalar(insert(job).values(row).returning(job.c.id))
            for some in pieces(enumerate(intents), PIECE):
                put_lists(
                    connection, chain.from_iterable((one.add, one.remove, one.exactly) for _, one in some)
                )
                rows = [intent_values(position, intent) | {"job_id": job_id} for position, intent in some]
                connection.execute(insert(job_item), rows)
                counts["item_count"] += len(rows)
            for more in pieces(enumerate(skipped), PIECE):
                rows = [
                    values_of(one, job_skipped_row) | {"position": position, "job_id": job_id}
                    for position, one in more
                ]
                connection.execute(insert(job_skipped_row), rows)
                counts["skipped"] += len(rows)
            connection.execute(update(job).where(job.c.id == job_id).values(counts))

    def begin_scan(self, scan: Job, supplier: str | None) -> bool:
        """Save a job that reads the known items of a supplier, or all of them, in place of the one before it.

        Positions are the numbers of the known items, so that a late read of the one before counts for its
        item. Return False, and change nothing, while the one before is at work.
        """
        is_dead = job.c.beat_at < scan.created_at - SCAN_DEAD_AFTER
        with self._database.write() as connection:
            connection.execute(
                delete(job).where(self._is(scan.key), or_(job.c.state != JobState.READING, is_dead))
            )
            row = values_of(scan, job) | self._of_all
            job_id = connection.scalar(insert_new(connection, job).values(row).returning(job.c.id))
            if job_id is None:
                return False
            no_change = literal(put_list(connection, frozenset()))
            columns = (
                "job_id",
                "position",
                "supplier",
                "supplier_item_id",
                "rows",
                "add_digest",
                "remove_digest",
            )
            items = select(literal(job_id), known_id.c.number, *KNOWN_ITEM, literal(""), no_change, no_change)
            is_known = is_known_item(str(self._of_all["service"]), supplier)
            connection.execute(insert(job_item).from_select(columns, items.where(is_known)))
            item_count = select(func.count()).where(job_item.c.job_id == job_id).scalar_subquery()
            connection.execute(update(job).where(job.c.id == job_id).values(item_count=item_count))
        return True

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

    def count_rows(self) -> dict[Outcome, int]:
        """Return how many rows of all jobs have ended, by outcome."""
        sums = [func.coalesce(func.sum(job.c[name]), 0).label(name) for name in OUTCOME_COLUMNS.values()]
        row = next(iter(self._database.rows(select(*sums).where(self._is_here()))))
        return {outcome: int(getattr(row, name)) for outcome, name in OUTCOME_COLUMNS.items()}

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
        values["beat_at"] = at if state is JobState.READING else None
        values["ended_at"] = at if is_over else None
        if state is JobState.RUNNING:
            values["started_at"] = func.coalesce(job.c.started_at, at)
        if confirmed_count is not None:
            values["confirmed_count"] = confirmed_count
        if applied_role is not None:
            values["applied_role"] = applied_role.value
        is_expected = and_(self._is(key), job.c.state.in_(expected))
        return self._database.change(update(job).where(is_expected).values(values)) == 1

    def note_outage(self, key: str, outage: Outage | None) -> bool:
        """Record that a job at work waits for the service, or no longer; False when it is not at work."""
        values = _outage_values(outage)
        values["state"] = JobState.RUNNING if outage is None else JobState.WAITING
        values["message"] = "" if outage is None else outage.message
        is_at_work = and_(self._is(key), job.c.state.in_({JobState.RUNNING, JobState.WAITING}))
        return self._database.change(update(job).where(is_at_work).values(values)) == 1

    def give_reason(self, key: str, reason: str) -> None:
        """Save the reason for the job, replacing the earlier one."""
        self._database.change(update(job).where(self._is(key)).values(reason=reason))

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
        is_chosen = (
            job_item.c.shown.in_(_CHANGING) if shown is ItemsShown.CHANGES else job_item.c.shown == shown
        )
        query = (
            self._of_job(job_item, key)
            .where(job_item.c.position > after, true() if shown is ItemsShown.ALL else is_chosen)
            .where(not_(job_item.c.is_ended) if is_open else true())
            .limit(limit)
        )
        return self._items(query)

    def items_at(self, key: str, positions: Iterable[int]) -> dict[int, JobItem]:
        """Return the items at these positions."""
        items: dict[int, JobItem] = {}
        for some in pieces(positions, PIECE):
            found = self._items(self._of_job(job_item, key).where(job_item.c.position.in_(some)))
            items.update((one.position, one) for one in found)
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
            lists = _lists_of(connection, rows)
            is_one = job.c.id.in_([row.job_id for row in rows])
            jobs = {row.id: read_job(row) for row in connection.execute(select(job).where(is_one))}
        return tuple((jobs[row.job_id], read_intent(row, lists)) for row in rows)

    def put_previews(
        self, key: str, previews: Mapping[int, ItemPreview], outage: Outage | None = None, *, at: datetime
    ) -> bool:
        """Save the results of reads by position, and count them. An item that was read before stays as it is.

        Record also that whoever reads is alive, and whether the service is down. Return False when the job
        is to be read no more. A read that comes too late is dropped: a job that a person applied stays as
        they saw it.
        """
        is_cancelled = and_(job.c.state == JobState.CANCELLED, job.c.started_at.is_(None))
        is_being_read = or_(job.c.state == JobState.READING, is_cancelled)
        with self._database.write() as connection:
            query = select(job.c.id, job.c.state).where(self._is(key), is_being_read)
            found = connection.execute(query.with_for_update()).first()
            if found is None:
                return False
            job_id, state = found
            is_unread = and_(job_item.c.job_id == job_id, job_item.c.read_at.is_(None))
            for some in pieces(sorted(previews), PIECE):
                query = select(job_item.c.position).where(is_unread, job_item.c.position.in_(some))
                new = {one: previews[one] for one in connection.scalars(query)}
                if new:
                    put_lists(connection, (one.current for one in new.values()))
                    statement = update(job_item).where(is_unread, job_item.c.position == bindparam("at"))
                    rows = [preview_values(one) | {"at": position} for position, one in new.items()]
                    connection.execute(statement, rows)
                    _add(connection, job_id, sum(map(preview_counts, new.values()), Counter()))
            if state is JobState.READING:
                beat = _outage_values(outage) | {"beat_at": at}
                connection.execute(update(job).where(job.c.id == job_id).values(beat))
        return state is JobState.READING

    def settle_item(self, key: str, position: int, rows: Iterable[JobRow]) -> bool:
        """Save the final rows of an item and end it, in one transaction; return False if already ended."""
        is_it = and_(job_item.c.job_id == self._id_of(key), job_item.c.position == position)
        end = update(job_item).where(is_it, not_(job_item.c.is_ended)).values(is_ended=True)
        settled = sorted(rows, key=lambda row: row.recipient_id)
        with self._database.write() as connection:
            job_id = connection.scalar(end.returning(job_item.c.job_id))
            if job_id is None:
                return False
            if settled:
                values = [
                    values_of(row, job_row) | {"job_id": job_id, "number": number}
                    for number, row in enumerate(settled)
                ]
                connection.execute(insert(job_row), values)
            _add(
                connection,
                job_id,
                Counter(["ended_items", *(OUTCOME_COLUMNS[one.outcome] for one in settled)]),
            )
        return True

    def rows(self, key: str, *, outcomes: Collection[Outcome] = frozenset(Outcome)) -> Iterator[JobRow]:
        """Yield the rows with one of these outcomes, by position and recipient. Reads in pieces."""
        place = tuple_(job_row.c.position, job_row.c.number)
        is_wanted = job_row.c.outcome.in_(outcomes)
        query = self._of_job(job_row, key).where(is_wanted).order_by(job_row.c.number).limit(PIECE)
        rows = self._database.rows(query)
        while rows:
            yield from (read_value(JobRow, job_row, row) for row in rows)
            last = tuple_(literal(rows[-1].position), literal(rows[-1].number))
            rows = self._database.rows(query.where(place > last)) if len(rows) == PIECE else ()

    def skipped_rows(self, key: str, *, after: int = -1, limit: int = 50) -> tuple[SkippedRow, ...]:
        """Return the skipped rows of the job's list, in list order, from the position after `after`."""
        query = self._of_job(job_skipped_row, key).where(job_skipped_row.c.position > after).limit(limit)
        return tuple(read_value(SkippedRow, job_skipped_row, row) for row in self._database.rows(query))

    def _items(self, query: Select[tuple[object, ...]]) -> tuple[JobItem, ...]:
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = _lists_of(connection, rows)
        return tuple(read_item(row, lists) for row in rows)

    def _is_here(self) -> ColumnElement[bool]:
        return and_(*(job.c[name] == value for name, value in self._of_all.items()))

    def _is(self, key: str) -> ColumnElement[bool]:
        return and_(self._is_here(), job.c.key == key)

    def _of_job(self, table: Table, key: str) -> Select[tuple[object, ...]]:
        """Return the query for the job's rows of a table, in order."""
        return select(table).where(table.c.job_id == self._id_of(key)).order_by(table.c.position)

    def _id_of(self, key: str) -> ColumnElement[int]:
        return select(job.c.id).where(self._is(key)).scalar_subquery()


def _lists_of(connection: Connection, rows: Sequence[AnyRow]) -> dict[str, frozenset[str]]:
    """Return the lists that these items refer to, by digest."""
    return read_lists(connection, (getattr(row, name) for row in rows for name in LIST_COLUMNS))


def _outage_values(outage: Outage | None) -> Values:
    """Return the columns that say since when a job waits for the service."""
    if outage is None:
        return {"waiting_since": None, "next_try_at": None}
    return {"waiting_since": outage.since, "next_try_at": outage.next_try_at}


def _add(connection: Connection, job_id: int, counts: Mapping[str, int]) -> None:
    """Add to the counts of a job."""
    values = {name: job.c[name] + count for name, count in counts.items()}
    connection.execute(update(job).where(job.c.id == job_id).values(values))
