"""Skipped rows as they are kept: their cells, and the reason."""

import pytest

from item_visibility.lists.layout import Fixed, guess_layout
from item_visibility.lists.reader import read_paste
from item_visibility.lists.rows import skipped_rows
from item_visibility.lists.table import Aside, Table, TableRow
from item_visibility.saving.bulk import BulkAction
from item_visibility.saving.job import SkippedRow


@pytest.mark.parametrize(
    ("text", "fixed", "row"),
    [
        (
            "Supplier,Item,Recipient,Action\nS,,R1,remove",
            Fixed(),
            ("S", "", "R1", "remove"),
        ),
        (
            "GTIN,Market,Recipient 1,Recipient 2\n123,276,R1,R2",
            Fixed(supplier="T", action=BulkAction.SET),
            ("T", "123:276", "R1, R2", "set exactly"),
        ),
        ("GTIN,Market,Recipient\n123:276,276,", Fixed(), ("", "123:276", "", "")),
        ("Item,R1,R2\nI1,x,maybe", Fixed(), ("", "I1", "R1", "")),
        ("Item,R1,R2\nI1,,maybe\nI2,x,x", Fixed(), ("", "I1", "R2", "")),
    ],
)
def test_a_row_is_kept_as_it_stands(text: str, fixed: Fixed, row: tuple[str, str, str, str]) -> None:
    """Values for all rows are kept with it."""
    table = read_paste(text)
    (kept,) = skipped_rows(table, guess_layout(table), fixed, {2: "Why."})
    assert kept == SkippedRow(
        number=2, supplier=row[0], supplier_item_id=row[1], recipients=row[2], action=row[3], reason="Why."
    )


def test_rows_aside_are_kept_in_the_order_of_the_list() -> None:
    """Though they are shorter than others; the headings are no row of it."""
    table = Table(
        ("Item", "Recipient"),
        (TableRow(5, ("I5", "R5")),),
        header_number=4,
        aside=(Aside(TableRow(1, ("I1",)), "?"),),
    )
    kept = skipped_rows(table, guess_layout(table), Fixed(), {5: "five", 4: "headings", 1: "one"})
    assert [(one.number, one.supplier_item_id, one.recipients) for one in kept] == [
        (1, "I1", ""),
        (5, "I5", "R5"),
    ]
