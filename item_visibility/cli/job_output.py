"""Waits for a job in a terminal, and prints its progress and its result."""

import time
from pathlib import Path

import click

from item_visibility.cli.shared import progress, write_new
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import NotPossibleError
from item_visibility.lists.writer import FileKind
from item_visibility.model.job import (
    FAILED,
    NOT_BEGUN,
    ROW_WORDS,
    UNDER_WAY,
    Job,
    JobState,
)
from item_visibility.model.words import many, one_line
from item_visibility.timeouts import LOOK_AT_JOB_EVERY_S
from item_visibility.use_cases.bulk import BulkDesk

MAX_LINES = 50
"""A command prints at most this many failed rows."""
HOW_TO_CONTINUE = (
    "The next apply asks whether to continue or to drop it; --resume and --drop answer"
    " that."
)


def finish(bulk: BulkDesk, key: str, failed: Path | None) -> bool:
    """Wait until the job has ended, and print its result.

    Return True if every row is verified.

    Ctrl-C pauses the job and raises ClickException.
    """
    try:
        ended = wait(bulk, key, "Saving")
    except KeyboardInterrupt:
        bulk.pause(key)
        raise click.ClickException(f"The job is paused. {HOW_TO_CONTINUE}") from None
    print_result(bulk, ended, failed)
    return ended.is_verified


def wait_for_preview(bulk: BulkDesk, key: str) -> Job:
    """Wait until all items have been read.

    Raises NotPossibleError if some could not be read.
    """
    job = wait(bulk, key, "Reading")
    if job.state is not JobState.PREVIEWED or job.unread:
        raise NotPossibleError(
            f"{job.unread:,} of {many(job.item_count, 'item')} could not be read. "
            f"{job.message}".rstrip(),
            advice="Nothing was sent. Run the command again.",
        )
    return job


def wait(bulk: BulkDesk, key: str, label: str) -> Job:
    """Wait until the preview or the job has ended or was stopped.

    Print each new reason for a delay.

    Raises NotPossibleError if this process cannot continue the job.
    """
    printed = ""
    with progress(bulk.job(key).item_count, label) as advance:
        while True:
            # Look at the job after this, so that its state is not older.
            is_at_work = bulk.engine.is_at_work(key) or bulk.dispatcher.is_at_work(key)
            job = bulk.job(key)
            advance(job.read_items if job.state in NOT_BEGUN else job.ended_items)

            if not is_at_work and job.state in UNDER_WAY:
                reason = f"The job was interrupted. {bulk.dispatcher.trouble}".rstrip()
                raise NotPossibleError(reason, advice=HOW_TO_CONTINUE)
            if not is_at_work:
                return job

            reason = bulk.dispatcher.trouble or job.message
            if reason not in {"", printed}:
                printed = reason
                click.echo(one_line(reason), err=True)
            time.sleep(LOOK_AT_JOB_EVERY_S)


def print_result(bulk: BulkDesk, job: Job, failed: Path | None) -> None:
    """Print the rows that failed, the counts, and whether everything is verified.

    Write the `failed` rows.
    """
    # Rows that failed.
    rows = tuple(bulk.results(job.key, outcomes=FAILED, limit=MAX_LINES))
    for row in rows:
        place = item_words(row.intent.item)
        if row.recipient_id is not None:
            place += f" / {one_line(row.recipient_id)}"
        words = f"{ROW_WORDS[row.outcome]}. {one_line(row.message)}".rstrip()
        click.echo(f"{place}: {words}")
    if job.failed > len(rows):
        click.echo(f"… and {job.failed - len(rows):,} more.")

    # Counts.
    ended = f"{job.ended_items:,} of {many(job.item_count, 'item')}"
    click.echo(f"{ended}: {job.rows_in_words or 'no row has ended'}.")

    # The verdict.
    if job.is_verified:
        click.echo(f"Verified: {verified_words(job)}")
    else:
        why = f"the job is {job.state}"
        if job.state is JobState.ENDED:
            why = "some rows failed"
        click.echo(one_line(f"Not verified: {why}. {job.message}".rstrip()), err=True)

    if failed is not None and rows:
        write_new(failed, bulk.write_results(job.key, FileKind.XLSX, outcomes=FAILED))
        click.echo(f"The rows that failed were written to {failed}.")


def verified_words(job: Job) -> str:
    """Return the sentence about a job without failures."""
    if not job.skipped:
        return "everything is as in the list."
    return (
        "all other rows are as in the list."
        f" Skipped, as requested: {many(job.skipped, 'row')}."
    )


def item_words(item: ItemKey) -> str:
    """Return the ids of an item for the terminal."""
    return f"{one_line(item.supplier)} / {one_line(item.supplier_item_id)}"
