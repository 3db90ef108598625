"""The coverage as a workbook: the cells with the times of their reads, the columns, and a legend."""

from collections.abc import Iterator
from datetime import UTC

from item_visibility.lists.writer import Sheet, write_report
from item_visibility.storage.seen_lists import SeenItem
from item_visibility.use_cases.coverage.matrix import Coverage
from item_visibility.use_cases.known_names import market_of_item

_ITEM_HEADINGS = ("Item", "Market", "Item number", "Supplier", "Last read (UTC)", "Problem")
_COLUMN_HEADINGS = ("Column", "Name", "Number", "Recipients in the set")
_LEGEND = (
    ("Yes", "The recipient is in the item's list."),
    ("No", "The item was read, and the recipient is not in its list."),
    ("3 of 5", "Three of the set's five recipients are in the item's list."),
    ("Not read", 'The item was not read yet. This is not "No".'),
    ("Could not be read", "The last read failed, and there is no earlier one."),
    ("In doubt since a save", "The outcome of our last change is unknown. Read the item again."),
    ("Missing", "The second recipient or set can see the item, the first one cannot."),
    ("Extra", "The first recipient or set can see the item, the second one cannot."),
    ("Last read (UTC)", "The answers are as of this time. Nothing was read for this file."),
)


def write_coverage(coverage: Coverage) -> bytes:
    """Return all items and columns as XLSX; every cell is text."""
    headings = tuple(column.heading for column in coverage.columns)
    difference = ("Difference",) if coverage.is_comparison else ()
    return write_report(
        [
            Sheet("Coverage", (*_ITEM_HEADINGS, *difference, *headings), _item_rows(coverage)),
            Sheet("Columns", _COLUMN_HEADINGS, _column_rows(coverage)),
            Sheet("Legend", ("Words", "What they mean"), _LEGEND),
        ]
    )


def _item_rows(coverage: Coverage) -> Iterator[tuple[str, ...]]:
    for row in coverage.rows:
        item, key = row.item, row.item.item
        own = (item.name, market_of_item(item), key.supplier_item_id, key.supplier)
        difference = (row.difference.value,) if coverage.is_comparison else ()
        answers = (cell.words for cell in row.cells)
        yield (*own, _time(item), item.failure, *difference, *answers)


def _column_rows(coverage: Coverage) -> Iterator[tuple[str, ...]]:
    for column in coverage.columns:
        members = f"{len(column.members):,}" if column.is_set else ""
        own = (column.heading, column.name, "" if column.is_set else column.id)
        yield (*own, members)


def _time(item: SeenItem) -> str:
    return "" if item.seen_at is None else f"{item.seen_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
