"""Reads the cells of one row, as far as possible."""

from collections.abc import Iterator
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.files.table import NoResult, NotText, Table, TableRow
from item_visibility.files.table_in_words import cut
from item_visibility.lists.action_words import (
    ACTION_WORDS,
    is_action_word,
    is_tick,
    is_tick_or_empty,
    read_action,
)
from item_visibility.lists.heading_row import read_heading
from item_visibility.lists.heading_words import HeadingMeaning
from item_visibility.lists.layout import Fixed, Layout, LayoutKind
from item_visibility.lists.split_ids import split_ids
from item_visibility.saving.bulk import BulkAction

_MARKET_SEPARATOR = ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """The content of a row. `problem` is empty when all of it could be read; item and action are then set."""

    number: int
    item: ItemKey | None
    action: BulkAction | None
    recipients: tuple[str, ...]
    problem: str


class CellReader:
    """Reads the rows of one table. It checks each text only once."""

    def __init__(self, table: Table, layout: Layout, fixed: Fixed) -> None:
        self._layout = layout
        self._fixed = fixed
        self._fixed_recipients = tuple(sorted(fixed.recipients))
        self._header = table.header
        self._refusals: dict[tuple[str, str], str] = {}
        self._items: dict[ItemKey, ItemKey] = {}

    def read(self, row: TableRow) -> ReadRow:
        """Read one row."""
        wrong: list[str] = []
        action = self._action(row, wrong)
        item = self._item(row, wrong)
        recipients = self._recipients(row, action, wrong)
        others = " Other cells of the row cannot be read either." if len(wrong) > 1 else ""
        return ReadRow(
            number=row.number,
            item=item,
            action=action,
            recipients=() if wrong else recipients,
            problem=f"{wrong[0]}{others}" if wrong else "",
        )

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
        if self._layout.market is not None:
            market = self._id(row.cells[self._layout.market], "market", wrong)
            number = self._with_market(number, market, wrong)
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

    def _with_market(self, number: str, market: str, wrong: list[str]) -> str:
        """Join the trade item number and its market into one id. Note N18."""
        if number.endswith(f"{_MARKET_SEPARATOR}{market}"):
            return number
        if _MARKET_SEPARATOR in number:
            wrong.append(f"The item names a market of its own, and the row the market {_shown(market)}.")
        return self._id(f"{number}{_MARKET_SEPARATOR}{market}", "item", wrong)

    def _recipients(self, row: TableRow, action: BulkAction | None, wrong: list[str]) -> tuple[str, ...]:
        named = tuple(self._named(row, wrong)) if self._layout.recipients else self._fixed_recipients
        if action is BulkAction.WITHDRAW:
            if any(named):
                wrong.append("“withdraw all” takes the item from everybody, but the row names recipients.")
            return ()
        if not named and action is BulkAction.SET:
            wrong.append("Nobody is named. To take the item from everybody, write “withdraw all”.")
        elif not named and self._layout.kind is not LayoutKind.MATRIX:
            wrong.append("The row names no recipient.")
        return tuple(self._id(recipient_id, "recipient", wrong) for recipient_id in named)

    def _named(self, row: TableRow, wrong: list[str]) -> Iterator[str]:
        """Yield the recipients that the row names, in its layout."""
        for column in self._layout.recipients:
            cell = row.cells[column]
            if self._layout.kind is LayoutKind.MATRIX:
                if is_tick(cell):
                    yield self._header[column]
                elif not is_tick_or_empty(cell):
                    wrong.append(f"{_shown(cell)} is neither a tick nor empty.")
            elif self._layout.kind is LayoutKind.CELL and not isinstance(cell, NotText):
                yield from self._apart(cell, wrong)
            elif self._layout.kind is LayoutKind.ROWS or cell.strip():
                yield cell

    def _apart(self, cell: str, wrong: list[str]) -> tuple[str, ...]:
        """Return the ids of a cell. Among several, a word without a digit is taken for a note."""
        parts = split_ids(cell)
        notes = [part for part in parts if not any(map(str.isdigit, part))]
        if notes and len(parts) > 1:
            wrong.append(f"{_shown(notes[0])}, in one cell with other texts, may be a word and no id.")
        return parts

    def _id(self, text: str, name: str, wrong: list[str]) -> str:
        """Return the text unchanged. If it cannot be an id, add the reason to `wrong`."""
        if isinstance(text, NoResult):
            wrong.append(
                f"The {name} is a formula whose result the file does not hold. "
                "Open the file in a spreadsheet program, and save it there."
            )
            return text
        if isinstance(text, NotText):
            wrong.append(
                f"The {name} is a number, not a text. Spreadsheets drop zeros and digits of numbers: "
                "format the column as text, and enter it again."
            )
            return text
        if (reason := self._refusals.get((name, text))) is None:
            reason = self._refusals[name, text] = refusal(text, name=name) or _word(text, name)
        if reason:
            wrong.append(reason)
        return text


def _word(text: str, name: str) -> str:
    """Return why the text is a word used in lists and not an id; empty when it may be an id."""
    if is_action_word(text):
        return f"{_shown(text)} says what is to be done. It is taken for no {name}."
    if name == "item" and text.isalpha() and read_heading(text).meaning is HeadingMeaning.ITEM:
        return f"{_shown(text)} is a heading. It is taken for no {name}."
    return ""


def unusable(layout: Layout, fixed: Fixed) -> str:
    """Return why no row at all can be read with these columns; empty when rows can be read."""
    has_recipients, has_fixed = bool(layout.recipients), bool(fixed.recipients)
    withdraws = fixed.action is BulkAction.WITHDRAW
    may_withdraw = withdraws or (fixed.action is None and layout.action is not None)
    reasons = {
        "No column says the supplier. Choose one, or enter the supplier of all rows.": (
            layout.supplier is None and fixed.supplier is None
        ),
        "No column says the item. Choose one.": layout.item is None,
        "Each row names one recipient, but several columns are chosen. Choose one column.": (
            layout.kind is LayoutKind.ROWS and len(layout.recipients) > 1
        ),
        "The list names recipients, and others are chosen for all items. Choose one or the other.": (
            has_recipients and has_fixed
        ),
        "No column says the recipient. Choose one, or choose recipients for all items.": not (
            has_recipients or has_fixed or may_withdraw
        ),
        "“withdraw all” takes items from everybody. Choose no recipients for it.": withdraws and has_fixed,
    }
    return next((why for why, holds in reasons.items() if holds), "") or _refused(fixed)


def _refused(fixed: Fixed) -> str:
    supplier = None if fixed.supplier is None else refusal(fixed.supplier, name="supplier")
    recipients = (refusal(one, name="recipient") for one in sorted(fixed.recipients))
    return supplier or next(filter(None, recipients), "")


def _cell(row: TableRow, column: int | None) -> str:
    return "" if column is None else row.cells[column]


def _shown(cell: str) -> str:
    return f"“{cut(cell)}”"
