"""The skipped rows of a list, as written there, each with the reason."""

from collections.abc import Iterator, Mapping

from item_visibility.files.table import Table, TableRow
from item_visibility.lists.layout import Fixed, Layout, LayoutKind
from item_visibility.saving.job import SkippedRow


def skipped_rows(
    table: Table, layout: Layout, fixed: Fixed, reasons: Mapping[int, str]
) -> tuple[SkippedRow, ...]:
    """Return the content of the rows with these numbers and the reasons, in the order of the list."""
    rows = {one.number: one for one in (*table.rows, *(aside.row for aside in table.aside))}
    numbers = sorted(reasons.keys() & rows.keys())
    return tuple(_skipped(table, rows[number], layout, fixed, reasons[number]) for number in numbers)


def _skipped(table: Table, row: TableRow, layout: Layout, fixed: Fixed, reason: str) -> SkippedRow:
    item, market = _cell(row, layout.item), _cell(row, layout.market)
    return SkippedRow(
        number=row.number,
        supplier=_cell(row, layout.supplier) or fixed.supplier or "",
        supplier_item_id=f"{item}:{market}" if market and not item.endswith(f":{market}") else item,
        recipients=", ".join(_recipients(table, row, layout)),
        action=_cell(row, layout.action) or (fixed.action.value if fixed.action else ""),
        reason=reason,
    )


def _recipients(table: Table, row: TableRow, layout: Layout) -> Iterator[str]:
    for column in layout.recipients:
        if cell := _cell(row, column):
            yield table.header[column] if layout.kind is LayoutKind.MATRIX else cell


def _cell(row: TableRow, column: int | None) -> str:
    """Return the plain text of the cell. Rows set aside can be shorter than the others."""
    return "" if column is None or column >= len(row.cells) else str(row.cells[column])
