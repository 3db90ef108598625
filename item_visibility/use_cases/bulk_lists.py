"""Read a list of changes from a file or from pasted text, and check it. Nothing is stored or sent."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum

from item_visibility.lists.bulk_list import BulkList
from item_visibility.lists.headings import holds_headings, with_header_found
from item_visibility.lists.reader import Encoding, read_paste, read_table
from item_visibility.lists.table import Hidden, Table, TableRow, Watch, unchanged, unwatched, without_hidden
from item_visibility.lists.writer import write_xlsx
from item_visibility.storage.directory import Kind
from item_visibility.storage.name_index import Names

AT_ONCE = 2
"""At most this many lists are read at the same time, to limit memory. Further lists wait."""

TEMPLATE_HEADER = ("Supplier", "Item", "Recipient", "Action")


class HiddenCells(StrEnum):
    """What to do with rows and columns that are hidden in the spreadsheet."""

    USE = "use"
    SKIP = "skip"


def write_template() -> bytes:
    """Return an empty list to fill in. All cells are text, so that typed ids keep all digits."""
    return write_xlsx(TEMPLATE_HEADER, ())


class ListReader:
    """Reads and checks lists. `known` returns all known names and ids of a kind."""

    def __init__(self, known: Callable[[Kind], Names]) -> None:
        self._known = known
        self._slots = threading.BoundedSemaphore(AT_ONCE)

    def read(  # noqa: PLR0913  (each is named where it is called)
        self,
        content: bytes | str,
        *,
        encoding: Encoding = Encoding.UTF_8,
        sheet: str | None = None,
        hidden: HiddenCells | None = None,
        has_heading: bool | None = None,
        watch: Watch = unwatched,
    ) -> BulkList:
        """Read the list in a file, or in a pasted text. Raises FileError when it cannot be read.

        Raises SheetsError if `sheet` is None and a workbook has several sheets. If `hidden` is None, the list
        tells which rows and columns are hidden. If `has_heading` is None, a row of headings is searched for.
        """
        with self._slots:
            if isinstance(content, str):
                table = read_paste(content, watch=watch)
            else:
                table = read_table(content, encoding=encoding, sheet=sheet, watch=watch)
        if hidden is HiddenCells.USE:
            table = replace(table, hidden=Hidden())
        elif hidden is HiddenCells.SKIP:
            table = without_hidden(table)
            if heading := next((row for row, _ in table.skipped if holds_headings(row.cells)), None):
                raise unchanged(
                    f"Row {heading.number} is hidden, but it holds the headings, so it cannot be skipped.",
                    "Unhide the row in the file, or choose to use hidden cells.",
                )
        return BulkList.of(with_header_found(table, said=has_heading))

    def list_items(self, supplier_item_ids: Iterable[str]) -> BulkList:
        """Return a list with one row per item, and without suppliers."""
        rows = tuple(TableRow(number, (one,)) for number, one in enumerate(supplier_item_ids, start=1))
        return BulkList.of(Table(TEMPLATE_HEADER[1:2], rows, header_number=0))

    def check_list(self, bulk_list: BulkList, *, watch: Watch = unwatched) -> BulkList:
        """Look for unclear columns, and for ids that a spreadsheet may have damaged. Raises RecordsError."""
        with self._slots:
            return bulk_list.checked(self._known, watch=watch)
