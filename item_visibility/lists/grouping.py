"""The rows of a list, grouped by item."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkAction, BulkItem


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkRow:
    """One row of a list, with its number as shown in the file.

    `recipient_id` is None only for WITHDRAW.
    """

    number: int
    item: ItemKey
    action: BulkAction
    recipient_id: str | None = None


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """The changes by item, in order of first appearance.

    `problems` says of a row's number why the row contradicts another one; all rows of its item are skipped.
    `repeated` counts the rows that repeat another row.
    """

    items: tuple[BulkItem, ...]
    problems: dict[int, str]
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
    problems: dict[int, str] = {}
    repeated = 0
    for item, its_rows in by_item.items():
        if message := _contradiction(its_rows):
            problems |= {row.number: message for row in its_rows}
        else:
            items.append(_grouped(item, its_rows))
            repeated += len(its_rows) - len({row.recipient_id for row in its_rows})
    return GroupedRows(tuple(items), problems, repeated)


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
