"""The jobs that are to change one item and have not ended: begun, waiting, or only previewed."""

from dataclasses import dataclass

from sqlalchemy import and_, not_, select

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkItem
from item_visibility.changes.job import FINISHED, Job, JobState
from item_visibility.records.database.connecting import Database
from item_visibility.records.jobs.job_rows import lists_of, read_intent, read_job
from item_visibility.records.jobs.job_tables import job, job_item

_MOST_JOBS = 50
"""So many of the newest unfinished jobs are looked at: a job's items have no index by their ids."""


@dataclass(frozen=True, slots=True)
class ItemInJob:
    """A job that has not ended, and what it is to do to the item."""

    job: Job
    intent: BulkItem


class ItemInJobs:
    """The jobs of one environment at one service, looked up by item."""

    def __init__(self, database: Database, *, service: str, environment: str) -> None:
        self._database = database
        self._is_here = and_(job.c.service == service, job.c.environment == environment)

    def unfinished(self, item: ItemKey) -> tuple[ItemInJob, ...]:
        """Return the jobs that are still to work on the item, the newest first."""
        states = frozenset(JobState) - FINISHED
        newest = select(job).where(self._is_here, job.c.state.in_(states)).order_by(job.c.id.desc())
        with self._database.read() as connection:
            jobs = {row.id: read_job(row) for row in connection.execute(newest.limit(_MOST_JOBS))}
            is_item = and_(
                job_item.c.supplier == item.supplier, job_item.c.supplier_item_id == item.supplier_item_id
            )
            query = (
                select(job_item)
                .where(job_item.c.job_id.in_(list(jobs)), is_item, not_(job_item.c.is_ended))
                .order_by(job_item.c.job_id.desc())
            )
            rows = connection.execute(query).all()
            lists = lists_of(connection, rows)
        return tuple(ItemInJob(jobs[row.job_id], read_intent(row, lists)) for row in rows)
