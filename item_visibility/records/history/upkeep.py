"""Upkeep of our own records: removes old entries, and makes a backup while the program runs."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy import Column, ColumnElement, Table, and_, delete, func, or_, select, text, union
from sqlalchemy.engine import make_url

from item_visibility.changes.job import FINISHED, NOT_BEGUN
from item_visibility.errors import RecordsError
from item_visibility.records.database.connecting import Database
from item_visibility.records.database.private_files import open_new_private
from item_visibility.records.database.tables import history, recipient_list, seen_list
from item_visibility.records.database.told_errors import ADVICE
from item_visibility.records.jobs.job_tables import job, job_item, job_row
from item_visibility.records.scans.scan_tables import earlier_list

PIECE = 10_000
"""The number of entries removed in one transaction, so that a waiting save waits only a moment."""


class HistoryUpkeep:
    """Removes old entries of one service. Open saves and jobs under way stay, however old they are."""

    def __init__(self, database: Database, *, service: str) -> None:
        self._database = database
        self._service = service

    def count_before(self, moment: datetime) -> int:
        """Count the entries that were begun before that moment and have ended."""
        return self._count(self._is_old(moment))

    def remove_before(self, moment: datetime) -> int:
        """Remove these entries and the lists no longer in use; return the number of entries removed."""
        removed = self._remove(history, history.c.id, self._is_old(moment))
        self._remove_unused_lists()
        return removed

    def count_jobs_before(self, moment: datetime) -> int:
        """Count the bulk jobs that ended before that moment, or were previewed by then and never applied."""
        return self._count(self._is_old_job(moment))

    def remove_jobs_before(self, moment: datetime) -> int:
        """Remove these jobs with their items and rows; return the number of jobs removed."""
        old = self._database.rows(select(job.c.id).where(self._is_old_job(moment)))
        for one in old:
            for table in (job_row, job_item):
                self._remove(table, table.c.position, table.c.job_id == one.id)
            self._database.change(delete(job).where(job.c.id == one.id))
        self._remove_unused_lists()
        return len(old)

    def _count(self, is_one: ColumnElement[bool]) -> int:
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).where(is_one)) or 0

    def _remove(self, table: Table, column: Column[int], is_one: ColumnElement[bool]) -> int:
        """Remove these rows, a piece of the values of a column at a time; return their number."""
        some = select(column).where(is_one).limit(PIECE)
        removed = 0
        while count := self._database.change(delete(table).where(is_one, column.in_(some))):
            removed += count
        return removed

    def _is_old_job(self, moment: datetime) -> ColumnElement[bool]:
        is_stopped = or_(job.c.state.is_(None), job.c.state.in_(NOT_BEGUN | FINISHED))
        is_old = func.coalesce(job.c.ended_at, job.c.created_at) < moment
        return and_(job.c.service == self._service, is_stopped, is_old)

    def _is_old(self, moment: datetime) -> ColumnElement[bool]:
        is_over = history.c.ended_at.is_not(None)
        return and_(history.c.service == self._service, history.c.started_at < moment, is_over)

    def _remove_unused_lists(self) -> None:
        of_jobs = (column for column in job_item.c if column.name.endswith("_digest"))
        of_entries = (history.c.before_digest, history.c.after_digest)
        used = (*of_entries, seen_list.c.list_digest, earlier_list.c.list_digest, *of_jobs)
        is_unused = (recipient_list.c.digest.not_in(select(one).where(one.is_not(None))) for one in used)
        with self._database.write() as connection:
            if connection.dialect.name == "postgresql":  # no save may start to use one meanwhile
                connection.execute(text("LOCK TABLE recipient_list IN SHARE ROW EXCLUSIVE MODE"))
            connection.execute(delete(recipient_list).where(*is_unused))


def recorded_services(database: Database) -> frozenset[str]:
    """Return the services of which saves or bulk jobs are on record."""
    with database.read() as connection:
        return frozenset(connection.scalars(union(select(history.c.service), select(job.c.service))))


def back_up(database_url: str, target: Path) -> None:
    """Copy the SQLite file to a new file, complete and consistent, even while the program saves.

    Raises RecordsError for PostgreSQL, which has its own tools, and when the copy cannot be made.
    """
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite":
        raise RecordsError(
            "The dashboard's own database is PostgreSQL, which is not copied from here.",
            advice="Use pg_dump, or the backups of your database service.",
        )
    try:
        source = Path(url.database or "").resolve(strict=True).as_uri()
        open_new_private(target).close()
    except FileExistsError:
        raise RecordsError(
            f"{target} is there already.", advice="Name a file that is not there yet."
        ) from None
    except OSError as error:
        raise _not_copied(error) from None
    try:
        with (
            closing(sqlite3.connect(f"{source}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new)
    except (OSError, sqlite3.Error) as error:
        target.unlink(missing_ok=True)
        raise _not_copied(error) from None


def _not_copied(error: Exception) -> RecordsError:
    return RecordsError(f"The copy could not be made: {error}", advice=ADVICE)
