"""The commands for many items: `plan`, `apply` and `export`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from item_visibility.bootstrap.open_desk import Use
from item_visibility.cli.contradictions import (
    refuse_contradictions,
    refuse_contradictions_in_export,
)
from item_visibility.cli.interrupted import (
    decide_about_interrupted,
    errors_about,
    interrupted_words,
)
from item_visibility.cli.job_output import (
    finish,
    item_words,
    verified_words,
    wait_for_preview,
)
from item_visibility.cli.shared import (
    EnumChoice,
    environment_option,
    existing_file,
    list_options,
    new_file,
    opened_desk,
    progress,
    reading_options,
    require_new,
    write_new,
)
from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.writer import FileKind
from item_visibility.model.job import NOT_BEGUN, Job, JobItem
from item_visibility.model.words import many, one_line
from item_visibility.timeouts import LOOK_AT_JOB_EVERY_S
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import items_in, known_items, start_export
from item_visibility.use_cases.read_list import read_list, with_clear_columns

WOULD_CHANGE = 2
"""The exit status of `plan` if the list would change something."""

_PAGE = 200
_MAX_IDS = 10


@click.command()
@list_options
def plan(
    *,
    file: Path,
    environment_name: str | None,
    skipped: Path | None,
    **options: Any,  # noqa: ANN401  (as click gives them)
) -> None:
    """Show what `apply` would change.

    FILE has the columns supplier, item, recipient and, optionally, action.

    The exit status is 0 if nothing would change, 2 if something would change, and 1
    after an error.
    """
    refuse_contradictions(options, skipped=skipped)
    with (
        opened_desk(environment_name, Use.LOOK) as desk,
        _noting_interrupted(desk.bulk),
        _previewed(desk, file, skipped, options) as job,
    ):
        _raise_if_refused(job, file)
    click.echo(
        "Nothing would change." if job.is_nothing_to_do else "Nothing was changed yet."
    )
    raise click.exceptions.Exit(0 if job.is_nothing_to_do else WOULD_CHANGE)


@click.command()
@list_options
@click.option(
    "--yes",
    is_flag=True,
    help="Do not ask. Large removals still need --confirm-removals.",
)
@click.option(
    "--confirm-removals",
    type=click.IntRange(min=1),
    help="Confirm large removals with the number of recipients that the plan shows.",
)
@click.option(
    "--resume",
    "is_to_resume",
    is_flag=True,
    help="Finish an earlier apply that was interrupted, then apply FILE.",
)
@click.option(
    "--drop",
    "is_to_drop",
    is_flag=True,
    help="Give up an earlier apply that was interrupted, then apply FILE.",
)
@click.option("--reason", default="", help="The reason, for the history.")
@click.option(
    "--failed",
    type=new_file,
    callback=require_new,
    help="A new .xlsx for the rows that failed. You can apply it unchanged.",
)
def apply(  # noqa: PLR0913  (one argument an option)
    *,
    file: Path,
    environment_name: str | None,
    yes: bool,
    confirm_removals: int | None,
    is_to_resume: bool,
    is_to_drop: bool,
    reason: str,
    failed: Path | None,
    skipped: Path | None,
    **options: Any,  # noqa: ANN401  (as click gives them)
) -> None:
    """Show and apply the changes in FILE.

    It has the columns supplier, item, recipient and optionally action.

    The exit status is 0 only if every row is verified or was already in place,
    otherwise 1. If an earlier apply of yours was interrupted, the command asks first
    whether to continue or to drop it.
    """
    refuse_contradictions(
        options, skipped=skipped, failed=failed, confirm_removals=confirm_removals
    )
    if is_to_resume and is_to_drop:
        raise click.UsageError("--resume and --drop exclude each other.")
    with opened_desk(environment_name, Use.COMMAND) as desk:
        desk.environment.refuse_when_read_only()
        has_continued = decide_about_interrupted(
            desk.bulk,
            file.name,
            is_to_resume=is_to_resume,
            is_to_drop=is_to_drop,
            failed=failed,
        )
        with (
            errors_about(file.name, is_after_another=has_continued),
            _previewed(desk, file, skipped, options) as job,
        ):
            if job.is_nothing_to_do:
                _raise_if_refused(job, file)
                click.echo(f"Nothing to change: {verified_words(job)}")
                return
            count = _confirmed_count(job, file, confirm_removals, is_confirmed=yes)
            desk.bulk.apply(job.key, confirmed_count=count, reason=reason)
            if not finish(desk.bulk, job.key, failed):
                raise click.exceptions.Exit(1)


@click.command()
@environment_option
@click.option(
    "--supplier",
    help="Export all known items of this supplier. With --items, every row gets this "
    "supplier.",
)
@click.option(
    "--items",
    "list_file",
    type=existing_file,
    help="Export the items in this file, with the columns supplier and item.",
)
@reading_options
@click.option(
    "--format",
    "kind",
    type=EnumChoice(FileKind),
    required=True,
    help="xlsx is safe in a spreadsheet; csv is for programs.",
)
@click.option(
    "-o",
    "file",
    type=new_file,
    callback=require_new,
    required=True,
    help="The file to create.",
)
def export(  # noqa: PLR0913  (one argument an option)
    *,
    environment_name: str | None,
    supplier: str | None,
    list_file: Path | None,
    kind: FileKind,
    file: Path,
    columns: tuple[str, ...],
    **options: Any,  # noqa: ANN401  (as click gives them)
) -> None:
    """Read the recipients of many items from the service, and write them to a new file.

    Without --supplier and --items, export all known items.
    """
    refuse_contradictions_in_export(
        options | {"columns": columns}, list_file=list_file, kind=kind, file=file
    )
    with opened_desk(environment_name, Use.LOOK) as desk:
        if list_file is None:
            items = known_items(desk, supplier)
        else:
            brought = BulkList.read(list_file.read_bytes(), **options)
            brought = with_clear_columns(brought, columns, desk.names.names_of)
            items = items_in(brought, supplier=supplier)
        exported = start_export(desk, items, kind)
        with progress(len(items), "Reading") as advance:
            while not exported.has_ended:
                time.sleep(LOOK_AT_JOB_EVERY_S)
                advance(exported.read)
    if exported.error is not None:
        raise exported.error
    write_new(file, exported.content)
    click.echo(
        f"{many(exported.rows, 'row')} of {many(len(items), 'item')}: written to "
        f"{file}."
    )
    if exported.unseen_items:
        click.echo(
            "Items left out of the file because they have no recipients: "
            f"{exported.unseen_items:,}."
        )


def _confirmed_count(
    job: Job, file: Path, confirm_removals: int | None, *, is_confirmed: bool
) -> int | None:
    """Let the user confirm the plan, unless the options already do.

    Return the number that confirms large removals, or None if there are none. Raises
    ClickException after a no.
    """
    if job.removals_to_confirm:
        if confirm_removals is not None or is_confirmed:
            return confirm_removals
        question = f"Type {job.removals_to_confirm} to confirm the removals"
        return int(click.prompt(question, type=int))
    if not is_confirmed and not click.confirm("Apply?"):
        raise click.ClickException(f"Nothing of {one_line(file.name)} was sent.")
    return None


@contextmanager
def _noting_interrupted(bulk: BulkDesk) -> Iterator[None]:
    """Say on stderr which earlier applies were interrupted. They are left alone."""
    for job in bulk.interrupted():
        click.echo(
            f"{interrupted_words(job)} The next apply asks what to do.", err=True
        )
    yield


@contextmanager
def _previewed(
    desk: Desk, file: Path, skipped: Path | None, options: dict[str, Any]
) -> Iterator[Job]:
    """Read the list, print the plan, and yield its job.

    Cancel the job if it was not applied.
    """
    wanted, notes = read_list(desk.names.names_of, file.read_bytes(), **options)
    for note in notes:
        click.echo(one_line(note))

    bulk = desk.bulk
    key = bulk.start_preview(wanted.items, title=file.name, skipped=wanted.skipped)
    try:
        previewed = wait_for_preview(bulk, key)
        for line in _plan_lines(bulk, previewed):
            click.echo(line)
        if skipped is not None and wanted.skipped:
            write_new(skipped, bulk.write_skipped(key, FileKind.XLSX))
            click.echo(f"The rows that were skipped were written to {skipped}.")
        yield previewed
    finally:
        job = bulk.store.job(key)
        if job is not None and job.state in NOT_BEGUN:
            bulk.cancel(key)


def _plan_lines(bulk: BulkDesk, job: Job) -> Iterator[str]:
    not_listed = 0
    after = -1
    while page := bulk.store.items(job.key, after=after, limit=_PAGE):
        for item in page:
            yield from _item_lines(item)
            not_listed += _count_not_listed(item)
        after = page[-1].position

    yield (
        f"{many(job.item_count, 'item')}: {job.nothing_to_do:,} already as in the list,"
        f" {job.changing:,} to change, {job.refused:,} refused."
    )
    yield (
        f"Recipients to add: {job.to_add:,}; to remove: {job.to_remove:,};"
        f" already in place: {job.in_place:,}."
    )
    if not_listed:
        yield f"Not in the list: {many(not_listed, 'recipient')}, kept."
    if job.removals_to_confirm:
        yield (
            f"LARGE REMOVALS: {many(job.removals_to_confirm, 'recipient')} would be"
            f" removed from {many(job.large_removals, 'item')}. To confirm:"
            f" --confirm-removals {job.removals_to_confirm}."
        )


def _item_lines(item: JobItem) -> Iterator[str]:
    """Yield what would change in an item, or nothing if it stays as it is."""
    preview = item.preview
    if preview and (preview.add or preview.remove or preview.refusal):
        yield item_words(item.intent.item)
        yield from _change_lines("add", preview.add)
        yield from _change_lines("remove", preview.remove)
    if preview and preview.refusal:
        yield f"    refused {one_line(preview.refusal)}"


def _count_not_listed(item: JobItem) -> int:
    """Count the recipients that an item keeps although its rows do not name them."""
    intent = item.intent
    if item.preview is None or intent.exactly is not None or not intent.add:
        return 0
    current = item.preview.current or frozenset()
    return len(current - intent.add - intent.remove)


def _change_lines(action: str, ids: frozenset[str]) -> Iterator[str]:
    if not ids:
        return
    words = ", ".join(one_line(recipient_id) for recipient_id in sorted(ids)[:_MAX_IDS])
    if len(ids) > _MAX_IDS:
        words += f", and {len(ids) - _MAX_IDS:,} more"
    yield f"    {action:8}{words}"


def _raise_if_refused(job: Job, file: Path) -> None:
    if job.refused:
        refused = many(job.refused, "item")
        raise click.ClickException(
            f"Refused, see above: {refused}. Nothing of {one_line(file.name)} was sent."
        )
