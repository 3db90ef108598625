"""A list of changes from a file or a paste, with the user's decisions about it."""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.lists.damaged_ids import DamageKind, Finding, accept, find_damage
from item_visibility.lists.gs1_and_markets import has_market
from item_visibility.lists.headings import (
    ACTION_WORDS,
    Fixed,
    Layout,
    doubtful_columns,
    guess_layout,
    has_headings,
    holds_headings,
    is_action_word,
    layout_in_usual_order,
    read_action,
    read_heading,
    with_header_found,
)
from item_visibility.lists.reader import Encoding, read_table
from item_visibility.lists.table import (
    MAX_ROWS,
    HiddenCells,
    NotText,
    Table,
    TableRow,
    cut,
    unchanged,
    without_hidden,
)
from item_visibility.model.job import BulkAction, BulkItem, SkippedRow
from item_visibility.model.known_ids import Kind, Names

AT_ONCE = 2
"""At most this many lists are read or checked at the same time, to limit memory.

Further lists wait.
"""
_slots = threading.BoundedSemaphore(AT_ONCE)
_CLEAR = frozenset({DamageKind.WHOLE_NUMBER, DamageKind.NOTHING})
"""Findings about which the user need not decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """The user's decisions about a list.

    Attributes:
        ignores_columns: True when the user accepts that some filled columns are not
            read.
        accepted: the indexes of the findings whose suggestion the user accepted.
        kept: the indexes of the findings whose id is used unchanged.
        has_looked: True after the first decision about findings. Rows with undecided
            findings are skipped.
    """

    ignores_columns: bool = False
    accepted: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    has_looked: bool = False

    def with_findings(
        self,
        *,
        accepted: Collection[int] = frozenset(),
        kept: Collection[int] = frozenset(),
    ) -> "Decisions":
        """Return the decisions with more findings in `accepted` and `kept`."""
        return replace(
            self,
            accepted=self.accepted.union(accepted),
            kept=self.kept.union(kept),
            has_looked=True,
        )


@dataclass(frozen=True, slots=True)
class Understood:
    """The changes of each item, and the skipped rows with their reasons.

    `repeated` is the number of rows that repeat another row. `hidden` are the numbers
    of the hidden rows that the user chose to skip.
    """

    items: tuple[BulkItem, ...]
    skipped: tuple[SkippedRow, ...]
    repeated: int = 0
    hidden: frozenset[int] = frozenset()

    @property
    def refused(self) -> tuple[SkippedRow, ...]:
        """The skipped rows except the hidden rows, which the user chose to skip."""
        return tuple(row for row in self.skipped if row.number not in self.hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkList:
    """A table, how it is read, and the user's decisions.

    Immutable: methods return a new list.

    `guess` is the layout that the headings suggest, and `layout` the one that is used.
    `checked` fills in `doubts`, which are about columns, and `findings`, which are
    about ids.
    """

    table: Table
    guess: Layout
    layout: Layout
    fixed: Fixed = field(default_factory=Fixed)
    doubts: Mapping[int, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    decisions: Decisions = Decisions()

    @classmethod
    def read(
        cls,
        content: bytes | str,
        *,
        encoding: Encoding = Encoding.UTF_8,
        sheet: str | None = None,
        hidden: HiddenCells | None = None,
        has_heading: bool | None = None,
    ) -> "BulkList":
        """Read the list in a file, or in a pasted text.

        Raises FileError when it cannot be read.

        Raises SheetsError if `sheet` is None and a workbook has several sheets. If
        `hidden` is None, the table lists its hidden rows and columns. If `has_heading`
        is None, the row of headings is guessed.
        """
        with _slots:
            table = read_table(content, encoding=encoding, sheet=sheet)
        if hidden is HiddenCells.USE:
            table = replace(table, hidden_rows=(), hidden_columns=())
        elif hidden is HiddenCells.SKIP:
            table = without_hidden(table)
            if heading := next(
                (row for row in table.skipped if holds_headings(row.cells)), None
            ):
                raise unchanged(
                    f"Row {heading.number} is hidden, but it holds the headings, so "
                    "it cannot be skipped.",
                    "Unhide the row in the file, or choose to use hidden cells.",
                )
        return cls.of(with_header_found(table, has_heading=has_heading))

    @classmethod
    def of(cls, table: Table) -> "BulkList":
        """Return a list with the layout that the headings of the table suggest."""
        guess = guess_layout(table)
        return cls(table=table, guess=guess, layout=guess)

    @classmethod
    def of_items(cls, supplier_item_ids: Iterable[str]) -> "BulkList":
        """Return a list with one row per item, and without suppliers."""
        rows = tuple(
            TableRow(number, (one,))
            for number, one in enumerate(supplier_item_ids, start=1)
        )
        return cls.of(Table(("Item",), rows, header_number=0))

    def in_usual_order(self, known: Callable[[Kind], Names]) -> "BulkList":
        """Return the list read in the usual order if it has no headings and known ids prove this order."""  # noqa: E501
        if self.guess.columns or has_headings(self.table):
            return self
        layout = layout_in_usual_order(self.table, known)
        return replace(self, guess=layout, layout=layout)

    def with_columns(self, meanings: Sequence[str]) -> "BulkList":
        """Return the list without headings, with one meaning for each column.

        Its first row is data.

        A column with an empty meaning is not read.
        """
        table = self.table
        if has_headings(table):
            table = with_header_found(table, has_heading=False)
        unused = frozenset(
            column for column, meaning in enumerate(meanings) if not meaning
        )
        layout = Layout(
            **{meaning: column for column, meaning in enumerate(meanings) if meaning}
        )
        return BulkList(
            table=table.without_columns(unused), guess=layout, layout=layout
        )

    def with_layout(self, layout: Layout) -> "BulkList":
        """Return the same table with this layout, and without doubts, findings or decisions."""  # noqa: E501
        return BulkList(table=self.table, guess=self.guess, layout=layout)

    def checked(self, known: Callable[[Kind], Names]) -> "BulkList":
        """Find unclear columns and damaged ids.

        Number cells that lost no digits are read as text, and words such as "n/a" as
        empty cells.

        `known` returns the names and ids in the directory. Raises RecordsError.
        """
        with _slots:
            doubts = doubtful_columns(self.table, self.layout)
            found = find_damage(self.table, self.layout, known=known)
        clear = [one for one in found if one.kind in _CLEAR]
        findings = tuple(one for one in found if one.kind not in _CLEAR)
        return replace(
            self, table=accept(self.table, clear), doubts=doubts, findings=findings
        )

    def mended(self) -> "BulkList":
        """Apply the accepted suggestions to the table.

        The new list has to be checked again.
        """
        table = accept(
            self.table, [self.findings[index] for index in self.decisions.accepted]
        )
        return BulkList(
            table=table, guess=self.guess, layout=self.layout, fixed=self.fixed
        )

    @property
    def missing(self) -> str:
        """A sentence about a choice that the user must make before rows can be read, or an empty text."""  # noqa: E501
        layout, fixed = self.layout, self.fixed
        if not layout.columns and not has_headings(self.table):
            return "The list has no headings. Choose what each column holds."
        may_withdraw = fixed.action is BulkAction.WITHDRAW or (
            fixed.action is None and layout.action is not None
        )
        if layout.supplier is None and fixed.supplier is None:
            return "No column holds the supplier. Choose one, or enter the supplier of all rows."  # noqa: E501
        if layout.item is None:
            return "No column holds the item. Choose one."
        if layout.recipient is None and not fixed.recipients and not may_withdraw:
            return "No column holds the recipient. Choose one, or choose recipients for all items."  # noqa: E501
        return ""

    @property
    def open_doubts(self) -> list[str]:
        """The doubts about columns that still need a decision."""
        deselected = self.guess.columns - self.layout.columns
        doubts = {} if self.decisions.ignores_columns else self.doubts
        return [doubt for column, doubt in doubts.items() if column not in deselected]

    @property
    def open_findings(self) -> list[int]:
        """The indexes of the findings that the user has not decided."""
        decided = self.decisions.accepted | self.decisions.kept
        return [index for index in range(len(self.findings)) if index not in decided]

    def suggested(self, indexes: Iterable[int]) -> frozenset[int]:
        """Return the indexes that belong to findings with a suggestion."""
        return frozenset(
            index for index in indexes if self.findings[index].suggestion is not None
        )

    @property
    def is_decided(self) -> bool:
        """True when the user saw the findings, and decided about every suggestion."""
        is_looked_at = not self.findings or self.decisions.has_looked
        return is_looked_at and not self.suggested(self.open_findings)

    def understood(self) -> Understood:
        """Return the changes of each item, and the rows that are skipped.

        A row is skipped if it has an error or an undecided finding, or if it
        contradicts another row of its item. Rows that set an item's list exactly are
        also skipped if an unreadable row may belong to the item, because the recipient
        in the unreadable row would otherwise be removed.

        Returns no changes while something is `missing`. Raises FileError if the rows
        name more than 200,000 recipients in all. Recipients chosen for all rows count
        once per row.
        """
        if self.missing:
            return Understood((), ())
        undecided = [self.findings[index] for index in self.open_findings]
        no_ids = [replace(one, suggestion=NotText(one.value)) for one in undecided]
        table = accept(self.mended().table, no_ids)
        rows = list(self._read_rows(table))
        hidden = frozenset(row.number for row in table.skipped)
        reasons = dict.fromkeys(
            hidden, "The whole row is hidden in the file, and hidden rows are skipped."
        )
        first_unreadable: dict[ItemKey | None, int] = {}
        for row in rows:
            if row.problem and (
                row.item is not None or row.action in {BulkAction.SET, None}
            ):
                first_unreadable.setdefault(
                    row.item, row.number
                )  # the key None: the item is unknown
        by_item = defaultdict[ItemKey, list[_Row]](list)
        for row in rows:
            cause = first_unreadable.get(row.item, first_unreadable.get(None))
            if row.problem or row.item is None:
                reasons[row.number] = row.problem
            elif row.action is BulkAction.SET and cause is not None:
                reasons[row.number] = (
                    f"Skipped: row {cause} cannot be read, so the exact list may be "
                    "incomplete."
                )
            else:
                by_item[row.item].append(row)
        items: list[BulkItem] = []
        repeated = 0
        for item, its_rows in by_item.items():
            change = _grouped(item, its_rows)
            if isinstance(change, str):
                reasons |= {row.number: change for row in its_rows}
            else:
                items.append(change)
                repeated += sum(max(len(row.recipients), 1) for row in its_rows) - len(
                    change.rows
                )
        for one in undecided:
            reasons[one.row] = (
                f"{_shown(one.value)} may be damaged or may not be an id, and you "
                "have not decided about it."
            )
        return Understood(
            tuple(items), tuple(self._skipped(table, reasons)), repeated, hidden
        )

    def _read_rows(self, table: Table) -> Iterator["_Row"]:
        count = 0
        for row in table.rows:
            read = _read_row(row, self.layout, self.fixed)
            count += len(read.recipients)
            if count > MAX_ROWS:
                raise unchanged(
                    f"The list names more than {MAX_ROWS:,} recipients in all (each "
                    "counts once per row).",
                    "Divide it into several lists.",
                )
            yield read

    def _skipped(
        self, table: Table, reasons: Mapping[int, str]
    ) -> Iterator[SkippedRow]:
        layout, fixed = self.layout, self.fixed
        rows = {one.number: one for one in (*table.rows, *table.skipped)}
        for number in sorted(reasons):
            row = rows[number]
            yield SkippedRow(
                number=number,
                supplier=_cell(row, layout.supplier) or fixed.supplier or "",
                supplier_item_id=_cell(row, layout.item),
                recipients=_cell(row, layout.recipient),
                action=_cell(row, layout.action)
                or (fixed.action.value if fixed.action else ""),
                reason=reasons[number],
            )


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    item: ItemKey | None
    action: BulkAction | None
    recipients: tuple[str, ...]
    problem: str


def _read_row(row: TableRow, layout: Layout, fixed: Fixed) -> _Row:
    action, wrong_action = _action_in(_cell(row, layout.action), layout, fixed)
    supplier, number = (
        _cell(row, layout.supplier) or fixed.supplier or "",
        _cell(row, layout.item),
    )
    market = _cell(row, layout.market).strip()
    wrong_item = _why_no_id(supplier, "supplier") or _why_no_id(number, "item")
    if not wrong_item and fixed.supplier not in {None, supplier}:
        named = _shown(supplier)
        wrong_item = f"The row names the supplier {named}, but another supplier is entered for all rows."  # noqa: E501
    elif not wrong_item and market and not has_market(number, market):
        wrong_item = f"The row names the market {_shown(market)}, but the item id does not end with it."  # noqa: E501
    recipients = tuple(sorted(fixed.recipients))
    if layout.recipient is not None:
        recipients = (_cell(row, layout.recipient),)
    wrong_recipient = ""
    if action is BulkAction.WITHDRAW:
        if any(recipients):
            wrong_recipient = (
                "“withdraw all” removes all recipients, so the row must not name one."
            )
        recipients = ()
    elif not recipients:
        wrong_recipient = "The row names no recipient."
    else:
        wrong_recipient = next(
            filter(None, (_why_no_id(one, "recipient") for one in recipients)), ""
        )
    problem = wrong_action or wrong_item or wrong_recipient
    item = None if wrong_item else ItemKey(supplier, number)
    return _Row(row.number, item, action, () if problem else recipients, problem)


def _action_in(
    cell: str, layout: Layout, fixed: Fixed
) -> tuple[BulkAction | None, str]:
    """Return the action of a row, and a sentence about what is wrong with its cell, or an empty text."""  # noqa: E501
    if not cell.strip() and (fixed.action is not None or layout.action is None):
        return fixed.action or BulkAction.ADD, ""
    action = read_action(cell)
    if action is None:
        what = (
            f"{_shown(cell)} is not an action."
            if cell.strip()
            else "The action is empty."
        )
        return None, f"{what} Write one of {ACTION_WORDS}."
    if fixed.action not in {None, action}:
        return (
            action,
            f"The row says “{action}”, but another action is chosen for all rows.",
        )
    return action, ""


def _why_no_id(text: str, name: str) -> str:
    if isinstance(text, NotText):
        return (
            f"The {name} is a number or a formula, not a text. Spreadsheets drop "
            "zeros and digits of "
            "numbers. Format the column as text, and enter it again."
        )
    return _refusal_in_list(text, name)


@lru_cache(maxsize=1_000)
def _refusal_in_list(text: str, name: str) -> str:
    if is_action_word(text):
        return f"{_shown(text)} is an action, so it cannot be the {name}."
    if name == "item" and text.isalpha() and read_heading(text) == "item":
        return f"{_shown(text)} is a heading, so it cannot be the {name}."
    return refusal(text, name=name) or ""


def _grouped(item: ItemKey, rows: Iterable[_Row]) -> BulkItem | str:
    """Return the changes that these rows make to the item, or a sentence if they contradict each other."""  # noqa: E501
    recipients = defaultdict[BulkAction | None, set[str]](set)
    numbers = defaultdict[str, list[int]](list)
    for row in rows:
        recipients[row.action].update(row.recipients)
        for recipient_id in row.recipients or ("",):
            numbers[recipient_id].append(row.number)
    is_whole = bool(recipients.keys() & {BulkAction.SET, BulkAction.WITHDRAW})
    if is_whole and len(recipients) > 1:
        return "One row sets or withdraws the whole item, and another row changes it differently."  # noqa: E501
    add, remove = (
        frozenset(recipients[BulkAction.ADD]),
        frozenset(recipients[BulkAction.REMOVE]),
    )
    if add & remove:
        return "The same recipient is added in one row and removed in another."
    return BulkItem(
        item=item,
        add=add,
        remove=remove,
        exactly=frozenset(recipients[BulkAction.SET]) if is_whole else None,
        rows=tuple(tuple(numbers[recipient_id]) for recipient_id in sorted(numbers)),
    )


def _cell(row: TableRow, column: int | None) -> str:
    return "" if column is None else row.cells[column]


def _shown(cell: str) -> str:
    return f"“{cut(cell)}”"
