"""Jobs as they are kept."""

from collections.abc import Iterator
from datetime import datetime

from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import Job, JobState


def a_job(key: str, *, created_at: datetime, state: JobState = JobState.PREVIEWED) -> Job:
    """A new job."""
    return Job(
        key=key,
        title="List.xlsx",
        person="ann",
        reason="",
        state=state,
        created_at=created_at,
        item_count=0,
    )


class BrokenError(Exception):
    """Something went wrong while a job was kept."""


def broken_off(*items: BulkItem) -> Iterator[BulkItem]:
    """Items that come to an end too soon."""
    yield from items
    raise BrokenError
