"""A list that says who should see what, and the drift of the service from it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import SheetsError
from item_visibility.files.csv_file import Encoding
from item_visibility.files.table import HIDDEN_SKIPPED, Table
from item_visibility.files.table_in_words import (
    column_letters,
    column_name,
    few,
    hidden_words,
    mark_words,
    sheet_words,
    title_words,
)
from item_visibility.lists.bulk_list import BulkList, Decisions
from item_visibility.lists.damage.finding import DamageKind, Finding
from item_visibility.lists.layout import Fixed
from item_visibility.lists.unclear_columns import ColumnDoubt, unread_columns
from item_visibility.saving.bulk import BulkAction, BulkItem
from item_visibility.saving.job import ItemPreview, SkippedRow
from item_visibility.use_cases.bulk.jobs import BulkDesk
from item_visibility.use_cases.bulk.lists import BulkIntake, HiddenCells

PAGE = 200
_TAKEN_AS_IS = frozenset({DamageKind.NO_NUMBER})
"""A file for the command line names ids, whatever their form; the plan shows them before anything is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options given with a list.

    With `prune`, a list that names no action sets its items exactly: recipients not named are removed.
    `accept_suggestions` replaces damaged ids with the suggestions; `as_is` then uses damaged ids as they
    are. `hidden` is the choice for hidden rows and columns. The columns that `ignored` names, by heading
    or letters, are not read.
    """

    encoding: Encoding = Encoding.UTF_8
    supplier: str | None = None
    action: BulkAction | None = None
    prune: bool = False
    accept_suggestions: bool = False
    as_is: bool = False
    sheet: str | None = None
    hidden: HiddenCells | None = None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadList:
    """The changes that a list asks for. If there are `complaints`, none of them may be applied.

    `notes` say which sheet was read, and what was not. `skipped` are the rows skipped as asked.
    """

    items: tuple[BulkItem, ...]
    complaints: tuple[str, ...]
    notes: tuple[str, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The differences between one item and the list.

    `left_alone` are recipients not in the list who keep their access, as the list only adds.
    `refusal` says why the item cannot be changed, empty when it can.
    """

    item: ItemKey
    add: tuple[str, ...]
    remove: tuple[str, ...]
    left_alone: int
    refusal: str

    @property
    def is_so(self) -> bool:
        """True when nothing is to be done."""
        return not (self.add or self.remove or self.refusal)


def read_list(bulk: BulkIntake, content: bytes, options: ListOptions) -> ReadList:
    """Read what the list asks for, and every reason to refuse it. FileError when it cannot be read."""
    try:
        brought = bulk.read_file(
            content, encoding=options.encoding, sheet=options.sheet, hidden=options.hidden
        )
    except SheetsError as error:
        return ReadList((), (f"{error.message} Give --sheet with the name of the one that is the list.",))
    if brought.table.hidden:
        why = f"The file hides {hidden_words(brought.table)}, and it is not clear whether they count."
        return ReadList((), (f"{why} Give --hidden use or --hidden skip, or show them in the file.",))
    ignored, unknown = _ignored_columns(brought.table, options.ignored)
    brought = brought.without_columns(ignored)
    if options.prune and brought.layout.action is not None:
        why = "The file has a column that says what to do, so that it cannot be pruned to what it names."
        return ReadList((), (f"{why} Leave out --prune, or that column.",))
    action = BulkAction.SET if options.prune else options.action
    brought = bulk.check_list(brought.with_fixed(Fixed(supplier=options.supplier, action=action)))
    if options.accept_suggestions:
        accepted = Decisions().with_findings(accepted=brought.suggested(brought.open_findings))
        brought = bulk.check_list(brought.with_decisions(accepted).mended())
    damage = () if options.as_is else [one for one in brought.findings if one.kind not in _TAKEN_AS_IS]
    kept = Decisions().with_findings(kept=brought.open_findings)  # each is a complaint, or taken as it is
    understood = brought.with_decisions(kept).understood()
    as_asked = tuple(row for row in understood.skipped if row.reason == HIDDEN_SKIPPED)
    skipped = [f"Row {row.number}: {row.reason}" for row in understood.skipped if row not in as_asked]
    complaints = (brought.missing,) if brought.missing else skipped
    return ReadList(
        understood.items,
        (*unknown, *map(_doubt, brought.doubts), *_damage(damage), *complaints),
        notes=tuple(filter(None, _notes(brought, as_asked))),
        skipped=as_asked,
    )


def drifts(bulk: BulkDesk, key: str) -> Iterator[Drift]:
    """Yield every item that was read for a job, in the order of the list."""
    after = -1
    while page := bulk.store.items(key, after=after, limit=PAGE):
        yield from (_drift(one.intent, one.preview) for one in page if one.preview is not None)
        after = page[-1].position


def _drift(intent: BulkItem, preview: ItemPreview) -> Drift:
    named = intent.add | intent.remove
    is_adding = intent.exactly is None and bool(intent.add)
    return Drift(
        item=intent.item,
        add=tuple(sorted(preview.add)),
        remove=tuple(sorted(preview.remove)),
        left_alone=len((preview.current or frozenset()) - named) if is_adding else 0,
        refusal=preview.refusal,
    )


def _damage(findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        meant = "" if found.suggestion is None else f" Perhaps it is {found.suggestion}."
        yield f"Row {found.row}, column {found.column + 1}: {found.message}{meant}"


def _ignored_columns(table: Table, names: Iterable[str]) -> tuple[frozenset[int], list[str]]:
    """Find these columns, by heading or letters. Also return complaints on names that fit none or several."""
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
            why = "Several columns are called" if found else "There is no column"
            complaints.append(f"{why} “{name}”: name it to --ignore-column by its letter.")
    return frozenset(columns), complaints


def _notes(brought: BulkList, skipped: Iterable[SkippedRow]) -> Iterator[str]:
    """Say which sheet was read, and which parts were not."""
    yield sheet_words(brought.table)
    yield title_words(brought.table)
    yield from mark_words(brought.table)
    if unread := unread_columns(brought.table, brought.layout):
        names = [column_name(brought.table, column) for column in unread]
        yield f"Not read: {'columns' if len(names) > 1 else 'column'} {few(names)}."
    if numbers := [str(row.number) for row in skipped]:
        yield f"Hidden rows, skipped as asked: {few(numbers)}."


def _doubt(doubt: ColumnDoubt) -> str:
    if doubt.is_read:
        return f"{doubt.message} Give the list headings."
    letters = column_letters(doubt.column)
    return f"{doubt.message} Give it another heading, delete it, or give --ignore-column {letters}."
