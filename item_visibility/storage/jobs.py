"""Bulk jobs and scans.

For each item of a job, the requested changes, the preview and the results are stored.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import chain
from typing import TypedDict, Unpack

import sqlalchemy as sa

from item_visibility.access.people import Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeStep
from item_visibility.model.job import (
    BEGUN,
    FINISHED,
    BulkItem,
    ItemPreview,
    ItemsShown,
    Job,
    JobItem,
    JobKind,
    JobOrigin,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.model.outcome import Outcome, StepResult
from item_visibility.storage.column_types import ITEM
from item_visibility.storage.database import Database
from item_visibility.storage.recipient_lists import put_lists, read_lists
from item_visibility.storage.rows import (
    AnyRow,
    Values,
    insert_all,
    insert_new,
    read_item_key,
    read_value,
    values_of,
)
from item_visibility.storage.schema import (
    OUTCOME_COLUMNS,
    job,
    job_item,
    job_row,
    job_skipped_row,
    known_id,
)
from item_visibility.storage.seen_lists import KNOWN_ITEM, is_known_item
from item_visibility.timeouts import SCAN_DEAD_AFTER

BATCH = 1_000
"""This many rows are read at a time."""

_CLAIM = "job"
"""The lock of a job has this word and the key of the job as its name."""


class JobChanges(TypedDict, total=False):
    """The values that a job may get when it moves to another state."""

    reason: str | None
    confirmed_count: int | None
    applied_role: Role | None
    message: str


class Jobs:
    """The jobs of one kind, for one environment and its service.

    When an environment is given another service, its earlier jobs are hidden, because a
    job that was made for a test service must not change a real one. Jobs of another
    environment at the same service are hidden too, because only the client of that
    environment may apply them.
    """

    def __init__(
        self,
        database: Database,
        *,
        service: str,
        environment: str,
        kind: JobKind = JobKind.CHANGES,
    ) -> None:
        self._database = database
        self._service = service
        self._of_all: Values = {
            "service": service,
            "environment": environment,
            "kind": kind,
        }
        self._is_here = sa.and_(
            *(job.c[name] == value for name, value in self._of_all.items())
        )

    def create(
        self, new: Job, intents: Sequence[BulkItem], skipped: Sequence[SkippedRow] = ()
    ) -> None:
        """Save a new job with its items in the given order.

        The first item has the position 0.
        """
        counts = {"item_count": len(intents), "skipped": len(skipped)}
        row = values_of(new, job) | self._of_all | counts
        with self._database.write() as connection:
            job_id = connection.scalar(sa.insert(job).values(row).returning(job.c.id))

            # The lists come first, because the items refer to them.
            lists = ((intent.add, intent.remove, intent.exactly) for intent in intents)
            digests = put_lists(connection, chain.from_iterable(lists))
            items = (
                values_of(intent.item, job_item)
                | {
                    "job_id": job_id,
                    "position": position,
                    "add_digest": digests[intent.add],
                    "remove_digest": digests[intent.remove],
                    "exactly_digest": digests[intent.exactly],
                    "rows": _written_rows(intent),
                }
                for position, intent in enumerate(intents)
            )
            insert_all(connection, job_item, items)

            skipped_rows = (
                values_of(skipped_row, job_skipped_row)
                | {"job_id": job_id, "position": position}
                for position, skipped_row in enumerate(skipped)
            )
            insert_all(connection, job_skipped_row, skipped_rows)

    def begin_scan(self, scan: Job, supplier: str | None) -> bool:
        """Replace the previous scan.

        The new scan reads the supplier's known items; None means all suppliers.

        While the previous scan is running, change nothing and return False. The
        position of an item is its row id in the directory, which is the same in every
        scan. So a read of the previous scan that ends late is still saved for the right
        item.
        """
        is_over = sa.not_(self._is_alive())
        beat = {"beat_at": sa.func.current_timestamp()}
        row = values_of(scan, job) | self._of_all | beat
        with self._database.write() as connection:
            # A scan that is running keeps its row, and nothing is inserted.
            connection.execute(sa.delete(job).where(self._is(scan.key), is_over))
            insertion = insert_new(connection, job).values(row)
            job_id = connection.scalar(insertion.returning(job.c.id))
            if job_id is None:
                return False

            # Copy the known items inside the database.
            no_list = put_lists(connection, [frozenset()])[frozenset()]
            item_of_scan = {
                "job_id": sa.literal(job_id),
                "position": known_id.c.number,
                **dict(zip(ITEM, KNOWN_ITEM, strict=True)),
                "rows": sa.literal(""),
                "add_digest": sa.literal(no_list),
                "remove_digest": sa.literal(no_list),
            }
            items = sa.select(*item_of_scan.values()).where(
                is_known_item(self._service, supplier)
            )
            added = connection.execute(
                sa.insert(job_item).from_select(list(item_of_scan), items),
                execution_options={"preserve_rowcount": True},
            )

            is_it = job.c.id == job_id
            connection.execute(
                sa.update(job).where(is_it).values(item_count=added.rowcount)
            )
        return True

    def is_alive(self, key: str) -> bool:
        """Return True if a process is reading the job's items.

        Such a process has sent a heartbeat recently.
        """
        query = sa.select(job.c.id).where(self._is(key), self._is_alive())
        return self._database.row(query) is not None

    def job(self, key: str) -> Job | None:
        """Return the job with its counts, or None."""
        jobs = self._jobs(sa.select(job).where(self._is(key)))
        return jobs[0] if jobs else None

    def attempts(self, key: str) -> tuple[Job, ...]:
        """Return the first attempt at this job and every retry, oldest first."""
        first = self.job(key)
        if first is None:
            return ()

        # Go back to the first attempt.
        while first.retry_of:
            earlier = self.job(first.retry_of)
            if earlier is None:
                break
            first = earlier

        # The list grows in the loop, so retries of retries are found too.
        attempts = [first]
        for attempt in attempts:
            is_retry = job.c.retry_of == attempt.key
            attempts += self._jobs(sa.select(job).where(is_retry).order_by(job.c.id))
        return tuple(attempts)

    def jobs(self, *, limit: int = 20) -> tuple[Job, ...]:
        """Return the jobs, newest first."""
        return self._jobs(sa.select(job).order_by(job.c.id.desc()).limit(limit))

    def in_state(
        self, states: Collection[JobState], origin: JobOrigin
    ) -> tuple[Job, ...]:
        """Return the jobs of this origin in one of these states, oldest first."""
        is_wanted = sa.and_(job.c.state.in_(states), job.c.origin == origin)
        return self._jobs(sa.select(job).where(is_wanted).order_by(job.c.id))

    def claim(
        self, key: str, *, sleep: Callable[[float], None]
    ) -> AbstractContextManager[Callable[[], bool]]:
        """Claim the job of a command for this process, while the block runs.

        At its end the claim ends too.

        Yields a function that returns whether the claim still holds. While another
        process has claimed the job, `sleep` is called, which can raise an exception to
        end the wait. Raises RecordsError.
        """
        return self._database.job_locks.holding(_CLAIM, key, sleep=sleep)

    def is_claimed(self, key: str) -> bool:
        """Return True while a process has claimed the job. Raises RecordsError."""
        return not self._database.job_locks.is_free(_CLAIM, key)

    def counts(self) -> tuple[Counter[JobState], Counter[Outcome]]:
        """Count the jobs in each state, and the rows of all jobs with each outcome."""
        sums = [
            sa.func.sum(job.c[name]).label(name) for name in OUTCOME_COLUMNS.values()
        ]
        query = sa.select(job.c.state, sa.func.count().label("jobs"), *sums)
        query = query.where(self._is_here).group_by(job.c.state)

        states = Counter[JobState]()
        outcomes = Counter[Outcome]()
        for row in self._database.rows(query):
            states[row.state] = row.jobs
            for outcome, name in OUTCOME_COLUMNS.items():
                outcomes[outcome] += int(getattr(row, name))
        return states, outcomes

    def move(  # noqa: PLR0913  (one argument per fact)
        self,
        key: str,
        state: JobState,
        *,
        expected: Collection[JobState],
        at: datetime,
        origin: JobOrigin | None = None,
        outage: Outage | None = None,
        **changes: Unpack[JobChanges],
    ) -> bool:
        """Move the job to a state if its state is expected.

        Otherwise return False and change nothing.

        With an `origin`, also return False for a job of another origin. Without an
        `outage`, the service counts as up. Without a `message`, the job has none. For
        the other changes, None keeps the stored value.
        """
        # The values that follow from the new state.
        values: Values = {"state": state, "message": "", **_outage_values(outage)}
        is_reading = state is JobState.READING
        values["beat_at"] = sa.func.current_timestamp() if is_reading else None
        values["ended_at"] = at if state in FINISHED else None
        if state is JobState.RUNNING:
            values["started_at"] = sa.func.coalesce(job.c.started_at, at)

        values |= {name: value for name, value in changes.items() if value is not None}

        # Another process may have moved the job meanwhile.
        is_expected = sa.and_(self._is(key), job.c.state.in_(expected))
        if origin is not None:
            is_expected = sa.and_(is_expected, job.c.origin == origin)
        moved = self._database.change(sa.update(job).where(is_expected).values(values))
        return moved == 1

    def items(
        self,
        key: str,
        *,
        after: int = -1,
        limit: int = 50,
        is_open: bool = False,
        shown: ItemsShown = ItemsShown.ALL,
    ) -> tuple[JobItem, ...]:
        """Return the items after this position, in order.

        With `is_open`, omit items that have ended.
        """
        query = self._of_job(job_item, key).where(job_item.c.position > after)
        if is_open:
            query = query.where(sa.not_(job_item.c.is_ended))

        # A large removal is a change too.
        if shown is ItemsShown.CHANGES:
            is_change = job_item.c.shown.in_({shown, ItemsShown.LARGE_REMOVALS})
            query = query.where(is_change)
        elif shown is not ItemsShown.ALL:
            query = query.where(job_item.c.shown == shown)
        return self._items(query.limit(limit))

    def unfinished(self, item: ItemKey) -> tuple[tuple[Job, BulkItem], ...]:
        """Return the jobs that will still change this item, with their changes to it.

        These jobs have begun, but have not ended this item.
        """
        is_open = sa.and_(
            job_item.c.supplier_item_id == item.supplier_item_id,
            job_item.c.supplier == item.supplier,
            sa.not_(job_item.c.is_ended),
        )
        query = sa.select(job_item, job).join(job)
        query = query.where(is_open, self._is_here, job.c.state.in_(BEGUN))
        query = query.order_by(job_item.c.job_id.desc())
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = _lists_of(connection, rows)
        return tuple((_read_job(row), _read_intent(row, lists)) for row in rows)

    def put_previews(
        self,
        key: str,
        previews: Mapping[int, ItemPreview],
        outage: Outage | None = None,
    ) -> bool:
        """Save previews by position, and send a heartbeat.

        An item keeps its first preview.

        Return False and save nothing when the reading must stop.
        """
        beat = {"beat_at": sa.func.current_timestamp(), **_outage_values(outage)}
        is_being_read = sa.and_(self._is(key), job.c.state == JobState.READING)
        send_beat = sa.update(job).where(is_being_read).values(beat)
        with self._database.write() as connection:
            job_id = connection.scalar(send_beat.returning(job.c.id))
            if job_id is None:
                return False

            # Leave out the items that have a preview.
            is_unread = sa.and_(
                job_item.c.job_id == job_id, job_item.c.read_at.is_(None)
            )
            unread = sa.select(job_item.c.position).where(
                is_unread, job_item.c.position.in_(previews)
            )
            new = {
                position: previews[position] for position in connection.scalars(unread)
            }
            if not new:
                return True

            # Save the others, and count their changes.
            lists = (preview.current for preview in new.values())
            digests = put_lists(connection, lists)
            rows: list[Values] = [
                {
                    "at": position,
                    "read_at": preview.read_at,
                    "current_digest": digests[preview.current],
                    "refusal": preview.refusal,
                    "shown": _shown(preview),
                }
                for position, preview in new.items()
            ]
            is_it = sa.and_(is_unread, job_item.c.position == sa.bindparam("at"))
            connection.execute(sa.update(job_item).where(is_it), rows)
            _add(connection, job_id, sum(map(_counts, new.values()), Counter()))
        return True

    def end_item(self, key: str, position: int, results: Iterable[StepResult]) -> None:
        """Save the final results of an item, and mark it as ended.

        If the item has already ended, change nothing.
        """
        is_open = sa.and_(
            job_item.c.job_id == self._id_of(key),
            job_item.c.position == position,
            sa.not_(job_item.c.is_ended),
        )
        end = sa.update(job_item).where(is_open).values(is_ended=True)
        ordered = sorted(results, key=lambda result: result.step.recipient_id)
        with self._database.write() as connection:
            job_id = connection.scalar(end.returning(job_item.c.job_id))
            if job_id is None:
                return

            values = (
                values_of(result.step, job_row)
                | values_of(result, job_row)
                | {"job_id": job_id, "position": position, "number": number}
                for number, result in enumerate(ordered)
            )
            insert_all(connection, job_row, values)

            counts = Counter(OUTCOME_COLUMNS[result.outcome] for result in ordered)
            counts["ended_items"] = 1
            _add(connection, job_id, counts)

    def results(
        self, key: str, *, outcomes: Collection[Outcome] = frozenset(Outcome)
    ) -> Iterator[tuple[JobItem, StepResult]]:
        """Yield the results with one of these outcomes, each with its item.

        They are sorted by the position of the item and by recipient.
        """
        query = self._of_job(job_row, key).where(job_row.c.outcome.in_(outcomes))
        query = query.order_by(job_row.c.number).limit(BATCH)
        place = sa.tuple_(job_row.c.position, job_row.c.number)
        after = (-1, -1)
        while rows := self._database.rows(query.where(place > after)):
            # Read the items of these rows.
            is_of_rows = job_item.c.position.in_({row.position for row in rows})
            item_query = self._of_job(job_item, key).where(is_of_rows)
            items = {item.position: item for item in self._items(item_query)}

            for row in rows:
                step = ChangeStep(row.recipient_id, row.goal)
                result = StepResult(step, row.outcome, message=row.message)
                yield items[row.position], result
            after = (rows[-1].position, rows[-1].number)

    def skipped_rows(
        self, key: str, *, limit: int | None = None
    ) -> tuple[SkippedRow, ...]:
        """Return at most `limit` skipped rows of the list, in order."""
        query = self._of_job(job_skipped_row, key).limit(limit)
        return tuple(
            read_value(SkippedRow, job_skipped_row, row)
            for row in self._database.rows(query)
        )

    def _jobs(self, query: sa.Select[tuple[object, ...]]) -> tuple[Job, ...]:
        rows = self._database.rows(query.where(self._is_here))
        return tuple(_read_job(row) for row in rows)

    def _items(self, query: sa.Select[tuple[object, ...]]) -> tuple[JobItem, ...]:
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            lists = _lists_of(connection, rows)
        return tuple(_read_item(row, lists) for row in rows)

    def _is(self, key: str) -> sa.ColumnElement[bool]:
        return sa.and_(self._is_here, job.c.key == key)

    def _is_alive(self) -> sa.ColumnElement[bool]:
        # Heartbeats have the time of the database, because machines' clocks differ.
        dead_since = self._database.now() - SCAN_DEAD_AFTER
        return sa.and_(job.c.state == JobState.READING, job.c.beat_at >= dead_since)

    def _of_job(self, table: sa.Table, key: str) -> sa.Select[tuple[object, ...]]:
        query = sa.select(table).where(table.c.job_id == self._id_of(key))
        return query.order_by(table.c.position)

    def _id_of(self, key: str) -> sa.ColumnElement[int]:
        return sa.select(job.c.id).where(self._is(key)).scalar_subquery()


def _read_job(row: AnyRow) -> Job:
    counts = {outcome: getattr(row, name) for outcome, name in OUTCOME_COLUMNS.items()}
    outcomes = {outcome: count for outcome, count in counts.items() if count}
    role = None if row.applied_role is None else Role(row.applied_role)
    return read_value(Job, job, row, outcomes=outcomes, applied_role=role)


def _lists_of(
    connection: sa.Connection, rows: Sequence[AnyRow]
) -> dict[str, frozenset[str]]:
    names = ("add_digest", "remove_digest", "exactly_digest", "current_digest")
    return read_lists(
        connection, (getattr(row, name) for row in rows for name in names)
    )


def _read_intent(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> BulkItem:
    return BulkItem(
        item=read_item_key(row),
        add=lists[row.add_digest],
        remove=lists[row.remove_digest],
        exactly=lists.get(row.exactly_digest),
        rows=_read_rows(row.rows),
    )


def _written_rows(intent: BulkItem) -> str:
    """Return the row numbers as they are stored, such as `1,2;7` for two recipients."""
    return ";".join(",".join(map(str, numbers)) for numbers in intent.rows)


def _read_rows(text: str) -> tuple[tuple[int, ...], ...]:
    parts = [part for part in text.split(";") if part]
    return tuple(tuple(map(int, part.split(","))) for part in parts)


def _read_item(row: AnyRow, lists: Mapping[str, frozenset[str]]) -> JobItem:
    intent = _read_intent(row, lists)
    preview = None
    if row.read_at is not None:
        current = lists.get(row.current_digest)
        preview = ItemPreview.of(
            intent, current, read_at=row.read_at, refusal=row.refusal
        )
    return read_value(JobItem, job_item, row, intent=intent, preview=preview)


def _shown(preview: ItemPreview) -> ItemsShown:
    if preview.refusal:
        return ItemsShown.REFUSED
    if preview.is_large_removal:
        return ItemsShown.LARGE_REMOVALS
    if preview.add or preview.remove:
        return ItemsShown.CHANGES
    return ItemsShown.NOTHING_TO_DO


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
    return {
        "waiting_since": outage and outage.since,
        "next_try_at": outage and outage.next_try_at,
    }


def _add(connection: sa.Connection, job_id: int, counts: Mapping[str, int]) -> None:
    values = {name: job.c[name] + count for name, count in counts.items()}
    connection.execute(sa.update(job).where(job.c.id == job_id).values(values))
