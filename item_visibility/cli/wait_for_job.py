"""Follows a job in the foreground, from its preview to its end, for whoever started it."""

from collections.abc import Callable

import click

from item_visibility.cli.terminal import printable, progress
from item_visibility.errors import BulkError
from item_visibility.saving.in_words import many
from item_visibility.saving.job import UNDER_WAY, Job, JobState
from item_visibility.timeouts import LOOK_AT_JOB_EVERY_S, LOOKS_UNTIL_JOB_BEGINS
from item_visibility.use_cases.bulk.jobs import BulkDesk


def wait_for_preview(bulk: BulkDesk, key: str, *, sleep: Callable[[float], None]) -> None:
    """Wait until every item was read, or nobody reads any more. BulkError when not every one was read."""
    job = job_of(bulk, key)
    with progress(job.item_count, "Reading") as advance:
        is_read = True
        while (job := job_of(bulk, key)).state is JobState.READING and is_read:
            advance(job.read_items)
            sleep(LOOK_AT_JOB_EVERY_S)
            is_read = bulk.previews.is_running(key)
        advance(job.read_items)
    unread = job.item_count - job.read_items
    if job.state is not JobState.PREVIEWED or unread:
        raise BulkError(
            f"{unread:,} of {many(job.item_count, 'item')} could not be read. {job.message}".rstrip(),
            advice="Nothing was sent. Run the command again.",
        )


def wait_for_job(bulk: BulkDesk, key: str, *, sleep: Callable[[float], None]) -> Job:
    """Wait until the job has ended or somebody has stopped it. Return its state then.

    The reason for a wait is told once.
    """
    job = job_of(bulk, key)
    looks, told = 0, ""
    with progress(job.item_count, "Saving") as advance:
        while (job := job_of(bulk, key)).state in UNDER_WAY:
            looks += 1
            advance(job.ended_items)
            why = _why_it_waits(bulk, job, looks)
            if why not in {"", told}:
                told = why
                click.echo(told, err=True)
            sleep(LOOK_AT_JOB_EVERY_S)
        advance(job.ended_items)
    return job


def _why_it_waits(bulk: BulkDesk, job: Job, looks: int) -> str:
    if job.state is JobState.QUEUED and looks > LOOKS_UNTIL_JOB_BEGINS:
        return bulk.dispatcher.trouble or "The job waits for others that were applied before it."
    return printable(job.message) if job.state is JobState.WAITING else ""


def job_of(bulk: BulkDesk, key: str) -> Job:
    """Return the job. BulkError when it is not there any more."""
    job = bulk.store.job(key)
    if job is None:
        raise BulkError("The job is not there any more.", advice="See the history for what was done.")
    return job
