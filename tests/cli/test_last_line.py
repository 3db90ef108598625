"""The last line about a job."""

from collections.abc import Mapping
from datetime import datetime

import pytest

from item_visibility.cli.plan_and_apply import last_line
from item_visibility.saving.job import Job, JobState
from item_visibility.saving.outcome import Outcome
from tests.support.fake_visibilities import START

VERIFIED, NOT_CONFIRMED = Outcome.DONE, Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("state", "outcomes", "started_at", "words"),
    [
        (JobState.PREVIEWED, {}, None, "Nothing was changed: "),
        (JobState.CANCELLED, {}, None, "Nothing was changed: "),
        (JobState.CANCELLED, {}, START, "It is not known whether everything is done: "),
        (JobState.PAUSED, {VERIFIED: 1}, START, "It is not known whether everything is done: "),
        (JobState.ENDED, {VERIFIED: 1, Outcome.IN_PLACE: 1}, START, "Verified: "),
        (JobState.ENDED, {VERIFIED: 1, Outcome.REFUSED: 1}, START, "Not done: "),
        (
            JobState.ENDED,
            {NOT_CONFIRMED: 1, Outcome.REFUSED: 1},
            START,
            "It is not known whether everything is done: ",
        ),
        (JobState.ENDED, {NOT_CONFIRMED: 0, Outcome.REFUSED: 1}, START, "Nothing was changed: "),
        (JobState.ENDED, {Outcome.NOT_SENT: 2}, START, "Nothing was changed: "),
    ],
)
def test_a_job_is_claimed_as_far_as_it_is_known(
    state: JobState, outcomes: Mapping[Outcome, int], started_at: datetime | None, words: str
) -> None:
    """Of a job that was stopped while it worked nobody knows what was under way."""
    job = Job(
        key="j",
        title="",
        person="ann",
        reason="",
        state=state,
        created_at=START,
        item_count=1,
        outcomes=outcomes,
        started_at=started_at,
    )
    assert last_line(job).startswith(words)
