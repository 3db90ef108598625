"""Changes to many items at once: the rows of a list, grouped by item."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from item_visibility.client.identifiers import ItemKey


class BulkAction(StrEnum):
    """The action that a row asks for."""

    ADD = "add"
    REMOVE = "remove"
    SET = "set exactly"
    """The rows of the item together are its complete list of recipients."""
    WITHDRAW = "withdraw all"


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRow:
    """One row of a list, with its number as shown in the file.

    `recipient_id` is None only for WITHDRAW.
    """

    number: int
    item: ItemKey
    action: BulkAction
    recipient_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkItem:
    """The changes to one item from all its rows.

    With `exactly`, all other recipients are removed, and `add` and `remove` are empty. An empty
    `exactly` withdraws the item from everybody. `rows` are the numbers of the rows in the file that name
    each recipient, in the order of their ids; when none is named, those of the item.
    """

    item: ItemKey
    add: frozenset[str] = frozenset()
    remove: frozenset[str] = frozenset()
    exactly: frozenset[str] | None = None
    rows: tuple[tuple[int, ...], ...] = ()

    @property
    def row_numbers(self) -> tuple[int, ...]:
        """The numbers of all its rows."""
        return tuple(sorted({number for numbers in self.rows for number in numbers}))

    @property
    def rows_by_recipient(self) -> dict[str, tuple[int, ...]]:
        """The numbers of the rows that name each recipient."""
        return dict(
            zip(sorted(self.add | self.remove | (self.exactly or frozenset())), self.rows, strict=False)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Rows that contradict each other; all rows of the item are skipped."""

    item: ItemKey
    rows: tuple[int, ...]
    message: str


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """The rows by item, in order of first appearance, and the contradictions.

    `repeated` counts the rows that repeat another row.
    """

    items: tuple[BulkItem, ...]
    contradictions: tuple[Contradiction, ...]
    repeated: int = 0


def group_rows(rows: Iterable[BulkRow]) -> GroupedRows:
    """Return the changes to each item; a repeated row counts once.

    It is a contradiction to add and remove the same recipient, or to set or withdraw an item and change it in
    another row.
    """
    by_item: dict[ItemKey, list[BulkRow]] = {}
    for row in rows:
        by_item.setdefault(row.item, []).append(row)
    items: list[BulkItem] = []
    contradictions: list[Contradiction] = []
    repeated = 0
    for item, its_rows in by_item.items():
        message = _contradiction(its_rows)
        numbers = tuple(dict.fromkeys(row.number for row in its_rows))
        if message:
            contradictions.append(Contradiction(item=item, rows=numbers, message=message))
        else:
            items.append(_grouped(item, its_rows))
            repeated += len(its_rows) - len({row.recipient_id for row in its_rows})
    return GroupedRows(tuple(items), tuple(contradictions), repeated)


def _contradiction(rows: list[BulkRow]) -> str:
    actions = {row.action for row in rows}
    if len(actions) > 1 and actions & {BulkAction.SET, BulkAction.WITHDRAW}:
        return "One row sets or withdraws the whole item, and another row changes it differently."
    if _recipients(rows, BulkAction.ADD) & _recipients(rows, BulkAction.REMOVE):
        return "The same recipient is added in one row and removed in another."
    return ""


def _grouped(item: ItemKey, rows: list[BulkRow]) -> BulkItem:
    numbers: dict[str, list[int]] = {}
    for row in rows:
        numbers.setdefault(row.recipient_id or "", []).append(row.number)
    in_order = tuple(tuple(dict.fromkeys(numbers[recipient_id])) for recipient_id in sorted(numbers))
    actions = {row.action for row in rows}
    if actions & {BulkAction.SET, BulkAction.WITHDRAW}:
        return BulkItem(item=item, exactly=_recipients(rows, BulkAction.SET), rows=in_order)
    return BulkItem(
        item=item,
        add=_recipients(rows, BulkAction.ADD),
        remove=_recipients(rows, BulkAction.REMOVE),
        rows=in_order,
    )


def _recipients(rows: list[BulkRow], action: BulkAction) -> frozenset[str]:
    return frozenset(
        row.recipient_id for row in rows if row.action is action and row.recipient_id is not None
    )
