"""Turns the rows of a table into requested changes, and reports the rows that cannot be used."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import FileError
from item_visibility.files.table import MAX_ROWS, NOTHING_CHANGED, Table, Watch, unwatched
from item_visibility.lists.cells import CellReader, ReadRow, unusable
from item_visibility.lists.layout import Fixed, Layout, LayoutKind
from item_visibility.saving.bulk import BulkAction, BulkRow

_TOLD_EVERY = 1_000
_LIST_INCOMPLETE = (
    "Skipped: row {number} cannot be read, so that the list that is to be set exactly may be incomplete."
)


@dataclass(frozen=True, slots=True)
class RowProblem:
    """The reason why a row is skipped, with its number as the person sees it in the file."""

    number: int
    message: str


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The changes that the table asks for, and the rows that are skipped."""

    rows: tuple[BulkRow, ...]
    problems: tuple[RowProblem, ...]


def read_bulk_rows(table: Table, layout: Layout, fixed: Fixed, *, watch: Watch = unwatched) -> ReadRows:
    """Read the changes that each row asks for. A row with any error is skipped as a whole and reported.

    If a list is to be set exactly and one of its rows may be among the skipped ones, all of its rows are
    skipped. Otherwise the missing recipients would be removed. Raise FileError when more than 200,000
    recipients of items are named.
    """
    if problem := unusable(layout, fixed):
        return ReadRows((), (RowProblem(table.header_number, problem),))
    read = _read(table, CellReader(table, layout, fixed), watch)
    aside = [_unread(one.row.number) for one in table.aside if one.may_be_of_list]
    cause_of = _causes((*aside, *read), is_in_rows=layout.kind is LayoutKind.ROWS or _has_items_again(read))
    rows: list[BulkRow] = []
    problems = [RowProblem(one.row.number, one.reason) for one in table.aside]
    for row in read:
        cause = cause_of.get(row.item, cause_of.get(None)) if row.action is BulkAction.SET else None
        if row.problem or row.item is None or row.action is None:
            problems.append(RowProblem(row.number, row.problem))
        elif cause is not None:
            problems.append(RowProblem(row.number, _LIST_INCOMPLETE.format(number=cause)))
        else:
            rows.extend(_bulk_rows(row, row.item, row.action))
    return ReadRows(tuple(rows), tuple(problems))


def _unread(number: int) -> ReadRow:
    return ReadRow(number=number, item=None, action=None, recipients=(), problem="not read")


def _read(table: Table, reader: CellReader, watch: Watch) -> list[ReadRow]:
    read: list[ReadRow] = []
    count = 0
    for index, row in enumerate(table.rows):
        if not index % _TOLD_EVERY:
            watch(index / len(table.rows))
        read.append(reader.read(row))
        count += len(read[-1].recipients)
        if count > MAX_ROWS:
            raise FileError(
                f"The list names more than {MAX_ROWS:,} recipients, counted for every item.",
                advice=f"{NOTHING_CHANGED} Divide it into several lists.",
            )
    return read


def _has_items_again(read: Iterable[ReadRow]) -> bool:
    """True when an item has several rows."""
    items = [row.item for row in read if row.item is not None]
    return len(set(items)) < len(items)


def _causes(read: Iterable[ReadRow], *, is_in_rows: bool) -> dict[ItemKey | None, int]:
    """Return each item's first unreadable row. The key None is for a row that could be of any item."""
    causes: dict[ItemKey | None, int] = {}
    for row in read:
        is_of_any = row.item is None and is_in_rows and row.action in {BulkAction.SET, None}
        if row.problem and (row.item is not None or is_of_any):
            causes.setdefault(row.item, row.number)
    return causes


def _bulk_rows(row: ReadRow, item: ItemKey, action: BulkAction) -> Iterator[BulkRow]:
    if action is BulkAction.WITHDRAW:
        yield BulkRow(number=row.number, item=item, action=action)
    for recipient_id in row.recipients:
        yield BulkRow(number=row.number, item=item, action=action, recipient_id=recipient_id)
