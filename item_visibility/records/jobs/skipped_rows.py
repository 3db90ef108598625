"""The skipped rows of a job's list, saved with the job so that its result shows them too."""

from collections.abc import Iterable
from itertools import count, islice

from sqlalchemy import ColumnElement, Connection, insert, select

from item_visibility.changes.job import SkippedRow
from item_visibility.records.ground.connecting import Database
from item_visibility.records.jobs.job_tables import job_skipped_row

PIECE = 1_000
"""The number of rows saved at once, so that no writer waits long."""


def save_skipped_rows(database: Database, job_id: int | None, rows: Iterable[SkippedRow]) -> int:
    """Save the skipped rows of a job, in pieces; return their number."""
    numbered = (
        {
            "job_id": job_id,
            "number": row.number,
            "supplier": row.supplier,
            "supplier_item_id": row.supplier_item_id,
            "recipients": row.recipients,
            "action": row.action,
            "reason": row.reason,
        }
        for row in rows
    )
    positions = count()
    kept = 0
    while some := [row | {"position": next(positions)} for row in islice(numbered, PIECE)]:
        with database.write() as connection:
            connection.execute(insert(job_skipped_row), some)
        kept += len(some)
    return kept


def read_skipped_rows(
    connection: Connection, job_id: ColumnElement[int], *, after: int, limit: int
) -> tuple[SkippedRow, ...]:
    """Return the skipped rows of the job after position `after`, in order."""
    query = (
        select(job_skipped_row)
        .where(job_skipped_row.c.job_id == job_id, job_skipped_row.c.position > after)
        .order_by(job_skipped_row.c.position)
        .limit(limit)
    )
    return tuple(
        SkippedRow(
            number=row.number,
            supplier=row.supplier,
            supplier_item_id=row.supplier_item_id,
            recipients=row.recipients,
            action=row.action,
            reason=row.reason,
        )
        for row in connection.execute(query)
    )
