"""Jobs as they are kept."""

from datetime import datetime

from item_visibility.saving.job import Job, JobState


def a_job(key: str, *, created_at: datetime, state: JobState = JobState.PREVIEWED) -> Job:
    return Job(
        key=key,
        title="List.xlsx",
        person="ann",
        reason="",
        state=state,
        created_at=created_at,
        item_count=0,
    )
