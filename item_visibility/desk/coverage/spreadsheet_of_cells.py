"""The coverage as a workbook: the cells with their ages, the recipients or sets, and a legend."""

from collections.abc import Iterator
from datetime import UTC

from item_visibility.desk.coverage.matrix import FAILED_SINCE, CellState, Coverage, cell_of
from item_visibility.desk.known_names import market_of_item
from item_visibility.files.xlsx_out import Sheet, write_named_sheets
from item_visibility.records.scans.seen_items import SeenItem

_OF_ITEM = ("Item", "Market", "Item number", "Supplier", "Last read (UTC)")
_OF_COLUMN = ("Column", "Name", "Number", "Recipients in the set")
_LEGEND = (
    (CellState.CAN.value, "The recipient, or every recipient of the set, is in the item's list."),
    (CellState.CANNOT.value, "The item was read, and the recipient is not in its list."),
    ("3 of 5 can see", "Three of the set's five recipients are in the item's list."),
    ("not read yet", 'There is no read of the item yet. This is not "cannot see".'),
    ("could not be read", "The service did not say, and there is no earlier read."),
    ("in doubt since a save", "The outcome of our last change is not known. Read the item again."),
    (
        "Last read (UTC)",
        "The cells say what was true then, at the service. They were not read for this file.",
    ),
)
_MOST_CHARACTERS = 30_000


def write_coverage(coverage: Coverage) -> bytes:
    """Return all items and columns as XLSX; every cell is a text."""
    return write_named_sheets(
        [
            Sheet("Coverage", _header(coverage), _item_rows(coverage)),
            Sheet("Columns", _OF_COLUMN, _column_rows(coverage)),
            Sheet("Legend", ("Words", "What they mean"), _LEGEND),
        ]
    )


def _item_rows(coverage: Coverage) -> Iterator[tuple[str, ...]]:
    for item in coverage.items:
        key = item.item
        own = (item.name, market_of_item(item), key.supplier_item_id, key.supplier)
        words = (cell_of(item, column).words for column in coverage.columns)
        yield (*map(_cell, own), _time(item), *words)


def _column_rows(coverage: Coverage) -> Iterator[tuple[str, ...]]:
    for column in coverage.columns:
        members = f"{len(column.members):,}" if column.is_set else ""
        own = (column.heading, column.name, "" if column.is_set else column.id)
        yield (*map(_cell, own), members)


def _header(coverage: Coverage) -> tuple[str, ...]:
    return (*_OF_ITEM, *(_cell(column.heading) for column in coverage.columns))


def _time(item: SeenItem) -> str:
    if item.seen_at is None:
        return ""
    time = f"{item.seen_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return f"{time}, {FAILED_SINCE}" if item.failure else time


def _cell(text: str) -> str:
    """Return what a cell can hold: halves of characters as escapes, and no endless text."""
    return text.encode("utf-8", "backslashreplace").decode()[:_MOST_CHARACTERS]
