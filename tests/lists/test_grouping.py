"""The rows of a list, grouped by item."""

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.lists.grouping import BulkRow, group_rows
from item_visibility.saving.bulk import BulkAction, BulkItem

ITEM, OTHER_ITEM = ItemKey("S", "1"), ItemKey("S", "2")
ADD, REMOVE, SET, WITHDRAW = BulkAction


def row(number: int, action: BulkAction, recipient_id: str | None = None, item: ItemKey = ITEM) -> BulkRow:
    """One row of a list."""
    return BulkRow(number=number, item=item, action=action, recipient_id=recipient_id)


@pytest.mark.parametrize(
    ("rows", "asked"),
    [
        (
            (row(2, ADD, "A"), row(3, REMOVE, "B")),
            BulkItem(item=ITEM, add=frozenset("A"), remove=frozenset("B")),
        ),
        ((row(2, SET, "A"), row(3, SET, "B")), BulkItem(item=ITEM, exactly=frozenset("AB"))),
        ((row(2, WITHDRAW), row(3, WITHDRAW)), BulkItem(item=ITEM, exactly=frozenset())),
        ((row(2, ADD, "A"), row(3, ADD, "A")), BulkItem(item=ITEM, add=frozenset("A"))),
    ],
    ids=["single changes", "set", "withdraw", "twice the same"],
)
def test_rows_of_one_item_ask_for_one_change(rows: tuple[BulkRow, ...], asked: BulkItem) -> None:
    (found,) = group_rows(rows).items
    assert (found.add, found.remove, found.exactly) == (asked.add, asked.remove, asked.exactly)
    assert found.row_numbers == (2, 3)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (row(2, ADD, "A"), row(3, REMOVE, "A"), "The same recipient"),
        (row(2, SET, "A"), row(3, ADD, "A"), "the whole item"),
        (row(2, SET, "A"), row(3, WITHDRAW), "the whole item"),
        (row(2, REMOVE, "A"), row(3, WITHDRAW), "the whole item"),
    ],
)
def test_an_item_whose_rows_contradict_each_other_is_skipped(
    first: BulkRow, second: BulkRow, words: str
) -> None:
    grouped = group_rows([first, second, row(4, ADD, "A", OTHER_ITEM)])
    assert grouped.problems.keys() == {2, 3}
    assert words in grouped.problems[2]
    assert [one.item for one in grouped.items] == [OTHER_ITEM]
