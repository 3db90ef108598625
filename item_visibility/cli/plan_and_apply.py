"""The commands `item-visibility plan` and `apply`: what a list would change, and doing it."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Unpack

import click

from item_visibility.access.access import command_line_user
from item_visibility.bootstrap.open_desk import open_desk, open_desk_to_look
from item_visibility.cli.desired_list import ListOptions, ReadList, drifts, read_list
from item_visibility.cli.job_text import (
    MOST_LINES,
    claim_line,
    complaint_lines,
    plan_lines,
    result_lines,
    what_is_so,
)
from item_visibility.cli.new_files import new_file
from item_visibility.cli.shared_options import OfList, StatusCommand, of_list, read_our_settings, rows_file
from item_visibility.cli.terminal import printable, tell_address, told_or_else
from item_visibility.cli.wait_for_job import job_of, wait_for_job, wait_for_preview
from item_visibility.saving.claim import Claim, claim_of_job
from item_visibility.saving.in_words import many
from item_visibility.saving.job import FAILED, NOT_BEGUN, Job
from item_visibility.storage.jobs.preview_rows import PreviewSummary
from item_visibility.use_cases.bulk.jobs import BulkDesk
from item_visibility.use_cases.table_files import FileKind

WOULD_CHANGE = 2
"""The status of a plan by which something would change."""
_skipped_file = rows_file("--skipped", "An .xlsx for the rows that were skipped, each with its reason.")


@click.command(cls=StatusCommand)
@of_list
@_skipped_file
@click.pass_context
def plan(
    ctx: click.Context,
    *,
    file: Path,
    environment_name: str | None,
    skipped: Path | None,
    **options: Unpack[OfList],
) -> None:
    """Say what `apply` would change, to make so what FILE says (supplier, item, recipient; action).

    Status 0 when nothing would change, 2 when something would, 1 on an error.
    """
    with closing(open_desk_to_look(read_our_settings(), environment_name, person=command_line_user)) as desk:
        tell_address(desk.address.change, desk.environment)
        wanted = _read(desk.bulk, file, ListOptions(**options))
        with _previewed(desk.bulk, file, wanted) as key:
            summary = _told_plan(desk.bulk, key)
            _write_skipped(desk.bulk, key, wanted, skipped)
    if summary.refused:
        raise click.ClickException(f"Refused, see above: {many(summary.refused, 'item')}.")
    click.echo("Nothing would change." if summary.is_nothing_to_do else "Nothing was changed yet.")
    ctx.exit(0 if summary.is_nothing_to_do else WOULD_CHANGE)


@click.command(cls=StatusCommand)
@of_list
@click.option("--yes", is_flag=True, help="Do not ask. Large removals need --confirm-removals all the same.")
@click.option(
    "--confirm-removals",
    type=click.IntRange(min=1),
    help="How many recipients large removals take away, as the plan says it.",
)
@click.option("--reason", default="", help="Why, for the history.")
@rows_file("--failed", "An .xlsx for the rows that did not end as asked; it can be applied as it is.")
@_skipped_file
def apply(  # noqa: PLR0913  (one argument an option)
    *,
    file: Path,
    environment_name: str | None,
    yes: bool,
    confirm_removals: int | None,
    reason: str,
    failed: Path | None,
    skipped: Path | None,
    **options: Unpack[OfList],
) -> None:
    """Make so what FILE says (supplier, item, recipient; action), after a look at the plan.

    Status 0 only when every row is verified or was already in place; else 1.
    When the command is stopped, the job can be resumed on the page Bulk.
    """
    with closing(open_desk(read_our_settings(), environment_name, person=command_line_user)) as desk:
        tell_address(desk.address.change, desk.environment)
        desk.environment.refuse_when_read_only()
        wanted = _read(desk.bulk, file, ListOptions(**options))
        with _previewed(desk.bulk, file, wanted) as key:
            summary = _told_plan(desk.bulk, key)
            _write_skipped(desk.bulk, key, wanted, skipped)
            if summary.is_nothing_to_do:
                _end_with_nothing(summary, job_of(desk.bulk, key))
                return
            count = _confirmed(summary, yes=yes, confirm_removals=confirm_removals)
            desk.bulk.apply(key, confirmed_count=count, reason=reason)
            with told_or_else("The job is not lost: see the page Bulk."):
                job = _followed(desk.bulk, key)
        with told_or_else(f"The job is {job.state.value}: the page Bulk shows how its rows ended."):
            _end_with(desk.bulk, job, failed)


def _read(bulk: BulkDesk, file: Path, options: ListOptions) -> ReadList:
    """Read what the file asks for. If there are complaints, print them all and apply nothing."""
    wanted = read_list(bulk, file.read_bytes(), options)
    for line in wanted.notes:
        click.echo(printable(line))
    for line in complaint_lines(wanted.complaints):
        click.echo(line, err=True)
    if wanted.complaints:
        raise click.ClickException(
            f"{file} is not taken: {many(len(wanted.complaints), 'complaint')}, see above.\n"
            "Nothing was sent. Correct them in the file; for damaged ids there are"
            " --accept-suggestions and --as-is."
        )
    return wanted


@contextmanager
def _previewed(bulk: BulkDesk, file: Path, wanted: ReadList) -> Iterator[str]:
    """Yield a job with everything read. Cancel it afterwards if it was not applied."""
    key = bulk.start_preview(wanted.items, title=file.name, skipped=wanted.skipped)
    try:
        wait_for_preview(bulk, key, sleep=time.sleep)
        yield key
    finally:
        job = bulk.store.job(key)
        if job is not None and job.state in NOT_BEGUN:
            bulk.cancel(key)


def _told_plan(bulk: BulkDesk, key: str) -> PreviewSummary:
    """Print the plan and return its summary. If it cannot be printed, nothing is applied."""
    summary = bulk.summary(key)
    with told_or_else("Nothing was sent."):
        for line in plan_lines(drifts(bulk, key), summary):
            click.echo(line)
    return summary


def _confirmed(summary: PreviewSummary, *, yes: bool, confirm_removals: int | None) -> int | None:
    """Return the number of removals that somebody confirmed; None if none has to be."""
    count = summary.removals_to_confirm
    if not count:
        if not yes and not click.confirm("Apply?"):
            raise click.ClickException("Nothing was sent.")
        return None
    if yes or confirm_removals is not None:
        typed = confirm_removals
    else:
        typed = click.prompt(f"Type {count} to take them away", type=int)
    if typed != count:
        raise click.ClickException(
            f"Large removals take away {many(count, 'recipient')}, and that number was not given.\n"
            f"Nothing was sent. If that is meant, give --confirm-removals {count}."
        )
    return count


def _followed(bulk: BulkDesk, key: str) -> Job:
    """Follow the job until it has ended or was stopped, and return it. Ctrl-C pauses it."""
    try:
        return wait_for_job(bulk, key, sleep=time.sleep)
    except KeyboardInterrupt:
        bulk.pause(key)
        raise click.ClickException(
            "The job is paused. Resume it on the page Bulk, or run the command again."
        ) from None


def _end_with_nothing(summary: PreviewSummary, job: Job) -> None:
    if summary.refused:
        raise click.ClickException(f"Refused, see above: {many(summary.refused, 'item')}. Nothing was sent.")
    click.echo(f"Nothing to change: {what_is_so(job)}")


def _end_with(bulk: BulkDesk, job: Job, failed: Path | None) -> None:
    rows = bulk.results.page(job.key, outcomes=FAILED, limit=MOST_LINES)
    for line in result_lines(job, rows):
        click.echo(line)
    if failed is not None and rows:
        content = bulk.results.write(job.key, FileKind.XLSX, outcomes=FAILED)
        _write(failed, content, which="did not end as asked", otherwise="Download the rows on the page Bulk.")
    if claim_of_job(job) is not Claim.VERIFIED:
        raise click.ClickException(claim_line(job))
    click.echo(claim_line(job))


def _write_skipped(bulk: BulkDesk, key: str, wanted: ReadList, skipped: Path | None) -> None:
    if skipped is not None and wanted.skipped:
        content = bulk.results.write_skipped(key, FileKind.XLSX)
        _write(skipped, content, which="were skipped", otherwise="Give --skipped another file.")


def _write(file: Path, content: bytes, *, which: str, otherwise: str) -> None:
    """Write the rows. If that fails now, the command goes on to its end and says what is so."""
    try:
        with new_file(file) as target:
            target.write(content)
    except click.ClickException as error:
        click.echo(f"{error.message} {otherwise}", err=True)
    else:
        click.echo(f"The rows that {which} were written to {file}.")
