"""The commands for many items: `plan`, `apply` and `export`."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
    MAX_LINES,
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
from item_visibility.lists.bulk_list import BulkList, Decisions, Understood
from item_visibility.lists.damaged_ids import (
    NEVER_IDS,
    DamageKind,
    Finding,
    find_damage,
)
from item_visibility.lists.headings import (
    Fixed,
    Layout,
    columns_with_known_ids,
    has_headings,
    has_known_headings,
    unread_words,
)
from item_visibility.lists.reader import Encoding
from item_visibility.lists.table import (
    HiddenCells,
    Table,
    TableRow,
    column_letters,
    cut,
    hidden_words,
    unchanged,
)
from item_visibility.lists.writer import FileKind
from item_visibility.model.job import NOT_BEGUN, BulkAction, Job
from item_visibility.model.known_ids import Kind, Names
from item_visibility.model.words import many, one_line
from item_visibility.timeouts import LOOK_AT_JOB_EVERY_S
from item_visibility.use_cases.bulk import BulkDesk
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import items_in, known_items, start_export

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
            count = None
            if job.removals_to_confirm:
                count = confirm_removals
                if count is None and not yes:
                    count = click.prompt(
                        f"Type {job.removals_to_confirm} to confirm the removals",
                        type=int,
                    )
            elif not yes and not click.confirm("Apply?"):
                raise click.ClickException(
                    f"Nothing of {one_line(file.name)} was sent."
                )
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
            brought = _with_columns(brought, columns, desk.names.names_of)
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


def read_list(
    known: Callable[[Kind], Names],
    content: bytes,
    *,
    encoding: Encoding = Encoding.UTF_8,
    sheet: str | None = None,
    hidden: HiddenCells | None = None,
    columns: tuple[str, ...] = (),
    ignored: tuple[str, ...] = (),
    supplier: str | None = None,
    action: BulkAction | None = None,
    prune: bool = False,
    accept_suggestions: bool = False,
    as_is: bool = False,
) -> tuple[Understood, list[str]]:
    """Return the changes in a list, and sentences about the parts of the file that were read or left out.

    Raises FileError if any part of the list is unclear, because only hidden rows may be
    skipped.
    """
    brought = BulkList.read(content, encoding=encoding, sheet=sheet, hidden=hidden)
    if words := hidden_words(brought.table):
        raise unchanged(
            f"The file hides {words}.", 'Give "--hidden use" or "--hidden skip".'
        )
    if ignored:
        unread = frozenset(_column(brought.table, name) for name in ignored)
        brought = BulkList.of(brought.table.without_columns(unread))
    brought = _with_columns(brought, columns, known)
    if prune and brought.layout.action is not None:
        reason = "The file has a column with actions, so --prune cannot be used."
        raise unchanged(reason, "Omit --prune, or that column.")
    of_all_rows = _check_supplier(supplier, known)
    if of_all_rows is not None and accept_suggestions and of_all_rows.suggestion:
        supplier = of_all_rows.suggestion
        of_all_rows = _check_supplier(supplier, known)
    fixed = Fixed(supplier=supplier, action=BulkAction.SET if prune else action)
    brought = replace(brought, fixed=fixed).checked(known)
    if accept_suggestions:
        accepted = Decisions().with_findings(
            accepted=brought.suggested(brought.open_findings)
        )
        brought = replace(brought, decisions=accepted).mended().checked(known)
    # damaged ids are used unchanged here; without --as-is, the complaints about them
    # stop the command
    kept = Decisions().with_findings(kept=brought.open_findings)
    understood = replace(brought, decisions=kept).understood()
    complaints = list(_complaints(brought, understood, as_is=as_is))
    if of_all_rows is not None and not (as_is and _may_be_used_as_is(of_all_rows)):
        complaints.insert(0, f"--supplier: {_finding_words(of_all_rows)}")
    if complaints:
        undecided = [
            finding
            for finding in (of_all_rows, *brought.findings)
            if finding is not None
        ]
        lines = [one_line(complaint) for complaint in complaints[:MAX_LINES]]
        more = (
            f"\n… and {len(complaints) - MAX_LINES:,} more."
            if len(complaints) > MAX_LINES
            else ""
        )
        raise unchanged(
            "\n".join(("The list cannot be used as it is:", *lines)) + more,
            _advice(undecided, as_is=as_is),
        )
    notes = [*brought.table.notes, unread_words(brought.table, brought.layout)]
    return understood, list(filter(None, notes))


def _complaints(
    brought: BulkList, understood: Understood, *, as_is: bool
) -> Iterator[str]:
    for column, doubt in brought.doubts.items():
        letters = column_letters(column)
        yield f"{doubt} Give it another heading, delete it, or give --ignore-column {letters}."
    for found in brought.findings:
        if not (as_is and _may_be_used_as_is(found)):
            yield f"Row {found.row}, column {found.column + 1}: {_finding_words(found)}"
    if brought.missing:
        yield brought.missing
    for row in understood.refused:
        yield f"Row {row.number}: {row.reason}"


def _finding_words(finding: Finding) -> str:
    perhaps = f" Perhaps it is {finding.suggestion}." if finding.suggestion else ""
    return f"“{cut(finding.value)}”: {finding.kind}{perhaps}"


def _may_be_used_as_is(finding: Finding) -> bool:
    return finding.kind not in NEVER_IDS and finding.kind is not DamageKind.NOTHING


def _advice(findings: Sequence[Finding], *, as_is: bool) -> str:
    """Name the options that decide about these findings."""
    options = []
    if any(finding.suggestion for finding in findings):
        options.append("--accept-suggestions for the suggested ids")
    if not as_is and any(map(_may_be_used_as_is, findings)):
        options.append("--as-is to use other texts unchanged")
    return (
        f"Correct the file, or give {' or '.join(options)}."
        if options
        else "Correct the file."
    )


def _check_supplier(
    supplier: str | None, known: Callable[[Kind], Names]
) -> Finding | None:
    """Check the supplier of all rows like one in a list."""
    if supplier is None:
        return None
    table = Table(("Supplier",), (TableRow(1, (supplier,)),))
    return next(iter(find_damage(table, Layout(supplier=0), known=known)), None)


def _with_columns(
    brought: BulkList, columns: tuple[str, ...], known: Callable[[Kind], Names]
) -> BulkList:
    """Return the list with the meaning of its columns.

    Raises FileError if that would be a guess.
    """
    table = brought.table
    if not columns:
        brought = brought.in_usual_order(known)
        if brought.layout.columns or has_headings(table):
            return brought
        hint = columns_with_known_ids(table, known)
        raise unchanged(
            "The list has no headings, so it is not clear what each column holds. "
            f"{hint}".rstrip(),
            "Name the columns in their order, such as --columns "
            "supplier,item,recipient.",
        )
    if has_known_headings(table):
        raise unchanged(
            "The file has headings, so --columns cannot be used.", "Omit --columns."
        )
    if len(columns) != len(table.header):
        raise unchanged(
            f"--columns names {many(len(columns), 'column')}, but the list has "
            f"{len(table.header):,}.",
            "Name all columns in their order, and write - for a column that is not "
            "used.",
        )
    return brought.with_columns(columns)


def _column(table: Table, name: str) -> int:
    """Return the only column with this heading, or else the column with this letter.

    Raises FileError.
    """
    wanted, columns = name.strip().casefold(), range(len(table.header))
    found = [one for one in columns if table.header[one].strip().casefold() == wanted]
    found = found or [
        one for one in columns if column_letters(one).casefold() == wanted
    ]
    if len(found) != 1:
        reason = "Several columns are called" if found else "There is no column"
        raise unchanged(f"{reason} “{name}”.", "Give --ignore-column its letter.")
    return found[0]


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
    bulk = desk.bulk
    wanted, notes = read_list(desk.names.names_of, file.read_bytes(), **options)
    for line in notes:
        click.echo(one_line(line))
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
    not_listed, after = 0, -1
    while page := bulk.store.items(job.key, after=after, limit=_PAGE):
        for intent, preview in [
            (one.intent, one.preview) for one in page if one.preview is not None
        ]:
            if preview.add or preview.remove or preview.refusal:
                yield item_words(intent.item)
                yield from _change_lines("add", preview.add)
                yield from _change_lines("remove", preview.remove)
            if preview.refusal:
                yield f"    refused {one_line(preview.refusal)}"
            if intent.exactly is None and intent.add:
                not_listed += len(
                    (preview.current or frozenset()) - intent.add - intent.remove
                )
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
            f"LARGE REMOVALS: {many(job.removals_to_confirm, 'recipient')} would be "
            "removed from"
            f" {many(job.large_removals, 'item')}. To confirm: --confirm-removals "
            f"{job.removals_to_confirm}."
        )


def _change_lines(action: str, ids: frozenset[str]) -> Iterator[str]:
    if ids:
        more = f", and {len(ids) - _MAX_IDS:,} more" if len(ids) > _MAX_IDS else ""
        yield f"    {action:8}{', '.join(map(one_line, sorted(ids)[:_MAX_IDS]))}{more}"


def _raise_if_refused(job: Job, file: Path) -> None:
    if job.refused:
        refused = many(job.refused, "item")
        raise click.ClickException(
            f"Refused, see above: {refused}. Nothing of {one_line(file.name)} was sent."
        )
