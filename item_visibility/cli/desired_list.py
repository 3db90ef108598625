"""Reading a list for the command line: the changes that it asks for, and every reason to refuse it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from item_visibility.cli.list_options import ListOptions
from item_visibility.errors import SheetsError
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.damage import DamageKind, Finding
from item_visibility.lists.layout import ColumnDoubt, Fixed, has_headings
from item_visibility.lists.table import (
    HIDDEN_SKIPPED,
    Table,
    column_letters,
    few,
    hidden_words,
    title_words,
)
from item_visibility.saving.bulk import BulkAction, BulkItem
from item_visibility.saving.job import SkippedRow
from item_visibility.use_cases.bulk_lists import ListReader

_USED_AS_IS = frozenset({DamageKind.NAME, DamageKind.UNKNOWN})
"""In a column with a heading, a file for the command line contains ids of any form."""


@dataclass(frozen=True, slots=True)
class DesiredList:
    """The changes that a list asks for. If there are `complaints`, none of them may be applied.

    `notes` say which sheet was read, and what was not. `skipped` are the rows that the options skip.
    """

    items: tuple[BulkItem, ...] = ()
    complaints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()


def read_list(lists: ListReader, content: bytes, options: ListOptions) -> DesiredList:
    """Read a list. Raises FileError when it cannot be read at all."""
    try:
        brought = lists.read_file(
            content, encoding=options.encoding, sheet=options.sheet, hidden=options.hidden
        )
    except SheetsError as error:
        return DesiredList(complaints=(f"{error.message} Give --sheet with the name of the list's sheet.",))
    if brought.table.hidden:
        hidden = hidden_words(brought.table)
        return DesiredList(complaints=(f"Hidden in the file: {hidden}. Give --hidden use or --hidden skip.",))
    ignored, unknown = _ignored_columns(brought.table, options.ignored)
    brought = brought.without_columns(ignored)
    if options.prune and brought.layout.action is not None:
        reason = "The file has a column with actions, so --prune cannot be used."
        return DesiredList(complaints=(f"{reason} Omit --prune, or that column.",))
    action = BulkAction.SET if options.prune else options.action
    brought = lists.check_list(brought.with_fixed(Fixed(supplier=options.supplier, action=action)))
    if options.accept_suggestions:
        accepted = Decisions().with_findings(accepted=brought.suggested(brought.open_findings))
        brought = lists.check_list(brought.with_decisions(accepted).mended())
    used = _USED_AS_IS if has_headings(brought.table) else frozenset[DamageKind]()
    damage = () if options.as_is else [one for one in brought.findings if one.kind not in used]
    unchanged = Decisions().with_findings(kept=brought.open_findings)  # each is a complaint, or used as is
    understood = brought.with_decisions(unchanged).understood()
    skipped = tuple(row for row in understood.skipped if row.reason == HIDDEN_SKIPPED)
    refused = [f"Row {row.number}: {row.reason}" for row in understood.skipped if row not in skipped]
    return DesiredList(
        understood.items,
        (
            *unknown,
            *map(_doubt_words, brought.doubts),
            *map(_damage_words, damage),
            *((brought.missing,) if brought.missing else refused),
        ),
        notes=tuple(filter(None, _notes(brought, skipped))),
        skipped=skipped,
    )


def _ignored_columns(table: Table, names: Iterable[str]) -> tuple[frozenset[int], list[str]]:
    """Find columns by heading or letters. Also return complaints about names that fit none or several."""
    columns: set[int] = set()
    complaints: list[str] = []
    for name in names:
        wanted = name.strip().casefold()
        headings = [column for column, one in enumerate(table.header) if one.strip().casefold() == wanted]
        letters = [
            column for column in range(len(table.header)) if column_letters(column).casefold() == wanted
        ]
        found = headings or letters
        if len(found) == 1:
            columns.update(found)
        else:
            reason = "Several columns are called" if found else "There is no column"
            complaints.append(f"{reason} “{name}”: give --ignore-column its letter.")
    return frozenset(columns), complaints


def _doubt_words(doubt: ColumnDoubt) -> str:
    letters = column_letters(doubt.column)
    return f"{doubt.message} Give it another heading, delete it, or give --ignore-column {letters}."


def _damage_words(found: Finding) -> str:
    suggestion = "" if found.suggestion is None else f" Perhaps it is {found.suggestion}."
    return f"Row {found.row}, column {found.column + 1}: {found.message}{suggestion}"


def _notes(brought: BulkList, skipped: Iterable[SkippedRow]) -> Iterator[str]:
    """Say which sheet was read, and which parts were not."""
    yield brought.table.sheet
    yield title_words(brought.table)
    yield brought.unread_words
    if numbers := [str(row.number) for row in skipped]:
        yield f"Hidden rows, skipped as requested: {few(numbers)}."
