"""Each row of any table is taken, or it is said why not."""

from hypothesis import given, settings
from hypothesis import strategies as st

from item_visibility.client.identifiers import refusal
from item_visibility.lists.layout import Fixed, guess_layout, with_header_found
from item_visibility.lists.rows import read_bulk_rows
from item_visibility.lists.table import NotText, Table, TableRow
from item_visibility.saving.bulk import BulkAction

HEADINGS = (
    *("Supplier", "Item", "GTIN", "Market", "GLN"),
    *("Recipient", "Recipients", "Recipient 2", "Action", "R1", ""),
)
CELLS = (
    *("", " ", "S", "I:276", "276", "R1", "R1,R2", "x", "add", "set", "withdraw", ".."),
    NotText("4000001000005"),
)
cell = st.sampled_from(CELLS) | st.text(max_size=5)


@settings(max_examples=100, deadline=None)
@given(
    header=st.lists(st.sampled_from(HEADINGS) | st.text(max_size=5), min_size=1, max_size=6),
    cells=st.lists(
        st.lists(st.sampled_from(CELLS) | st.text(max_size=5), min_size=6, max_size=6), max_size=5
    ),
    fixed=st.builds(
        Fixed,
        supplier=st.none() | st.sampled_from(CELLS).map(str),
        action=st.none() | st.sampled_from(BulkAction),
        recipients=st.frozensets(st.sampled_from(CELLS).map(str), max_size=2),
    ),
)
def test_every_row_is_taken_or_told(header: list[str], cells: list[list[str]], fixed: Fixed) -> None:
    """No table raises an error, and nothing that cannot be sent is asked for."""
    width = len(header)
    rows = tuple(TableRow(number, tuple(row[:width])) for number, row in enumerate(cells, 2))
    table = with_header_found(Table(tuple(header), rows))
    found = read_bulk_rows(table, guess_layout(table), fixed)
    asked = {text for row in found.rows for text in (row.item.supplier, row.item.supplier_item_id)}
    asked |= {row.recipient_id for row in found.rows if row.recipient_id is not None}
    assert [
        text for text in asked if refusal(text, name="item") is not None or isinstance(text, NotText)
    ] == []
    assert {row.number for row in found.rows}.isdisjoint(found.problems)
    assert all((row.recipient_id is None) == (row.action is BulkAction.WITHDRAW) for row in found.rows)
