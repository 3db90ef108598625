"""Turns the rows of a table into requested changes, and reports the rows that cannot be used."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.grouping import BulkRow
from item_visibility.lists.layout import Fixed, Layout
from item_visibility.lists.table import MAX_ROWS, NotText, Table, TableRow, Watch, cut, unchanged, unwatched
from item_visibility.lists.words import (
    ACTION_WORDS,
    HeadingMeaning,
    is_action_word,
    read_action,
    read_heading,
)
from item_visibility.saving.bulk import BulkAction
from item_visibility.saving.job import SkippedRow

_WATCH_EVERY = 1_000
_INCOMPLETE = (
    "Skipped: row {number} cannot be read, so that the list that is to be set exactly may be incomplete."
)


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The changes that the table asks for, and why other rows are skipped, by their number in the file."""

    rows: tuple[BulkRow, ...]
    problems: Mapping[int, str]


def read_bulk_rows(table: Table, layout: Layout, fixed: Fixed, *, watch: Watch = unwatched) -> ReadRows:
    """Read the changes that each row asks for. A row with any error is skipped as a whole and reported.

    If a list is to be set exactly and one of its rows may be among the skipped ones, all of its rows are
    skipped. Otherwise the missing recipients would be removed. Raise FileError when more than 200,000
    recipients of items are named.
    """
    if problem := unusable(layout, fixed):
        return ReadRows((), {table.header_number: problem})
    reader = _RowReader(layout, fixed)
    read: list[_Row] = []
    count = 0
    for index, row in enumerate(table.rows):
        if not index % _WATCH_EVERY:
            watch(index / len(table.rows))
        read.append(reader.read(row))
        count += len(read[-1].recipients)
        if count > MAX_ROWS:
            raise unchanged(
                f"The list names more than {MAX_ROWS:,} recipients, counted for every item.",
                "Divide it into several lists.",
            )
    first_unreadable = _first_unreadable(read)
    rows: list[BulkRow] = []
    problems = {one.row.number: one.reason for one in table.aside}
    for one in read:
        cause = None
        if one.action is BulkAction.SET:
            cause = first_unreadable.get(one.item, first_unreadable.get(None))
        if one.problem or one.item is None or one.action is None:
            problems[one.number] = one.problem
        elif cause is not None:
            problems[one.number] = _INCOMPLETE.format(number=cause)
        elif one.action is BulkAction.WITHDRAW:
            rows.append(BulkRow(number=one.number, item=one.item, action=one.action))
        else:
            rows += (
                BulkRow(number=one.number, item=one.item, action=one.action, recipient_id=recipient_id)
                for recipient_id in one.recipients
            )
    return ReadRows(tuple(rows), problems)


def unusable(layout: Layout, fixed: Fixed) -> str:
    """Return why no row at all can be read with these columns; empty when rows can be read."""
    has_recipients, has_fixed = layout.recipient is not None, bool(fixed.recipients)
    withdraws = fixed.action is BulkAction.WITHDRAW
    may_withdraw = withdraws or (fixed.action is None and layout.action is not None)
    reasons = {
        "No column says the supplier. Choose one, or enter the supplier of all rows.": (
            layout.supplier is None and fixed.supplier is None
        ),
        "No column says the item. Choose one.": layout.item is None,
        "The list names recipients, and others are chosen for all items. Choose one or the other.": (
            has_recipients and has_fixed
        ),
        "No column says the recipient. Choose one, or choose recipients for all items.": not (
            has_recipients or has_fixed or may_withdraw
        ),
        "“withdraw all” takes items from everybody. Choose no recipients for it.": withdraws and has_fixed,
    }
    supplier = None if fixed.supplier is None else refusal(fixed.supplier, name="supplier")
    recipients = (refusal(one, name="recipient") for one in sorted(fixed.recipients))
    refused = supplier or next(filter(None, recipients), "")
    return next((why for why, holds in reasons.items() if holds), refused)


def skipped_rows(
    table: Table, layout: Layout, fixed: Fixed, reasons: Mapping[int, str]
) -> tuple[SkippedRow, ...]:
    """Return the content of the rows with these numbers and the reasons, in the order of the list."""
    rows = {one.number: one for one in (*table.rows, *(aside.row for aside in table.aside))}
    skipped: list[SkippedRow] = []
    for number in sorted(reasons.keys() & rows.keys()):
        row = rows[number]
        skipped.append(
            SkippedRow(
                number=number,
                supplier=_cell(row, layout.supplier) or fixed.supplier or "",
                supplier_item_id=_cell(row, layout.item),
                recipients=_cell(row, layout.recipient),
                action=_cell(row, layout.action) or (fixed.action.value if fixed.action else ""),
                reason=reasons[number],
            )
        )
    return tuple(skipped)


@dataclass(frozen=True, slots=True)
class _Row:
    """The content of a row. `problem` is empty when all of it could be read; item and action are then set."""

    number: int
    item: ItemKey | None = None
    action: BulkAction | None = None
    recipients: tuple[str, ...] = ()
    problem: str = ""


class _RowReader:
    """Reads the rows of one table. It checks each text only once."""

    def __init__(self, layout: Layout, fixed: Fixed) -> None:
        self._layout = layout
        self._fixed = fixed
        self._fixed_recipients = tuple(sorted(fixed.recipients))
        self._refusals: dict[tuple[str, str], str] = {}
        self._items: dict[ItemKey, ItemKey] = {}

    def read(self, row: TableRow) -> _Row:
        """Read one row."""
        wrong: list[str] = []
        action = self._action(row, wrong)
        item = self._item(row, wrong)
        recipients = self._recipients(row, action, wrong)
        if not wrong:
            return _Row(row.number, item, action, recipients)
        others = " Other cells of the row cannot be read either." if len(wrong) > 1 else ""
        return _Row(row.number, item, action, problem=f"{wrong[0]}{others}")

    def _action(self, row: TableRow, wrong: list[str]) -> BulkAction | None:
        """Return the action: the row's own, the one chosen for all rows, or to add."""
        fixed = self._fixed.action
        cell = _cell(row, self._layout.action)
        if not cell.strip() and (fixed is not None or self._layout.action is None):
            return fixed or BulkAction.ADD
        action = read_action(cell)
        if action is None:
            what = f"{_shown(cell)} is no action." if cell.strip() else "The action is empty."
            wrong.append(f"{what} Write one of {ACTION_WORDS}.")
        elif fixed not in {None, action}:
            wrong.append(f"The row says “{action}”, but another action is chosen for all rows.")
        return action

    def _item(self, row: TableRow, wrong: list[str]) -> ItemKey | None:
        before = len(wrong)
        supplier = self._supplier(row, wrong)
        number = self._id(_cell(row, self._layout.item), "item", wrong)
        if len(wrong) > before:
            return None
        item = ItemKey(supplier, number)
        return self._items.setdefault(item, item)

    def _supplier(self, row: TableRow, wrong: list[str]) -> str:
        fixed = self._fixed.supplier
        cell = _cell(row, self._layout.supplier)
        if fixed is None:
            return self._id(cell, "supplier", wrong)
        if cell not in {"", fixed}:
            wrong.append(f"The row names the supplier {_shown(cell)}, but another is entered for all rows.")
        return fixed

    def _recipients(self, row: TableRow, action: BulkAction | None, wrong: list[str]) -> tuple[str, ...]:
        named = self._fixed_recipients
        if self._layout.recipient is not None:
            named = (_cell(row, self._layout.recipient),)
        if action is BulkAction.WITHDRAW:
            if any(named):
                wrong.append("“withdraw all” takes the item from everybody, but the row names recipients.")
            return ()
        if not named:
            wrong.append("The row names no recipient.")
        return tuple(self._id(recipient_id, "recipient", wrong) for recipient_id in named)

    def _id(self, text: str, name: str, wrong: list[str]) -> str:
        """Return the text unchanged. If it cannot be an id, add the reason to `wrong`."""
        if isinstance(text, NotText):
            wrong.append(
                f"The {name} is a number or a formula, not a text. Spreadsheets drop zeros and digits of "
                "numbers: format the column as text, and enter it again."
            )
        else:
            if (reason := self._refusals.get((name, text))) is None:
                reason = self._refusals[name, text] = refusal(text, name=name) or _word(text, name)
            wrong += filter(None, [reason])
        return text


def _first_unreadable(rows: Iterable[_Row]) -> dict[ItemKey | None, int]:
    """Return each item's first unreadable row. The key None is for a row that could be of any item."""
    first: dict[ItemKey | None, int] = {}
    for row in rows:
        if row.problem and (row.item is not None or row.action in {BulkAction.SET, None}):
            first.setdefault(row.item, row.number)
    return first


def _word(text: str, name: str) -> str:
    """Return why the text is a word used in lists and not an id; empty when it may be an id."""
    if is_action_word(text):
        return f"{_shown(text)} is an action, so it cannot be the {name}."
    if name == "item" and text.isalpha() and read_heading(text) is HeadingMeaning.ITEM:
        return f"{_shown(text)} is a heading, so it cannot be the {name}."
    return ""


def _cell(row: TableRow, column: int | None) -> str:
    return "" if column is None else row.cells[column]


def _shown(cell: str) -> str:
    return f"“{cut(cell)}”"
