"""Jobs as they are kept."""

from dataclasses import replace
from typing import Any

from item_visibility.saving.job import Job, JobState
from tests.support.fake_visibilities import START


def a_job(key: str = "job-1", **fields: Any) -> Job:  # noqa: ANN401  (those of a job)
    """Return a previewed job without an item, unless `fields` say otherwise."""
    job = Job(
        key=key,
        title="List.xlsx",
        person="ann",
        reason="",
        state=JobState.PREVIEWED,
        created_at=START,
        item_count=0,
    )
    return replace(job, **fields)
